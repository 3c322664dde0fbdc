// Elementary functions over arrays, and the exact ways that a quick double rarely leaves to them.
#include "learner/elementary_more.h"

namespace alpha {
namespace {

// Every result by the long way, which `settles` otherwise hides.
f32 exponential_long(f32 x) { return rounded(exponential_pair({x, 0})); }
f32 exponential_minus_one_long(f32 x) { return rounded(exponential_minus_one_pair({x, 0})); }
f32 logarithm_long(f32 x) { return rounded(logarithm_pair({x, 0})); }
f32 hyperbolic_tangent_long(f32 x) {
  const Pair part = exponential_minus_one_pair({2 * static_cast<f64>(x), 0});
  return rounded(part / (part + 2.0));
}
f32 logistic_long(f32 x) {
  return rounded(Pair{1, 0} / (exponential_pair({-static_cast<f64>(x), 0}) + 1.0));
}

}  // namespace

#define ALPHA_OVER_ARRAY(name)                                      \
  extern "C" void over_##name(const f32* in, f32* out, u64 count) { \
    for (u64 i = 0; i < count; ++i) out[i] = name(in[i]);           \
  }
ALPHA_OVER_ARRAY(exponential)
ALPHA_OVER_ARRAY(exponential_long)
ALPHA_OVER_ARRAY(exponential_minus_one)
ALPHA_OVER_ARRAY(exponential_minus_one_long)
ALPHA_OVER_ARRAY(logarithm)
ALPHA_OVER_ARRAY(logarithm_long)
ALPHA_OVER_ARRAY(logarithm_of_one_plus)
ALPHA_OVER_ARRAY(hyperbolic_tangent)
ALPHA_OVER_ARRAY(hyperbolic_tangent_long)
ALPHA_OVER_ARRAY(logistic)
ALPHA_OVER_ARRAY(logistic_long)
ALPHA_OVER_ARRAY(square_root)
ALPHA_OVER_ARRAY(reciprocal_square_root)
ALPHA_OVER_ARRAY(sine)
ALPHA_OVER_ARRAY(cosine)
ALPHA_OVER_ARRAY(error_function)

extern "C" void over_power(const f32* base, const f32* exponent, f32* out, u64 count) {
  for (u64 i = 0; i < count; ++i) out[i] = power(base[i], exponent[i]);
}

}  // namespace alpha
