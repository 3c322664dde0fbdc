// What this processor can do, found once at start: it chooses the hash's form and admits kernels.
#pragma once

#include "base/types.h"

namespace alpha {

struct Processor {
  bool sha = false;  // x86-64: SHA-NI with SSSE3 and SSE4.1; AArch64: the SHA2 instructions
  bool v3 =
      false;  // x86-64-v3: AVX, AVX2, BMI1, BMI2, F16C, FMA, LZCNT, MOVBE, and the system saves YMM
  bool avx512 = false;  // F, BW, DQ, VL, and the system saves ZMM
  bool vbmi = false;    // AVX-512 as above, and permutations of bytes
};

// Fills processor().  `hwcap` is AT_HWCAP of the auxiliary vector, which x86-64 does not look at.
// The start code of an executable calls it; a hosted module calls it once when it is loaded.
void detect_processor(u64 hwcap);

const Processor& processor();

// Between two looks at memory that another core writes.
inline void relax_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

}  // namespace alpha
