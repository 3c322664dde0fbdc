// Bytes written as a string literal, so that a generated file shows them as a person reads them.
#pragma once

#include "base/types.h"

namespace alpha {

// `constexpr Bytes kHeader("\001\002...");`: the literal without its final zero.
template <u64 N>
struct Bytes {
  u8 data[N - 1] = {};

  consteval explicit Bytes(const char (&text)[N]) {
    for (u64 i = 0; i + 1 < N; ++i) data[i] = static_cast<u8>(text[i]);
  }
};

}  // namespace alpha
