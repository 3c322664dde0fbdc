// One message, one line, one write on descriptor 2.
#pragma once

#include "base/types.h"

namespace alpha {

// "alpha-build: role R: TEXT\n".
void print_message(u64 role, const char* text);
// Bytes as they are: a whole line of somebody else's making.
void print_line(const char* line, u64 bytes);

}  // namespace alpha
