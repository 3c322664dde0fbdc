// The compression function with the AArch64 SHA2 instructions: four rounds a step.
#pragma once

#include <arm_neon.h>

#include "base/types.h"
#include "frame/sha256_constants.h"

namespace alpha {

namespace {

constexpr char kInstructionsName[] = "ARMv8 SHA2";

// g++'s header asks for the whole of crypto; only the SHA2 instructions are used.
#define ALPHA_SHA_TARGET __attribute__((target("+crypto")))

ALPHA_SHA_TARGET inline void four_rounds(uint32x4_t& abcd, uint32x4_t& efgh, uint32x4_t words,
                                         int round) {
  const uint32x4_t sum = vaddq_u32(words, vld1q_u32(kRoundConstants + round));
  const uint32x4_t abcd_before = abcd;
  abcd = vsha256hq_u32(abcd, efgh, sum);
  efgh = vsha256h2q_u32(efgh, abcd_before, sum);
}

ALPHA_SHA_TARGET void instruction_blocks(u32* state, const u8* first, u64 count) {
  uint32x4_t abcd = vld1q_u32(state);
  uint32x4_t efgh = vld1q_u32(state + 4);
  for (; count > 0; --count, first += 64) {
    const uint32x4_t abcd_before = abcd;
    const uint32x4_t efgh_before = efgh;
    uint32x4_t w[4];
    for (int i = 0; i < 4; ++i) {
      w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(first + 16 * i)));
      four_rounds(abcd, efgh, w[i], 4 * i);
    }
#pragma GCC unroll 12
    for (int i = 4; i < 16; ++i) {
      w[i % 4] = vsha256su1q_u32(vsha256su0q_u32(w[i % 4], w[(i + 1) % 4]), w[(i + 2) % 4],
                                 w[(i + 3) % 4]);
      four_rounds(abcd, efgh, w[i % 4], 4 * i);
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

#undef ALPHA_SHA_TARGET

}  // namespace

}  // namespace alpha
