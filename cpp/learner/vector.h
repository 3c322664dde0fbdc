// A vector of f32 as wide as the target's registers, with its fused multiply-add; loads need no
// alignment.
#pragma once

#include "base/types.h"

namespace alpha {

#if defined(__AVX2__)
inline constexpr u64 kVectorLanes = 8;
#else
inline constexpr u64 kVectorLanes = 4;
#endif

using Vector = f32 __attribute__((vector_size(kVectorLanes * 4)));

// Copies, which compilers turn into one unaligned move: an under-aligned vector type is not one to
// all of them.
inline Vector load(const f32* from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
inline void store(f32* to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }

// left * right + sum, rounded once in every lane.
inline Vector multiply_add(Vector left, Vector right, Vector sum) {
#if __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(left, right, sum);
#elif defined(__AVX2__) && defined(__FMA__)
  return __builtin_ia32_vfmaddps256(left, right, sum);
#elif defined(__aarch64__)
  return __builtin_aarch64_fmav4sf(left, right, sum);
#else
  for (u64 lane = 0; lane < kVectorLanes; ++lane) {
    sum[lane] = __builtin_fmaf(left[lane], right[lane], sum[lane]);
  }
  return sum;
#endif
}

template <bool kFused>
inline Vector accumulate(Vector sum, Vector left, Vector right) {
  if constexpr (kFused) {
    return multiply_add(left, right, sum);
  } else {
    return sum + left * right;
  }
}

}  // namespace alpha
