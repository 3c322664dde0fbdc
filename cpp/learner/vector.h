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
using UnalignedVector = f32 __attribute__((vector_size(kVectorLanes * 4), aligned(4), may_alias));

inline Vector load(const f32* from) { return *reinterpret_cast<const UnalignedVector*>(from); }
inline void store(f32* to, Vector value) { *reinterpret_cast<UnalignedVector*>(to) = value; }

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
