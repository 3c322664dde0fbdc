// Floating-point numbers of 16 bits: kept narrow, computed with as f32, rounded when they are made.
#pragma once

#include "base/types.h"

namespace alpha {

// f32 cut to its upper half, to nearest, ties to even; a NaN is the canonical one.
class bf16 {
 public:
  bf16() = default;
  constexpr bf16(f32 value) : bits_(rounded(__builtin_bit_cast(u32, value))) {}
  constexpr operator f32() const { return __builtin_bit_cast(f32, static_cast<u32>(bits_) << 16); }

 private:
  static constexpr u16 rounded(u32 bits) {
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
    return static_cast<u16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  u16 bits_;
};

// IEEE binary16, subnormals kept.
class f16 {
 public:
  f16() = default;
  constexpr f16(f32 value) : bits_(rounded(__builtin_bit_cast(u32, value))) {}
  constexpr operator f32() const {
    const u32 sign = (bits_ & 0x8000u) << 16;
    const u32 exponent = (bits_ >> 10) & 0x1fu;
    const u32 fraction = bits_ & 0x3ffu;
    if (exponent == 0x1f) {
      return __builtin_bit_cast(f32, fraction != 0 ? 0x7fc00000u : sign | 0x7f800000u);
    }
    if (exponent != 0) {
      return __builtin_bit_cast(f32, sign | ((exponent + 112) << 23) | (fraction << 13));
    }
    const f32 magnitude = static_cast<f32>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }

 private:
  static constexpr u16 rounded(u32 bits) {
    const u32 sign = (bits >> 16) & 0x8000u;
    const u32 magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7e00;
    if (magnitude >= 0x477ff000u) return static_cast<u16>(sign | 0x7c00u);  // from 65520 on
    if (magnitude < 0x33000000u) return static_cast<u16>(sign);             // below 2^-25
    if (magnitude >= 0x38800000u) {                                         // 2^-14: normal
      const u32 even = (magnitude >> 13) & 1u;
      return static_cast<u16>(sign | ((magnitude - (112u << 23) + 0xfffu + even) >> 13));
    }
    const u32 significand = (magnitude & 0x7fffffu) | 0x800000u;
    const u32 shift = 126u - (magnitude >> 23);
    const u32 kept = significand >> shift;
    const u32 rest = significand & ((1u << shift) - 1u);
    const u32 half = 1u << (shift - 1u);
    const bool up = rest > half || (rest == half && (kept & 1u) != 0);
    return static_cast<u16>(sign | (up ? kept + 1 : kept));
  }
  u16 bits_;
};

}  // namespace alpha
