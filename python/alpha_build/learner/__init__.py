"""A learner from the user's JAX functions to loop programs to C++; only the trace_* modules import JAX."""
