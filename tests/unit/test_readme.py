"""The map of the code names every module that there is."""

import ast
import re

from tests.processes import ROOT

PACKAGE = ROOT / "authservice"
MAP = (ROOT / "docs" / "code-map.md").read_text(encoding="utf-8")
_ENTRY = re.compile(r"^( *)- (?:\*\*`(\w+)/`\*\*|`(\w+\.py)`) \S", re.MULTILINE)


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
    for indent, folder, module in _ENTRY.findall(MAP):
        del folders[len(indent) // 4 :]
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
