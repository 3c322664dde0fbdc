// The one call that a generated role makes.
#pragma once

#include "role/stamp.h"
#include "role/tables.h"

namespace alpha {

// Arguments, admission, establishment, the schedule, the last line.  Returns the exit code of
// docs/endpoint.md.
int run_participant(const Role& role, int argc, char** argv, char** envp);

// The same with a stamp that lies elsewhere than in an executable's own segment.
int run_stamped(const Role& role, const Stamp& stamp, int argc, char** argv,
                const char* executable = "");

}  // namespace alpha
