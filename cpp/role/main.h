// The one call that a generated role makes.
#pragma once

#include "role/tables.h"

namespace alpha {

// Arguments, admission, establishment, the schedule, the last line.  Returns the exit code of
// docs/endpoint.md.
int run_participant(const Role& role, int argc, char** argv, char** envp);

}  // namespace alpha
