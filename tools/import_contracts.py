"""A rule about imports that import-linter's own contracts cannot say; pyproject.toml names it.

Their wildcards stand for a whole name of a module, and not for a part of one such as ``test_*``.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class TestModulesContract(Contract):
    """Nothing is imported from a test module or a conftest: pytest alone loads them."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: FBT001, ARG002
        """Find each module that imports one of them."""
        broken = [
            f"{importer} -> {imported}"
            for imported in sorted(graph.modules)
            if imported.rpartition(".")[2].startswith(("test_", "conftest"))
            for importer in sorted(graph.find_modules_that_directly_import(imported))
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each import, and where its names belong."""
        for each in check.metadata["broken"]:
            output.print_error(f"{each}: what both use belongs in tests/helpers")
