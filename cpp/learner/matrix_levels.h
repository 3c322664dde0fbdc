// The matrix product once for each instruction set: vectors, their fused multiply-add, how large a
// tile their registers hold.
#pragma once

#include "learner/matrix_pack.h"
#include "learner/pair.h"

#if defined(__x86_64__)
// g++ 12 takes the "undefined" register of its own intrinsics for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__  // which does not know it
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace alpha {

namespace {

// What the tiles of one part of k and one pair of panels have in common.
struct Tile {
  u64 depth;
  u64 left_row;
  u64 left_step;
  u64 right_step;
  bool first_part;
  u64 rows;
  u64 columns;
  Matrix<f32> result;
};

// Element i of a column at data[i * step].
template <class T>
struct Column {
  T* data;
  u64 step;
  T& operator()(u64 i) const { return data[i * step]; }
};

inline u64 least(u64 left, u64 right) { return left < right ? left : right; }
inline u64 padded(u64 columns) { return (columns + kStrip - 1) / kStrip * kStrip; }

// Whether `strips` passes over a left operand are cheaper where it lies: `few` where each pass
// reads a part of a line only; lines of rows a multiple of 1 KiB apart fall into few places of the
// first cache.
inline bool reads_well(Matrix<const f32> left, u64 strips, u64 few) {
  if (left.row == 1) return strips <= few;
  return strips <= 8 && left.column == 1 && left.row % 256 != 0;
}

#if defined(__x86_64__)
namespace avx512 {
#define ALPHA_LEVEL __attribute__((target("avx512f,avx512vl,avx2,fma")))
#define ALPHA_LEVEL_INLINE \
  __attribute__((target("avx512f,avx512vl,avx2,fma"), always_inline)) inline
using Vector = f32 __attribute__((vector_size(64)));
inline constexpr u64 kLanes = 16;
inline constexpr u64 kTileRows = 12;
inline constexpr u64 kTileVectors = 2;
ALPHA_LEVEL_INLINE Vector broadcast(const f32* from) { return _mm512_set1_ps(*from); }
ALPHA_LEVEL_INLINE Vector multiply_add(Vector left, Vector right, Vector sum) {
  return _mm512_fmadd_ps(left, right, sum);
}
#include "learner/matrix_tile.h"
#undef ALPHA_LEVEL
#undef ALPHA_LEVEL_INLINE
}  // namespace avx512

namespace avx2 {
#define ALPHA_LEVEL __attribute__((target("avx2,fma")))
#define ALPHA_LEVEL_INLINE __attribute__((target("avx2,fma"), always_inline)) inline
using Vector = f32 __attribute__((vector_size(32)));
inline constexpr u64 kLanes = 8;
inline constexpr u64 kTileRows = 6;
inline constexpr u64 kTileVectors = 2;
ALPHA_LEVEL_INLINE Vector broadcast(const f32* from) { return _mm256_set1_ps(*from); }
ALPHA_LEVEL_INLINE Vector multiply_add(Vector left, Vector right, Vector sum) {
  return _mm256_fmadd_ps(left, right, sum);
}
// Four elements each from `from` and `from + stride` beside each other.
ALPHA_LEVEL_INLINE Vector load_quarters(const f32* from, u64 stride) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)),
                              _mm_loadu_ps(from + stride), 1);
}
// In each half the lower, or upper, two elements of both by turns.
ALPHA_LEVEL_INLINE Vector interleave_low(Vector left, Vector right) {
  return _mm256_unpacklo_ps(left, right);
}
ALPHA_LEVEL_INLINE Vector interleave_high(Vector left, Vector right) {
  return _mm256_unpackhi_ps(left, right);
}
#include "learner/matrix_column.h"
#undef ALPHA_LEVEL
#undef ALPHA_LEVEL_INLINE
}  // namespace avx2
#endif

#if !defined(__AVX2__) || !defined(__FMA__)
// What every processor of the target has: NEON, or SSE2, where a fused multiply-add is computed in
// software.
namespace baseline {
#define ALPHA_LEVEL
#define ALPHA_LEVEL_INLINE __attribute__((always_inline)) inline
using Vector = Four;
inline constexpr u64 kLanes = 4;
#if defined(__aarch64__)
inline constexpr u64 kTileRows = 8;
#else
inline constexpr u64 kTileRows = 4;
#endif
inline constexpr u64 kTileVectors = 2;
ALPHA_LEVEL_INLINE Vector broadcast(const f32* from) { return Vector{*from, *from, *from, *from}; }
ALPHA_LEVEL_INLINE Vector multiply_add(Vector left, Vector right, Vector sum) {
#if !defined(__aarch64__)
  for (u64 lane = 0; lane < kLanes; ++lane) {
    sum[lane] = fused_multiply_add(left[lane], right[lane], sum[lane]);
  }
  return sum;
#elif __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(left, right, sum);
#else
  return __builtin_aarch64_fmav4sf(left, right, sum);
#endif
}
ALPHA_LEVEL_INLINE Vector load_quarters(const f32* from, u64) { return load_four(from); }
ALPHA_LEVEL_INLINE Vector interleave_low(Vector left, Vector right) {
  return __builtin_shufflevector(left, right, 0, 4, 1, 5);
}
ALPHA_LEVEL_INLINE Vector interleave_high(Vector left, Vector right) {
  return __builtin_shufflevector(left, right, 2, 6, 3, 7);
}
#include "learner/matrix_column.h"
#undef ALPHA_LEVEL
#undef ALPHA_LEVEL_INLINE
}  // namespace baseline
#else
namespace baseline = avx2;
#endif

}  // namespace

}  // namespace alpha
