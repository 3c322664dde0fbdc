"""A system does something."""

import alpha_build as ab

system = ab.System(name="refused", members=3)
