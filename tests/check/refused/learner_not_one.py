"""A learner is a Learner."""

import alpha_build as ab

system = ab.System(name="refused", members=3, learner=len)
