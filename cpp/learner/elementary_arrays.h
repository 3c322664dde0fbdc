// Elementary functions over whole arrays, in vectors: the bits of elementary.h.
#pragma once

#include "base/types.h"

namespace alpha {

// to[i] = f(from[i]); `to` may be `from`.
void exponential_of(const f32* from, f32* to, u64 count);
void exponential_minus_one_of(const f32* from, f32* to, u64 count);
void logarithm_of(const f32* from, f32* to, u64 count);
void hyperbolic_tangent_of(const f32* from, f32* to, u64 count);
void logistic_of(const f32* from, f32* to, u64 count);

}  // namespace alpha
