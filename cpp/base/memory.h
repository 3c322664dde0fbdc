// The four memory functions that compilers call by name; an executable brings its own (memory.cpp),
// a hosted build takes its library's.
#pragma once

#include "base/types.h"

extern "C" {
void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* left, const void* right, size_t bytes);
}

namespace alpha {

inline void copy_bytes(void* to, const void* from, u64 bytes) {
  if (bytes != 0) memcpy(to, from, bytes);
}

inline bool same_bytes(const void* left, const void* right, u64 bytes) {
  return bytes == 0 || memcmp(left, right, bytes) == 0;
}

}  // namespace alpha
