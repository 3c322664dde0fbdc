// Assertions for our own faults: a false one prints one line on descriptor 2 and traps.
//
// What a peer, a file or a user can cause is never asserted; it is a Failure.
#pragma once

namespace alpha {

// Defined beside the system calls (socket/kernel.cpp), the only code that can print.
[[noreturn]] void assertion_failed(const char* text);

}  // namespace alpha

#define ALPHA_TEXT_OF(value) #value
#define ALPHA_TEXT(value) ALPHA_TEXT_OF(value)
#define ALPHA_ASSERT(condition)                                                            \
  ((condition) ? static_cast<void>(0)                                                      \
               : ::alpha::assertion_failed("alpha-build: assertion failed: " __FILE_NAME__ \
                                           ":" ALPHA_TEXT(__LINE__) ": " #condition "\n"))
