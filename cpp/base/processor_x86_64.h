// What CPUID says, and whether the system saves the registers that it offers.
#pragma once

#include <cpuid.h>

#include "base/processor.h"

namespace alpha {

namespace {

// Registers saved by the system (XCR0): bits 1 and 2 are XMM and YMM, 5 to 7 the mask registers and
// ZMM.
u64 saved_registers() {
  u32 low = 0;
  u32 high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (u64{high} << 32) | low;
}

constexpr bool all_of(u32 word, u32 bits) { return (word & bits) == bits; }

Processor features(u64) {
  Processor found;
  u32 a1 = 0, b1 = 0, c1 = 0, d1 = 0;
  if (__get_cpuid(1, &a1, &b1, &c1, &d1) == 0) return found;
  u32 a = 0, b7 = 0, c7 = 0, d7 = 0;
  __get_cpuid_count(7, 0, &a, &b7, &c7, &d7);
  u32 b8 = 0, c8 = 0, d8 = 0;
  __get_cpuid(0x80000001u, &a, &b8, &c8, &d8);

  found.sha = all_of(b7, 1u << 29) && all_of(c1, (1u << 9) | (1u << 19));  // SSSE3, SSE4.1
  const u64 saved = all_of(c1, 1u << 27) ? saved_registers() : 0;          // OSXSAVE
  const u32 leaf1 = (1u << 12) | (1u << 22) | (1u << 28) | (1u << 29);     // FMA, MOVBE, AVX, F16C
  const u32 leaf7 = (1u << 3) | (1u << 5) | (1u << 8);                     // BMI1, AVX2, BMI2
  found.v3 = (saved & 0x6) == 0x6 && all_of(c1, leaf1) && all_of(b7, leaf7) && all_of(c8, 1u << 5);
  const u32 avx512 = (1u << 16) | (1u << 17) | (1u << 30) | (1u << 31);  // F, DQ, BW, VL
  found.avx512 = found.v3 && (saved & 0xe6) == 0xe6 && all_of(b7, avx512);
  found.vbmi = found.avx512 && all_of(c7, 1u << 1);
  return found;
}

}  // namespace

}  // namespace alpha
