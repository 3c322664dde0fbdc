// Reading the few texts that a state folder holds, which are all of our own writing.
#pragma once

#include "frame/sha256.h"

namespace alpha {

// A place in a text; each function moves it forward, or returns false.
struct Scanner {
  const char* first;
  u64 bytes;

  bool skip(const char* text);       // what stands here
  bool skip_past(const char* text);  // up to and past the next one
  bool number(u64* value);           // decimal, no sign, no leading zero
  bool digest(Digest* value);        // 64 lower-case hexadecimal digits
  bool ends_with(const char* text) const;
};

}  // namespace alpha
