// The clock as the kernel maps it into every process: its own code, which reads the time without a
// system call.
#pragma once

#include "base/types.h"

namespace alpha {

// As the system call clock_gettime: 0, or minus an error number.  `time` is a struct timespec.
using ReadClock = int (*)(int clock, void* time);

// Null where none was found, or nobody looked: then there is the system call.
ReadClock mapped_clock();

// Looks for the function `name` in the ELF image that the kernel maps (AT_SYSINFO_EHDR of the
// auxiliary vector); `image` is null where it maps none.
void find_clock(const u8* image, const char* name);

}  // namespace alpha
