// The compression function with SHA-NI: four rounds a step, the state kept as the two halves ABEF
// and CDGH.
#pragma once

#include <immintrin.h>

#include "base/types.h"
#include "frame/sha256_constants.h"

namespace alpha {

namespace {

constexpr char kInstructionsName[] = "SHA-NI";

#define ALPHA_SHA_TARGET __attribute__((target("sha,ssse3,sse4.1")))

// W[i .. i+3] from the sixteen words before them.
ALPHA_SHA_TARGET inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3) {
  const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
  return _mm_sha256msg2_epu32(sum, w3);
}

ALPHA_SHA_TARGET inline void four_rounds(__m128i& abef, __m128i& cdgh, __m128i words, int round) {
  const __m128i constants =
      _mm_load_si128(reinterpret_cast<const __m128i*>(kRoundConstants + round));
  const __m128i sum = _mm_add_epi32(words, constants);
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

ALPHA_SHA_TARGET void instruction_blocks(u32* state, const u8* first, u64 count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<__m128i*>(state)), 0xb1);
  const __m128i hgfe =
      _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<__m128i*>(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);

  for (; count > 0; --count, first += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; ++i) {
      const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first + 16 * i));
      w[i] = _mm_shuffle_epi8(raw, big_endian);
      four_rounds(abef, cdgh, w[i], 4 * i);
    }
#pragma GCC unroll 12
    for (int i = 4; i < 16; ++i) {
      w[i % 4] = next_words(w[i % 4], w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]);
      four_rounds(abef, cdgh, w[i % 4], 4 * i);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#undef ALPHA_SHA_TARGET

}  // namespace

}  // namespace alpha
