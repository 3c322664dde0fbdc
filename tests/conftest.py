"""For every test: who runs beside whom; and properties have no deadline, since the machine may be busy."""

from __future__ import annotations

from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("alpha-build", deadline=None)
hypothesis.settings.load_profile("alpha-build")

# Folders whose tests start processes that talk to each other: one after another.
TALKING = {"bind", "build", "cli", "docs", "gates", "role", "run", "socket"}


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Groups for `--dist loadgroup`; a file of others is one, so that its fixtures are made once."""
    tests = Path(__file__).parent
    for item in items:
        path = item.path.relative_to(tests)
        group = "talking" if path.parts[0] in TALKING else str(path)
        item.add_marker(pytest.mark.xdist_group(group))
