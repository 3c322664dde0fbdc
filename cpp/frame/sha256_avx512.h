// Sixteen messages at once with AVX-512: one 32-bit lane each, the plain rounds of FIPS 180-4.
#pragma once

// g++ 12 takes the "undefined" register of its own intrinsics for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <immintrin.h>

#include "base/byte_order.h"
#include "base/types.h"
#include "frame/sha256_constants.h"

namespace alpha {

namespace {

constexpr u64 kWideLanes = 16;

#define ALPHA_WIDE_TARGET __attribute__((target("avx512f,avx512bw")))
#define ALPHA_WIDE_INLINE __attribute__((target("avx512f,avx512bw"), always_inline)) inline

// Truth tables of a ternary operation.
constexpr int kXor = 0x96, kChoose = 0xca, kMajority = 0xe8;

ALPHA_WIDE_INLINE __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }

ALPHA_WIDE_INLINE __m512i big_sigma0(__m512i a) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(a, 2), _mm512_ror_epi32(a, 13),
                                   _mm512_ror_epi32(a, 22), kXor);
}
ALPHA_WIDE_INLINE __m512i big_sigma1(__m512i e) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(e, 6), _mm512_ror_epi32(e, 11),
                                   _mm512_ror_epi32(e, 25), kXor);
}
ALPHA_WIDE_INLINE __m512i small_sigma0(__m512i w) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(w, 7), _mm512_ror_epi32(w, 18),
                                   _mm512_srli_epi32(w, 3), kXor);
}
ALPHA_WIDE_INLINE __m512i small_sigma1(__m512i w) {
  return _mm512_ternarylogic_epi32(_mm512_ror_epi32(w, 17), _mm512_ror_epi32(w, 19),
                                   _mm512_srli_epi32(w, 10), kXor);
}

// Row m, the block of message m, becomes column m: word i of every message is in w[i].
ALPHA_WIDE_INLINE void transpose(__m512i* w) {
  __m512i pairs[16], fours[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(w[i], w[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(w[i], w[i + 1]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 4) {
    fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512i a = _mm512_shuffle_i32x4(fours[i], fours[4 + i], 0x88);
    const __m512i b = _mm512_shuffle_i32x4(fours[i], fours[4 + i], 0xdd);
    const __m512i c = _mm512_shuffle_i32x4(fours[8 + i], fours[12 + i], 0x88);
    const __m512i d = _mm512_shuffle_i32x4(fours[8 + i], fours[12 + i], 0xdd);
    w[i] = _mm512_shuffle_i32x4(a, c, 0x88);
    w[4 + i] = _mm512_shuffle_i32x4(b, d, 0x88);
    w[8 + i] = _mm512_shuffle_i32x4(a, c, 0xdd);
    w[12 + i] = _mm512_shuffle_i32x4(b, d, 0xdd);
  }
}

// Round `i` with the eight variables where round `i` finds them: nothing moves between registers.
ALPHA_WIDE_INLINE void wide_round(__m512i* s, int i, __m512i word, u32 constant) {
  const __m512i a = s[(64 - i) % 8], b = s[(65 - i) % 8], c = s[(66 - i) % 8];
  const __m512i e = s[(68 - i) % 8], f = s[(69 - i) % 8], g = s[(70 - i) % 8];
  __m512i& d = s[(67 - i) % 8];
  __m512i& h = s[(71 - i) % 8];
  const __m512i keyed = add(word, _mm512_set1_epi32(static_cast<int>(constant)));
  const __m512i t1 =
      add(add(h, keyed), add(big_sigma1(e), _mm512_ternarylogic_epi32(e, f, g, kChoose)));
  d = add(d, t1);
  h = add(t1, add(big_sigma0(a), _mm512_ternarylogic_epi32(a, b, c, kMajority)));
}

// `count` blocks of sixteen messages; message m's start at first + m * stride.
ALPHA_WIDE_TARGET void wide_blocks(__m512i* state, const u8* first, u64 stride, u64 count) {
  const __m512i big_endian =
      _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
  __m512i s[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) s[i] = state[i];
  for (; count > 0; --count, first += 64) {
    __m512i w[16];
#pragma GCC unroll 16
    for (u64 m = 0; m < 16; ++m) w[m] = _mm512_loadu_si512(first + m * stride);
    transpose(w);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) w[i] = _mm512_shuffle_epi8(w[i], big_endian);
    // The last pass schedules words that nobody uses: that costs less than room for its own code.
    for (const u32* constants = kRoundConstants; constants < kRoundConstants + 64;
         constants += 16) {
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) {
        wide_round(s, i, w[i], constants[i]);
        w[i] = add(add(w[i], small_sigma0(w[(i + 1) % 16])),
                   add(w[(i + 9) % 16], small_sigma1(w[(i + 14) % 16])));
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) state[i] = s[i] = add(s[i], state[i]);
  }
}

// Digests of sixteen whole messages of `bytes` bytes, a multiple of 64, one after another.
ALPHA_WIDE_TARGET void wide_messages(const u8* first, u64 bytes, const u8* padding, u8* digests) {
  __m512i state[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) state[i] = _mm512_set1_epi32(static_cast<int>(kInitialState[i]));
  wide_blocks(state, first, bytes, bytes / 64);
  wide_blocks(state, padding, 0, 1);  // the same for all
  alignas(64) u32 words[8][kWideLanes];
  for (int i = 0; i < 8; ++i) _mm512_store_si512(words[i], state[i]);
  for (u64 m = 0; m < kWideLanes; ++m) {
    for (u64 i = 0; i < 8; ++i) store_big32(digests + 32 * m + 4 * i, words[i][m]);
  }
}

#undef ALPHA_WIDE_TARGET
#undef ALPHA_WIDE_INLINE

}  // namespace

}  // namespace alpha

#pragma GCC diagnostic pop
