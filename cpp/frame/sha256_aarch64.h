// The compression function with the AArch64 SHA2 instructions: four rounds a step, over several
// independent messages at once, since one alone waits for its own results.
#pragma once

#include <arm_neon.h>

#include "base/types.h"
#include "frame/sha256_constants.h"

namespace alpha {

namespace {

constexpr char kInstructionsName[] = "ARMv8 SHA2";
constexpr int kStreams = 4;  // a round waits four cycles for itself

// g++'s header asks for the whole of crypto; only the SHA2 instructions are used.
#define ALPHA_SHA_TARGET __attribute__((target("+crypto")))
#define ALPHA_SHA_INLINE __attribute__((target("+crypto"), always_inline)) inline

ALPHA_SHA_INLINE void four_rounds(uint32x4_t& abcd, uint32x4_t& efgh, uint32x4_t words, int round) {
  const uint32x4_t sum = vaddq_u32(words, vld1q_u32(kRoundConstants + round));
  const uint32x4_t abcd_before = abcd;
  abcd = vsha256hq_u32(abcd, efgh, sum);
  efgh = vsha256h2q_u32(efgh, abcd_before, sum);
}

// `count` blocks of each of kCount messages; message m's start at first + m * stride, its state at
// state + 8 m.
template <int kCount>
ALPHA_SHA_TARGET void stream_blocks(u32* state, const u8* first, u64 stride, u64 count) {
  uint32x4_t abcd[kCount], efgh[kCount];
#pragma GCC unroll 4
  for (int m = 0; m < kCount; ++m) {
    abcd[m] = vld1q_u32(state + 8 * m);
    efgh[m] = vld1q_u32(state + 8 * m + 4);
  }
  for (; count > 0; --count, first += 64) {
    uint32x4_t abcd_before[kCount], efgh_before[kCount], w[kCount][4];
#pragma GCC unroll 4
    for (int m = 0; m < kCount; ++m) abcd_before[m] = abcd[m], efgh_before[m] = efgh[m];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 4
      for (int m = 0; m < kCount; ++m) {
        const u8* const from = first + static_cast<u64>(m) * stride + 16 * i;
        w[m][i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(from)));
        four_rounds(abcd[m], efgh[m], w[m][i], 4 * i);
      }
    }
    for (int i = 4; i < 16; i += 4) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
#pragma GCC unroll 4
        for (int m = 0; m < kCount; ++m) {
          uint32x4_t* const v = w[m];
          v[j] = vsha256su1q_u32(vsha256su0q_u32(v[j], v[(j + 1) % 4]), v[(j + 2) % 4],
                                 v[(j + 3) % 4]);
          four_rounds(abcd[m], efgh[m], v[j], 4 * (i + j));
        }
      }
    }
#pragma GCC unroll 4
    for (int m = 0; m < kCount; ++m) {
      abcd[m] = vaddq_u32(abcd[m], abcd_before[m]);
      efgh[m] = vaddq_u32(efgh[m], efgh_before[m]);
    }
  }
#pragma GCC unroll 4
  for (int m = 0; m < kCount; ++m) {
    vst1q_u32(state + 8 * m, abcd[m]);
    vst1q_u32(state + 8 * m + 4, efgh[m]);
  }
}

#undef ALPHA_SHA_TARGET
#undef ALPHA_SHA_INLINE

}  // namespace

}  // namespace alpha
