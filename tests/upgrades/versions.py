"""Versions of the service: this one, the one before its last migration, and one yet to come."""

import shutil

from alembic.script import ScriptDirectory

from authservice.database.revision import REVISION
from tests.helpers import parts
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, Process, finished
from tools.bench.service.checkouts import git
from tools.bench.service.revisions import extract

NEXT = f"{int(REVISION) + 1:04}"


class Version:
    """A version's files, and its commands on one database."""

    def __init__(self, folder, database, in_the_name_of=None):
        self.folder = folder
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.env = {
            # As behind a proxy, which is not there: the one that is named has to answer.
            "AUTH_URL": in_the_name_of.url if in_the_name_of else self.url,
            "AUTH_DATABASE_URL": database.url,
            "PYTHONPATH": str(folder),
        } | database.environ

    def run(self, *command):
        """Run a console script; return its exit status and what it wrote."""
        ended = finished([SCRIPTS / command[0], *command[1:]], cwd=self.folder, env=self.env)
        return ended.returncode, ended.stdout + ended.stderr

    @property
    def revision(self):
        """Return the revision that it is made for, by the name of its last migration."""
        *_, last = sorted((self.folder / "alembic" / "versions").glob("[0-9]*_*.py"))
        return last.name.partition("_")[0]

    def serve(self):
        """Start its server."""
        return Process(
            [SCRIPTS / "pserve", "local.ini", f"listen_port={self.port}"],
            ready="Serving on",
            env=self.env,
            cwd=self.folder,
        )


def older(folder):
    """Put the files before the last change of the schema into a folder, from git's history."""
    parts.program("git")
    of_migrations = ("--diff-filter=A", "--", "alembic/versions")
    change = git("log", "-1", "--format=%H", *of_migrations, check=False)
    before = git("rev-parse", "--verify", "--quiet", f"{change}^", check=False)
    if not change or not before:
        parts.machine_lacks("git's history back to the version before the last migration")
    extract(before, folder)
    return folder


def works_since(revision):
    """Return the oldest revision whose version serves with the tables of this one."""
    script = ScriptDirectory(str(ROOT / "alembic"))
    return script.get_revision(revision).module.works_since


def newer(folder, *, works_since):
    """Put this version with one more migration into a folder."""
    for name in ("authservice", "alembic"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "local.ini", folder)
    schema = folder / "authservice/database/revision.py"
    text = schema.read_text(encoding="utf-8")
    assert f'REVISION = "{REVISION}"' in text
    text = text.replace(f'REVISION = "{REVISION}"', f'REVISION = "{NEXT}"')
    schema.write_text(text, encoding="utf-8")
    migration = folder / f"alembic/versions/{NEXT}_nicknames.py"
    migration.write_text(
        _MIGRATION.format(next=NEXT, this=REVISION, works_since=works_since), encoding="utf-8"
    )
    return folder


_MIGRATION = '''
"""Add nicknames, in a copy of the table that nearly all others refer to."""

import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{this}"
branch_labels = None
depends_on = None

works_since = "{works_since}"


def upgrade():
    copied = "always" if op.get_bind().dialect.name == "sqlite" else "never"
    with op.batch_alter_table("user", recreate=copied) as table:
        table.add_column(sa.Column("nickname", sa.Text, nullable=True))
    op.create_table("badge", sa.Column("id", sa.Text, primary_key=True, nullable=False))


def downgrade():
    op.drop_table("badge")
    with op.batch_alter_table("user") as table:
        table.drop_column("nickname")
'''
