"""Nesting is bounded."""

import alpha_build as ab

protocol = ab.Skip()
for _ in range(70):
    protocol = ab.Repeat(1, protocol)

system = ab.System(name="refused", members=3, topology=ab.Star(), protocol=protocol)
