// Sixteen messages at once with AVX-512: one 32-bit lane each, the plain rounds of FIPS 180-4.
//
// A round and the next message word take 28 operations.  A processor that runs two at a time, and
// rotates in half of its units only, is kept busy by the order in which they stand here: rotations
// between the others, those of the words among those of the rounds.  So they are written as
// instructions, which no compiler moves past each other: its own order took a tenth longer.
#pragma once

// g++ 12 takes the "undefined" register of its own intrinsics for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__  // which does not know it
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include "base/types.h"
#include "frame/sha256.h"
#include "frame/sha256_constants.h"

namespace alpha {

namespace {

constexpr u64 kWideLanes = 16;

#define ALPHA_WIDE_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define ALPHA_WIDE_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512vbmi"), always_inline)) inline

using Lanes = __m512i;

ALPHA_WIDE_INLINE Lanes add(Lanes a, Lanes b) {
  Lanes sum;
  asm volatile("vpaddd %2, %1, %0" : "=v"(sum) : "v"(a), "v"(b));
  return sum;
}
ALPHA_WIDE_INLINE Lanes add_to_all(Lanes a, const u32& b) {
  Lanes sum;
  asm volatile("vpaddd %2%{1to16%}, %1, %0" : "=v"(sum) : "v"(a), "m"(b));
  return sum;
}
template <int kBits>
ALPHA_WIDE_INLINE Lanes rotated(Lanes a) {
  Lanes result;
  asm volatile("vprord %2, %1, %0" : "=v"(result) : "v"(a), "i"(kBits));
  return result;
}
template <int kBits>
ALPHA_WIDE_INLINE Lanes shifted(Lanes a) {
  Lanes result;
  asm volatile("vpsrld %2, %1, %0" : "=v"(result) : "v"(a), "i"(kBits));
  return result;
}
// A bitwise function of three, by its truth table.
template <int kTable>
ALPHA_WIDE_INLINE Lanes ternary(Lanes a, Lanes b, Lanes c) {
  asm volatile("vpternlogd %3, %2, %1, %0" : "+v"(a) : "v"(b), "v"(c), "i"(kTable));
  return a;
}
constexpr int kXor = 0x96, kChoose = 0xca, kMajority = 0xe8;

// Round `i` of sixteen with the eight variables where it finds them, so that nothing moves between
// registers; with kWord also the word that takes w[i]'s place sixteen rounds later.
template <bool kWord>
ALPHA_WIDE_INLINE void wide_round(Lanes (&s)[8], Lanes (&w)[16], int i, const u32& constant) {
  const Lanes a = s[(64 - i) % 8], b = s[(65 - i) % 8], c = s[(66 - i) % 8];
  const Lanes e = s[(68 - i) % 8], f = s[(69 - i) % 8], g = s[(70 - i) % 8];
  Lanes &d = s[(67 - i) % 8], &h = s[(71 - i) % 8], &word = w[i];
  const Lanes near = w[(i + 1) % 16], late = w[(i + 14) % 16];
  Lanes near7, near18, near3, late17, late19, late10;

  const Lanes keyed = add_to_all(word, constant);
  const Lanes e6 = rotated<6>(e);
  if constexpr (kWord) near7 = rotated<7>(near);
  h = add(h, keyed);
  const Lanes e11 = rotated<11>(e);
  if constexpr (kWord) near18 = rotated<18>(near);
  const Lanes e25 = rotated<25>(e);
  if constexpr (kWord) near3 = shifted<3>(near);
  const Lanes chosen_bits = ternary<kChoose>(e, f, g);
  const Lanes mixed_e = ternary<kXor>(e6, e11, e25);
  if constexpr (kWord) near7 = ternary<kXor>(near7, near18, near3);
  h = add(h, chosen_bits);
  if constexpr (kWord) word = add(word, w[(i + 9) % 16]);
  h = add(h, mixed_e);
  if constexpr (kWord) word = add(word, near7);
  d = add(d, h);

  const Lanes a2 = rotated<2>(a);
  if constexpr (kWord) late17 = rotated<17>(late);
  const Lanes a13 = rotated<13>(a);
  if constexpr (kWord) late19 = rotated<19>(late);
  const Lanes majority = ternary<kMajority>(a, b, c);
  const Lanes a22 = rotated<22>(a);
  if constexpr (kWord) late10 = shifted<10>(late);
  h = add(h, majority);
  const Lanes mixed_a = ternary<kXor>(a2, a13, a22);
  if constexpr (kWord) late17 = ternary<kXor>(late17, late19, late10);
  h = add(h, mixed_a);
  if constexpr (kWord) word = add(word, late17);
}

// Which bytes of two rows make pairs of their words 4 l + 2 half and the next, in each quarter l,
// each word's bytes in reverse.
struct PairBytes {
  u8 byte[64] = {};
  explicit constexpr PairBytes(int half) {
    for (int i = 0; i < 64; ++i) {
      const int word = i / 16 * 4 + half * 2 + i / 8 % 2, row = i / 4 % 2;
      byte[i] = static_cast<u8>(64 * row + 4 * word + 3 - i % 4);
    }
  }
};
alignas(64) constexpr PairBytes kPairs[2] = {PairBytes(0), PairBytes(1)};

// Of four rows, each a message's block: word 4 l + j of all four stands in quarter l of rows[j].
ALPHA_WIDE_INLINE void exchange_words(Lanes* rows) {
  const Lanes low = _mm512_load_si512(kPairs[0].byte), high = _mm512_load_si512(kPairs[1].byte);
  const Lanes a = _mm512_permutex2var_epi8(rows[0], low, rows[1]);
  const Lanes b = _mm512_permutex2var_epi8(rows[0], high, rows[1]);
  const Lanes c = _mm512_permutex2var_epi8(rows[2], low, rows[3]);
  const Lanes d = _mm512_permutex2var_epi8(rows[2], high, rows[3]);
  rows[0] = _mm512_unpacklo_epi64(a, c);
  rows[1] = _mm512_unpackhi_epi64(a, c);
  rows[2] = _mm512_unpacklo_epi64(b, d);
  rows[3] = _mm512_unpackhi_epi64(b, d);
}

// Of four such fours: word i of all sixteen messages stands in w[i].
ALPHA_WIDE_INLINE void exchange_quarters(Lanes (&w)[16]) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Lanes a = _mm512_shuffle_i32x4(w[i], w[4 + i], 0x88);
    const Lanes b = _mm512_shuffle_i32x4(w[i], w[4 + i], 0xdd);
    const Lanes c = _mm512_shuffle_i32x4(w[8 + i], w[12 + i], 0x88);
    const Lanes d = _mm512_shuffle_i32x4(w[8 + i], w[12 + i], 0xdd);
    w[i] = _mm512_shuffle_i32x4(a, c, 0x88);
    w[4 + i] = _mm512_shuffle_i32x4(b, d, 0x88);
    w[8 + i] = _mm512_shuffle_i32x4(a, c, 0xdd);
    w[12 + i] = _mm512_shuffle_i32x4(b, d, 0xdd);
  }
}

// The last sixteen rounds of a block; each row of the next one takes the place of a word that has
// been used, so that nothing waits for memory.
ALPHA_WIDE_INLINE void last_rounds(Lanes (&s)[8], Lanes (&w)[16], const u8* next, u64 stride) {
#pragma GCC unroll 4
  for (int four = 0; four < 16; four += 4) {
#pragma GCC unroll 4
    for (int i = four; i < four + 4; ++i) {
      wide_round<false>(s, w, i, kRoundConstants[48 + i]);
      w[i] = _mm512_loadu_si512(next + static_cast<u64>(i) * stride);
    }
    exchange_words(w + four);
  }
  exchange_quarters(w);
}

// Digests of sixteen whole messages of `bytes` bytes, a multiple of 64 above 0, one after another;
// `padding` is the block that ends each.
ALPHA_WIDE_TARGET void wide_messages(const u8* first, u64 bytes, const u8* padding,
                                     Digest* digests) {
  Lanes before[8], s[8] = {}, w[16] = {};
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    before[i] = _mm512_set1_epi32(static_cast<int>(kInitialState[i]));
  }
  // The first time, sixteen rounds of no account take the first block's rows in: less code than its
  // own.
  Lanes counted = {};
  const u32* constants = kRoundConstants + 48;
  for (u64 at = 0; at <= bytes + 64; at += 64) {
    const bool more = at < bytes;  // behind the last block, the padding: the same for all
    const u8* const next = more ? first + at : padding;
    const u64 stride = more ? bytes : 0;
    for (; constants < kRoundConstants + 48; constants += 16) {
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) wide_round<true>(s, w, i, constants[i]);
    }
    last_rounds(s, w, next, stride);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      before[i] = s[i] = _mm512_add_epi32(_mm512_and_si512(s[i], counted), before[i]);
    }
    counted = _mm512_set1_epi32(-1);
    constants = kRoundConstants;
  }
  u32 words[8][kWideLanes];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) _mm512_storeu_si512(words[i], s[i]);
  for (u64 m = 0; m < kWideLanes; ++m) {
    u32 state[8];
    for (u64 i = 0; i < 8; ++i) state[i] = words[i][m];
    digests[m] = digest_of(state);
  }
}

#undef ALPHA_WIDE_TARGET
#undef ALPHA_WIDE_INLINE

}  // namespace

}  // namespace alpha

#pragma GCC diagnostic pop
