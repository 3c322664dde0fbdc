// The inverse error function of f32, from which JAX draws normal numbers: wrong by less than 2^-44
// of itself before its one rounding.
#pragma once

#include "learner/elementary.h"

namespace alpha {

// erf_inv(x) / x as Chebyshev interpolants, written as polynomials in [-1, 1]: of w = -log(1 - x^2)
// up to 6.5, of its root from there to the last float below 1.
inline constexpr f64 kInverseErrorNear[] = {
    0x1.aeff02cbbb1f1p+0,   0x1.8d0ece1e6ef17p-1,   -0x1.104ffbce86fadp-4,  -0x1.6d5484b303aa0p-6,
    0x1.44f07290fe41cp-6,   -0x1.5effb572e46f2p-8,  -0x1.37780f2da67a7p-10, 0x1.89e56190d8f64p-10,
    -0x1.ae67b4948e67ap-12, -0x1.e38b3715f5d02p-14, 0x1.0a06a4feed7dbp-13,  -0x1.fa216f97ee11bp-16,
    -0x1.9c7e4587019fep-17, 0x1.73f0cc2b7710fp-17,  -0x1.1b85dde19949ep-19, -0x1.85a936e298151p-20,
    0x1.05139d907a3ecp-20,  -0x1.2a1fd708d5cbap-27, -0x1.54cff85e9dac2p-23, 0x1.71e1a54615167p-26,
    0x1.66d021df7f850p-27};
inline constexpr f64 kInverseErrorFar[] = {
    0x1.9accbfabaa3acp+1,   0x1.a93f4549189d6p-1,   0x1.743d079ee3e1bp-9,   -0x1.932f245440944p-10,
    0x1.8e28698a5cd78p-11,  -0x1.b403c1f261af4p-12, 0x1.b6ee1af7e50d9p-13,  -0x1.4b06591ea1af2p-14,
    0x1.03029a6000000p-16,  0x1.ea2bdf8d79439p-19,  -0x1.1dbc48f9435e3p-18, 0x1.a6ccfe1af286dp-20,
    -0x1.4c0746bca1af3p-23, -0x1.21fc21af286c0p-23, 0x1.4d76a1af286bdp-24,  -0x1.142a1af286bcap-26,
    -0x1.8450d79435e4ep-29, 0x1.6000000000000p-29,  -0x1.e6bca1af286bdp-32};

template <u64 kCount>
inline f64 polynomial(const f64 (&coefficients)[kCount], f64 x) {
  f64 value = coefficients[kCount - 1];
  for (u64 i = kCount - 1; i != 0; --i) value = value * x + coefficients[i - 1];
  return value;
}

inline f32 inverse_error_function(f32 x) {
  if (!(absolute(x) <= 1)) return kNan<f32>;
  if (absolute(x) == 1) return with_sign_of(kInfinity<f32>, x);
  if (x == 0) return x;
  constexpr f64 kFarStart = 2.5495097567963922;  // the root of 6.5
  constexpr f64 kFarEnd = 4.2;
  const f64 wide = x;
  const f64 w = -logarithm_quick(1 - wide * wide);
  const f64 ratio =
      w < 6.5 ? polynomial(kInverseErrorNear, w / 3.25 - 1)
              : polynomial(kInverseErrorFar, (square_root(w) - (kFarStart + kFarEnd) / 2) /
                                                 ((kFarEnd - kFarStart) / 2));
  return static_cast<f32>(wide * ratio);
}

}  // namespace alpha
