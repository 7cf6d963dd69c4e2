"""The functions that a mutant changes, put in the place of those that are loaded already.

Whatever a module does when it is imported has been done by then, and is not changed by this.
"""

import ast
import gc
import inspect
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType


def changed(source: str, mutated: ast.Module) -> dict[CodeType, CodeType]:
    """Return the code of each function that a mutant changes, with the code that it is to have.

    A function that stands in another one may have been made already, so it is there too. It is
    empty when the change is outside of them, or they would be bound to other variables.
    """
    before = list(_functions(compile(source, "before", "exec", dont_inherit=True)))
    after = list(_functions(compile(mutated, "after", "exec", dont_inherit=True)))
    if len(before) != len(after):
        return {}
    codes = {old: new for old, new in zip(before, after, strict=True) if old != new}
    return codes if all(old.co_freevars == new.co_freevars for old, new in codes.items()) else {}


def running(codes: Iterable[CodeType]) -> dict[CodeType, list[FunctionType]]:
    """Return the functions of this process that run each of these codes."""
    found: dict[CodeType, list[FunctionType]] = {code: [] for code in codes}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__ in found:
            found[each.__code__].append(each)
    return found


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Give the code of a module's functions and methods, and of those that stand in them."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_flags & inspect.CO_OPTIMIZED:
                yield each
            yield from _functions(each)
