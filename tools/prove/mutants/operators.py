"""How a module is changed: one small thing in each mutant, of the kind that people get wrong."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

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
    """One change of a module: where it stands, and its number among all of the module.

    ``readers`` are the lines that read what a statement on import defines.
    """

    path: str
    number: int
    line: int
    statement: int
    change: str
    readers: frozenset[int]


def mutants(path: str, source: str) -> list[Mutant]:
    """Return all mutants of a module; the same source always gives the same ones."""
    found = []
    tree = ast.parse(source)
    readers = _readers(tree)
    for number, (place, replacement) in enumerate(_changes(tree)):
        before = ast.unparse(place.node)
        after = "nothing" if isinstance(replacement, ast.Pass) else ast.unparse(replacement)
        change = f"{before[:80]} -> {after[:80]}"
        line = getattr(place.node, "lineno", place.statement)
        reading = readers.get(place.statement, frozenset())
        found.append(Mutant(path, number, line, place.statement, change, reading))
    return found


def _readers(tree: ast.Module) -> dict[int, frozenset[int]]:
    """Return the lines that read what each statement of a module assigns, or what is made of it."""
    defined = {
        node.id: statement.lineno
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    reading: dict[int, set[int]] = {line: set() for line in defined.values()}
    # What is read further down comes first.
    for statement in reversed(tree.body):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in defined:
                lines = reading.get(statement.lineno, {node.lineno})
                reading[defined[node.id]] |= lines
    return {line: frozenset(lines) for line, lines in reading.items()}


def mutated(source: str, number: int) -> ast.Module:
    """Return a module with one of its changes made."""
    tree = ast.parse(source)
    place, replacement = next(islice(_changes(tree), number, None))
    place.put(replacement)
    return ast.fix_missing_locations(tree)


@dataclass(frozen=True, slots=True)
class _Place:
    """A node, where its parent holds it, and the line on which its statement begins."""

    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    statement: int

    def put(self, node: ast.AST) -> None:
        """Put another node there."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def _changes(tree: ast.Module) -> Iterator[tuple[_Place, ast.AST]]:
    for place in _places(tree, 1):
        for replacement in _replacements(place.node):
            yield place, replacement


# Annotations, decorators and the texts for people say nothing that a test should hold.
_LEFT_OUT = {"annotation", "returns", "decorator_list"}


def _places(node: ast.AST, statement: int) -> Iterator[_Place]:
    for field, value in ast.iter_fields(node):
        if field in _LEFT_OUT:
            continue
        several = value if isinstance(value, list) else [value]
        for index, child in enumerate(several):
            if isinstance(child, ast.AST) and not _says_nothing_to_a_test(child):
                line = child.lineno if isinstance(child, ast.stmt) else statement
                yield _Place(child, node, field, index if isinstance(value, list) else None, line)
                yield from _places(child, line)


# What is written to the log, and what an exception is called beside its own attributes.
_SAID = ("_log.", "super().__init__(")


def _says_nothing_to_a_test(node: ast.AST) -> bool:
    """Tell whether a node is a docstring, a type, writes to the log, or is a sentence."""
    if isinstance(node, ast.Subscript):
        return ast.unparse(node.value) == "Literal"
    if isinstance(node, ast.JoinedStr):
        return any(" " in str(each.value) for each in node.values if isinstance(each, ast.Constant))
    if not isinstance(node, ast.Expr):
        return False
    return isinstance(node.value, ast.Constant) or ast.unparse(node).startswith(_SAID)


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
    # None and False are the same to anyone who asks.
    if node.value is not None and not (
        isinstance(node.value, ast.Constant) and node.value.value in {None, False}
    ):
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
