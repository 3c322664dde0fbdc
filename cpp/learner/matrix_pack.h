// Panels of a matrix product: one operand's rows in strips beside each other, k after k.
#pragma once

#include "learner/matrix.h"

namespace alpha {

namespace {

// Four lanes: what every target has.
using Four = f32 __attribute__((vector_size(16)));

// Copies, which compilers turn into one unaligned move: an under-aligned vector type is not one to
// all of them.
inline Four load_four(const f32* from) {
  Four value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
inline void store_four(f32* to, Four value) { __builtin_memcpy(to, &value, sizeof value); }

// Four k of four rows: to[k * strip + row] = from[row * stride + k].
inline void pack_square(const f32* from, u64 stride, f32* to, u64 strip) {
  const Four a = load_four(from), b = load_four(from + stride);
  const Four c = load_four(from + 2 * stride), d = load_four(from + 3 * stride);
  const Four ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
  const Four ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  const Four bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
  const Four bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  store_four(to, __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5));
  store_four(to + strip, __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7));
  store_four(to + 2 * strip, __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5));
  store_four(to + 3 * strip, __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7));
}

// panel[k * kStrip + lane] for lanes [first, first + 4) of a strip whose k are neighbours.
template <u64 kStrip>
void pack_along(u64 depth, const f32* from, u64 stride, f32* panel) {
  u64 k = 0;
  for (; k + 4 <= depth; k += 4) pack_square(from + k, stride, panel + k * kStrip, kStrip);
  for (; k < depth; ++k) {
    for (u64 lane = 0; lane < 4; ++lane) panel[k * kStrip + lane] = from[lane * stride + k];
  }
}

// The same for all lanes of a strip that are neighbours, and what follows them in memory for lanes
// past the end, which nobody reads; as many k as have that much behind them.
template <u64 kStrip>
u64 pack_across(u64 lanes, u64 depth, const f32* from, u64 step, f32* panel) {
  const u64 missing = kStrip - lanes;
  const u64 without = missing == 0 ? 0 : step == 0 ? depth : (missing + step - 1) / step;
  const u64 whole = depth > without ? depth - without : 0;
  for (u64 k = 0; k < whole; ++k, from += step, panel += kStrip) {
    __builtin_memcpy(panel, from, kStrip * sizeof(f32));
  }
  return whole;
}

// panel[strip][k][lane]: strips of kStrip rows of `from` beside each other; past its end anything.
template <u64 kStrip>
void pack(u64 rows, u64 depth, Matrix<const f32> from, f32* panel) {
  for (u64 first = 0; first < rows; first += kStrip, panel += depth * kStrip) {
    const u64 lanes = rows - first < kStrip ? rows - first : kStrip;
    const f32* const start = &from(first, 0);
    u64 k = 0;
    u64 lane = 0;
    if (from.row == 1) {
      k = pack_across<kStrip>(lanes, depth, start, from.column, panel);
    } else if (from.column == 1) {
      for (; lane + 4 <= lanes; lane += 4) {
        pack_along<kStrip>(depth, start + lane * from.row, from.row, panel + lane);
      }
    }
    for (; k < depth; ++k) {
      for (u64 i = lane; i < lanes; ++i) panel[k * kStrip + i] = from(first + i, k);
      for (u64 i = lanes; i < kStrip; ++i) panel[k * kStrip + i] = 0;
    }
  }
}

}  // namespace

}  // namespace alpha
