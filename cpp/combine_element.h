// One element of the ordered combine: what host loops and device kernels share, see combine.h.
#pragma once

#include "base/types.h"

#ifdef __CUDACC__
#define ALPHA_BOTH __host__ __device__
#else
#define ALPHA_BOTH
#endif

namespace alpha {

ALPHA_BOTH inline f32 f32_of_bits(u32 bits) {
  union {
    u32 bits;
    f32 value;
  } both = {bits};
  return both.value;
}

ALPHA_BOTH inline f64 f64_of_bits(u64 bits) {
  union {
    u64 bits;
    f64 value;
  } both = {bits};
  return both.value;
}

ALPHA_BOTH inline u32 bits_of(f32 value) {
  union {
    f32 value;
    u32 bits;
  } both = {value};
  return both.bits;
}

ALPHA_BOTH inline u64 bits_of(f64 value) {
  union {
    f64 value;
    u64 bits;
  } both = {value};
  return both.bits;
}

// x86 generates a NaN with the sign set, Arm and CUDA without; the payload differs too.  On the
// bits: to clang, which says that an operation may give any NaN, a choice by `value == value` is
// `value`.
ALPHA_BOTH inline f32 canonical(f32 value) {
  return (bits_of(value) & 0x7fffffffu) > 0x7f800000u ? f32_of_bits(0x7fc00000) : value;
}
// A mask by addition: SSE2 compares no integers of 64 bits.
ALPHA_BOTH inline f64 canonical(f64 value) {
  const u64 bits = bits_of(value);
  const u64 none = 0u - (((bits & 0x7fffffffffffffffu) + 0x000fffffffffffffu) >> 63);
  return f64_of_bits((none & 0x7ff8000000000000u) | (~none & bits));
}

ALPHA_BOTH inline f32 add(f32 sum, f32 addend) { return canonical(sum + addend); }
ALPHA_BOTH inline f64 add(f64 sum, f64 addend) { return canonical(sum + addend); }
ALPHA_BOTH inline i32 add(i32 sum, i32 addend) {
  return static_cast<i32>(static_cast<u32>(sum) + static_cast<u32>(addend));
}
ALPHA_BOTH inline i64 add(i64 sum, i64 addend) {
  return static_cast<i64>(static_cast<u64>(sum) + static_cast<u64>(addend));
}

struct Bf16 {
  u16 bits;
};
struct F16 {
  u16 bits;
};

ALPHA_BOTH inline f32 widened(Bf16 narrow) {
  return canonical(f32_of_bits(static_cast<u32>(narrow.bits) << 16));
}

// Without a branch, so that loops become vectors: exponent and fraction at f32's places stand for
// the value times 2^-112, subnormals included; infinity and NaN get the exponent that they lack.
ALPHA_BOTH inline f32 widened(F16 narrow) {
  const u32 magnitude = (narrow.bits & 0x7fffu) << 13;
  const u32 sign = (narrow.bits & 0x8000u) << 16;
  const u32 finite_bits = bits_of(f32_of_bits(magnitude) * f32_of_bits(0x77800000));
  const u32 endless = 0u - static_cast<u32>(magnitude >= 0x0f800000u);
  return canonical(f32_of_bits(sign | finite_bits | (endless & 0x7f800000u)));
}

ALPHA_BOTH inline void narrow_to(f32 value, Bf16* narrow) {
  const u32 bits = bits_of(value);
  // To nearest, ties to even: half of the last kept place, one less where that place is even.
  const u32 rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  narrow->bits = static_cast<u16>(value == value ? rounded >> 16 : 0x7fc0u);
}

// Without a branch too.  A subnormal result is a multiple of 2^-24, the last place of 0.5 and what
// follows: adding that rounds to it.
ALPHA_BOTH inline void narrow_to(f32 value, F16* narrow) {
  const u32 bits = bits_of(value);
  const u32 sign = (bits >> 16) & 0x8000u;
  const u32 magnitude = bits & 0x7fffffffu;
  const u32 normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const u32 subnormal = bits_of(f32_of_bits(magnitude) + 0.5f) - bits_of(0.5f);
  const u32 below = 0u - static_cast<u32>(magnitude < 0x38800000u);     // 2^-14
  const u32 endless = 0u - static_cast<u32>(magnitude >= 0x477ff000u);  // 65520, above the largest
  const u32 none = 0u - static_cast<u32>(magnitude > 0x7f800000u);
  const u32 finite_bits = (below & subnormal) | (~below & normal);
  const u32 number = sign | (endless & 0x7c00u) | (~endless & finite_bits);
  narrow->bits = static_cast<u16>((none & 0x7e00u) | (~none & number));
}

// 1 for an infinity or NaN, 0 otherwise: its exponent is all ones, and one more overflows.
ALPHA_BOTH inline u32 nonfinite(f32 value) {
  return ((bits_of(value) & 0x7f800000u) + 0x00800000u) >> 31;
}
ALPHA_BOTH inline u64 nonfinite(f64 value) {
  return ((bits_of(value) & 0x7ff0000000000000u) + 0x0010000000000000u) >> 63;
}

}  // namespace alpha

#undef ALPHA_BOTH
