"""For every test: no example of a property has a deadline, since the machine may be busy otherwise."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("alpha-build", deadline=None)
hypothesis.settings.load_profile("alpha-build")
