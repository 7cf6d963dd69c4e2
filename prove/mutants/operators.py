"""How a module is changed: one small thing in each mutant, of the kind that people get wrong."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change, and the line of the original at which it stands."""

    path: str
    line: int
    change: str
    source: str


def mutants(path: str, source: str) -> list[Mutant]:
    """Return all mutants of a module; the same source always gives the same ones."""
    found = []
    for number, (line, before, after) in enumerate(_changes(ast.parse(source))):
        tree = ast.parse(source)
        # The same walk through a tree of its own, up to the same change.
        for other, (_, _, _) in enumerate(_changes(tree, apply=number)):
            if other == number:
                break
        text = ast.unparse(ast.fix_missing_locations(tree))
        found.append(Mutant(path, line, f"{before} -> {after}", text))
    return found


def _changes(tree: ast.Module, apply: int | None = None) -> Iterator[tuple[int, str, str]]:
    """Give every change as line, before and after; the one with the number is made as well."""
    number = -1
    for parent, field, place, node in _places(tree):
        for replacement in _replacements(node):
            number += 1
            before = ast.unparse(node)
            after = "nothing" if isinstance(replacement, ast.Pass) else ast.unparse(replacement)
            if number == apply:
                _put(parent, field, place, replacement)
            yield getattr(node, "lineno", 0), before[:80], after[:80]


def _put(parent: ast.AST, field: str, place: int | None, node: ast.AST) -> None:
    if place is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[place] = node


# Annotations, decorators and the texts for people say nothing that a test should hold.
_LEFT_OUT = {"annotation", "returns", "decorator_list"}


def _places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if field in _LEFT_OUT:
            continue
        several = value if isinstance(value, list) else [value]
        for place, child in enumerate(several):
            if isinstance(child, ast.AST) and not _is_said_only(child):
                yield node, field, place if isinstance(value, list) else None, child
                yield from _places(child)


def _is_said_only(node: ast.AST) -> bool:
    """Tell whether a statement is a docstring, or writes to the log."""
    if not isinstance(node, ast.Expr):
        return False
    return isinstance(node.value, ast.Constant) or ast.unparse(node).startswith("_log.")


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    for kind, replace in _OPERATORS:
        if isinstance(node, kind):
            yield from replace(node)


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    opposite = _OPPOSITES[type(node.ops[0])]()
    yield ast.Compare(node.left, [opposite, *node.ops[1:]], node.comparators)


def _bool_op(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _unary_op(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if isinstance(node.op, ast.Not):
        yield node.operand


def _bin_op(node: ast.BinOp) -> Iterator[ast.AST]:
    other = _ARITHMETIC.get(type(node.op))
    if other is not None:
        yield ast.BinOp(node.left, other(), node.right)


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    match node.value:
        case bool():
            yield ast.Constant(not node.value)
        case int():
            yield ast.Constant(node.value + 1)
        case str() if node.value and " " not in node.value:
            yield ast.Constant(f"{node.value}X")


def _if(node: ast.If) -> Iterator[ast.AST]:
    if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def _return(node: ast.Return) -> Iterator[ast.AST]:
    if node.value is not None and ast.unparse(node.value) != "None":
        yield ast.Return(ast.Constant(None))


def _statement(_node: ast.AST) -> Iterator[ast.AST]:
    yield ast.Pass()


_OPERATORS: tuple[tuple[type[ast.AST], Callable[..., Iterator[ast.AST]]], ...] = (
    (ast.Compare, _compare),
    (ast.BoolOp, _bool_op),
    (ast.UnaryOp, _unary_op),
    (ast.BinOp, _bin_op),
    (ast.Constant, _constant),
    (ast.If, _if),
    (ast.Return, _return),
    (ast.Raise, _statement),
    (ast.Expr, _statement),
)
