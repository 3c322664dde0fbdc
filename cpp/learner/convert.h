// Conversions between element types, and indices that are only known at run time.
#pragma once

#include "learner/numeric.h"

namespace alpha {

// ---- conversion ---------------------------------------------------------------------------------

template <class To, class From>
constexpr To convert(From value) {
  if constexpr (__is_same(To, bool)) {
    return value != 0;
  } else if constexpr (kIsFloat<To>) {
    if constexpr (kIsFloat<From> && sizeof(To) < sizeof(From)) {
      if (value != value) return kNan<To>;
    }
    return static_cast<To>(value);
  } else if constexpr (kIsFloat<From>) {
    constexpr u64 kBits = sizeof(To) * 8 - (kIsSigned<To> ? 1 : 0);
    constexpr To kHighest = static_cast<To>(~u64{0} >> (64 - kBits));
    constexpr To kLowest = kIsSigned<To> ? static_cast<To>(-kHighest - 1) : To{0};
    constexpr From kEnd = static_cast<From>(u64{1} << (kBits - 1)) * 2;
    if (value != value) return 0;
    if (value >= kEnd) return kHighest;
    if (value <= static_cast<From>(kLowest)) return kLowest;
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class T>
constexpr void copy_values(T* to, const T* from, u64 count) {
  for (u64 i = 0; i < count; ++i) to[i] = from[i];
}

// ---- indices ------------------------------------------------------------------------------------

// A run-time start brought into [0, room].
template <class T>
constexpr u64 clamped_start(T start, u64 room) {
  if constexpr (kIsSigned<T>) {
    if (start < 0) return 0;
  }
  return static_cast<u64>(start) < room ? static_cast<u64>(start) : room;
}

// Where a window reads along an axis that has `low` places of padding in front and `hole - 1` holes
// after each element: past every end where there is no element.
constexpr u64 window_position(u64 walked, i64 low, u64 hole) {
  const i64 place = static_cast<i64>(walked) - low;
  if (place < 0 || static_cast<u64>(place) % hole != 0) return ~u64{0};
  return static_cast<u64>(place) / hole;
}

constexpr bool starts_inside(i64 start, u64 room) {
  return start >= 0 && static_cast<u64>(start) <= room;
}

}  // namespace alpha
