"""What the all-reduce benchmark runs in turn: our executables, gloo, Open MPI, the machine's own rates."""
