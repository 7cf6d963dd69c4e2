"""A migrated database that is kept, and copied wherever a new one is wanted.

To migrate takes half a second of CPU time, to copy a file nothing. A template holds tables and no
row of anybody's: neither keys nor secrets.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from authservice.crypto.private_files import make_file, make_folder


def path_for(migrations: Path) -> Path:
    """Return the path of the template that these migrations make, whether or not it is there.

    That is in the user's own cache (XDG Base Directory Specification), which no one else writes to.
    """
    made_by = hashlib.sha256()
    for file in sorted(migrations.rglob("*.py")):
        made_by.update(file.read_bytes())
    cache = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache"
    return folder / "authservice" / f"migrated-{made_by.hexdigest()[:16]}.sqlite"


def copy(template: Path, database_file: Path, migrate: Callable[[Path], None]) -> None:
    """Make a database file from the template, which ``migrate`` makes first if it is missing.

    Of several processes that find it missing each makes one, and the last one's stays. Raises
    OSError, and FileExistsError where there is a file already.
    """
    if not template.exists():
        make_folder(template.parent)
        with tempfile.TemporaryDirectory(dir=template.parent) as folder:
            draft = Path(folder) / template.name
            migrate(draft)
            draft.replace(template)
    with os.fdopen(make_file(database_file), "wb") as copied, template.open("rb") as source:
        shutil.copyfileobj(source, copied)
