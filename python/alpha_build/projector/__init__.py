"""From one global system to each role's own program: check, project, emit."""
