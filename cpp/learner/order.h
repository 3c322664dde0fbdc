// Stable ordering of a line of elements: numbers ascending, -0 equal to +0, NaN last.
#pragma once

#include "learner/numeric.h"

namespace alpha {

template <class T>
constexpr bool sorts_before(T left, T right) {
  return left < right || (left == left && right != right);
}

// The same with -0 before +0.
template <class T>
constexpr bool ranks_before(T left, T right) {
  if constexpr (kIsFloat<T>) {
    if (left == 0 && right == 0) {
      return (bit_cast<typename Bits<T>::Type>(left) & ~kMagnitude<typename Bits<T>::Type>) >
             (bit_cast<typename Bits<T>::Type>(right) & ~kMagnitude<typename Bits<T>::Type>);
    }
  }
  return sorts_before(left, right);
}

// order[0, count) becomes the indices 0, 1, ... in ascending order by `before(left, right)`, equals
// in index order; merged bottom up, `spare` as long as `order`.
template <class Before>
constexpr void sort_order(u32* order, u32* spare, u64 count, const Before& before) {
  for (u64 i = 0; i < count; ++i) order[i] = static_cast<u32>(i);
  for (u64 width = 1; width < count; width *= 2) {
    for (u64 start = 0; start < count; start += 2 * width) {
      const u64 middle = count - start < width ? count : start + width;
      const u64 end = count - middle < width ? count : middle + width;
      u64 left = start;
      u64 right = middle;
      for (u64 to = start; to < end; ++to) {
        const bool takes_right =
            left == middle || (right != end && before(order[right], order[left]));
        spare[to] = takes_right ? order[right++] : order[left++];
      }
    }
    for (u64 i = 0; i < count; ++i) order[i] = spare[i];
  }
}

}  // namespace alpha
