"""For every test: who runs beside whom; and properties have no deadline, since the machine may be busy."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import hypothesis
import pytest

hypothesis.settings.register_profile("alpha-build", deadline=None)
hypothesis.settings.load_profile("alpha-build")

# Folders whose tests start processes that talk to each other: one after another.
TALKING = {"bind", "build", "cli", "docs", "gates", "role", "run", "socket"}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """For `-n`: those that talk are one group, each other file is one, so that its fixtures are made once."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):  # type: ignore[misc, unused-ignore]
        def _split_scope(self, nodeid: str) -> str:
            path = PurePosixPath(nodeid.partition("::")[0])
            return "talking" if TALKING.intersection(path.parts) else str(path)

    return ByGroup(config, log)
