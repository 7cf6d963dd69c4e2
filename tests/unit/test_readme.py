"""The README names what there is: modules, settings, recipes, pictures."""

import ast
import re

from authservice.settings.sources import ENVIRONMENT_NAMES, INI_KEYS
from tests.processes import ROOT

PACKAGE = ROOT / "authservice"
README = (ROOT / "README.md").read_text(encoding="utf-8")
_ENTRY = re.compile(r"^( *)- (?:\*\*`(\w+)/`\*\*|`(\w+\.py)`) \S", re.MULTILINE)
SECRETS = {"AUTH_SECRET", "AUTH_SECRET_PREVIOUS", "PROVIDER_CLIENT_SECRET"}


def section(heading):
    """Return what stands between a heading and the next one."""
    return re.split(r"^#+ ", README.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[
        0
    ]


def modules_there():
    """Return every module but the __init__.py of folders, for which the folder's line stands."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    return found | {"__init__.py"}


def modules_in_the_map():
    """Return what the nested list of the map names."""
    folders = []
    found = []
    for indent, folder, module in _ENTRY.findall(section("Map of the code")):
        del folders[len(indent) // 2 :]
        if folder:
            folders.append(folder)
            assert PACKAGE.joinpath(*folders).is_dir(), f"{'/'.join(folders)} is gone"
        else:
            found.append("/".join([*folders, module]))
    return found


def line_for(module):
    """Return the line that the map lacks, in the words of the module itself."""
    text = ast.get_docstring(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))) or ""
    return f"{module}: - `{module.rpartition('/')[2]}` {text.partition(chr(10))[0].rstrip('.')}"


def test_the_map_of_the_code_has_one_line_for_each_module():
    named = modules_in_the_map()

    assert sorted(named) == sorted(set(named))
    missing = sorted(modules_there() - set(named))
    assert missing == [], "\n".join(line_for(module) for module in missing)
    assert sorted(set(named) - modules_there()) == []


def test_the_table_of_settings_has_one_row_for_each():
    rows = [line.split("|") for line in section("Settings").splitlines() if line.startswith("| ")]
    in_the_ini = {row[1].strip(" `"): row[2].strip(" `") for row in rows[1:]}
    environment = {row[2].strip(" `") for row in rows[1:]} - {""}

    assert set(in_the_ini) - {"", "---"} == INI_KEYS
    assert environment == {*ENVIRONMENT_NAMES.values(), *SECRETS}
    assert all(in_the_ini[key] == name for key, name in ENVIRONMENT_NAMES.items())


def test_what_the_readme_links_to_is_there():
    linked = re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", README)
    files = {name for pair in linked for name in pair if name and "://" not in name}

    assert "docs/images/sign-in.png" in files
    assert [name for name in sorted(files) if not (ROOT / name).is_file()] == []
