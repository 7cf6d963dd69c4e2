"""The codes of errors: of the session API, of pages, and of OAuth where they are ours."""

import ast
import re
from pathlib import Path

_PACKAGE = Path(__file__).parents[2] / "authservice"

_CALLS_WITH_CODES = {"error_json", "BadBodyError"}
_CALLS_WITH_OAUTH_CODES = {"FatalAuthorizationError", "Refuse", "_refused", "bearer_error_answer"}
_OAUTH_CODE = re.compile(r"[a-z]+(_[a-z]+)+")
_CODE = re.compile(r"(?!HTTP_)[A-Z]{3,}(_[A-Z]+)+|UNAUTHORIZED")


def codes() -> set[str]:
    """Return the codes that the code names."""
    return {
        part.value
        for folder in ("web", "oauth")
        for file in sorted((_PACKAGE / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for part in ast.walk(node)
        if isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and (_is_code_of_page(node, part) or _is_code_of_program(node, part))
    }


def _is_code_of_page(node: ast.AST, part: ast.Constant) -> bool:
    if isinstance(node, ast.Dict):
        of_pages = any(ast.unparse(value).startswith("_Text(") for value in node.values)
        return of_pages and part in node.keys
    return isinstance(node, ast.keyword) and node.arg == "code" and node.value is part


def _is_code_of_program(node: ast.AST, part: ast.Constant) -> bool:
    value = str(part.value)
    if isinstance(node, ast.Tuple):
        return bool(_CODE.fullmatch(value))
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func).rpartition(".")[2]
    if name in _CALLS_WITH_OAUTH_CODES:
        return part in node.args and bool(_OAUTH_CODE.fullmatch(value))
    return name in _CALLS_WITH_CODES and bool(_CODE.fullmatch(value))
