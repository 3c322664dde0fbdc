// The counter-based generator threefry2x32, as JAX's keys use it.
#pragma once

#include "base/types.h"

namespace alpha {

constexpr u32 rotated_left(u32 value, u32 places) {
  return value << places | value >> (32 - places);
}

// Twenty rounds over one counter of two words; the first word of the result is the high one.
constexpr u64 threefry_2x32(u32 key_high, u32 key_low, u32 high, u32 low) {
  constexpr u32 kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const u32 keys[3] = {key_high, key_low, key_high ^ key_low ^ 0x1bd11bdau};
  high += keys[0];
  low += keys[1];
  for (u32 group = 0; group < 5; ++group) {
    for (const u32 places : kRotations[group % 2]) {
      high += low;
      low = rotated_left(low, places) ^ high;
    }
    high += keys[(group + 1) % 3];
    low += keys[(group + 2) % 3] + group + 1;
  }
  return static_cast<u64>(high) << 32 | low;
}

constexpr u32 high_word(u64 words) { return static_cast<u32>(words >> 32); }
constexpr u32 low_word(u64 words) { return static_cast<u32>(words); }

}  // namespace alpha
