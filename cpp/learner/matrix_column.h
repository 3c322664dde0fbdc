// One instruction set's part of products of a matrix and a column: bound by memory, so nothing is
// packed; neighbouring rows of the result are the lanes.
//
// Included once in the namespace of each instruction set (matrix_levels.h).
#include "learner/matrix_tile.h"

// kVectors vectors of results from row i on, where neighbouring rows are neighbours in memory.
template <bool kFused, u64 kVectors>
ALPHA_LEVEL void column_across(u64 i, u64 k, Matrix<const f32> left, Column<const f32> right,
                               Column<f32> result) {
  Vector whole[kVectors] = {};
  for (u64 start = 0; start < k; start += kPart) {
    const u64 end = start + least(k - start, kPart);
    Vector part[kVectors] = {};
    const f32* from = &left(i, start);
    for (u64 x = start; x < end; ++x, from += left.column) {
      const Vector factor = broadcast(&right(x));
#pragma GCC unroll 8
      for (u64 v = 0; v < kVectors; ++v) {
        part[v] = accumulate<kFused>(part[v], load(from + v * kLanes), factor);
      }
    }
#pragma GCC unroll 8
    for (u64 v = 0; v < kVectors; ++v) whole[v] += part[v];
  }
#pragma GCC unroll 8
  for (u64 v = 0; v < kVectors; ++v) store_column(result, i + v * kLanes, whole[v]);
}

// One element of each of kLanes rows.
ALPHA_LEVEL __attribute__((noinline)) Vector gather(const f32* from, u64 stride) {
  f32 lanes[kLanes];
  for (f32& lane : lanes) {
    lane = *from;
    from += stride;
  }
  return load(lanes);
}

// Four k of kLanes rows whose k are neighbours: squares[x] is element x of each row.
ALPHA_LEVEL_INLINE void transpose_four(const f32* from, u64 stride, Vector* squares) {
  asm("" : "+r"(from));  // else each row's address is kept apart, on the stack
  const Vector a = load_quarters(from, 4 * stride);
  const Vector b = load_quarters(from + stride, 4 * stride);
  const Vector c = load_quarters(from + 2 * stride, 4 * stride);
  const Vector d = load_quarters(from + 3 * stride, 4 * stride);
  const Vector ac_low = interleave_low(a, c), ac_high = interleave_high(a, c);
  const Vector bd_low = interleave_low(b, d), bd_high = interleave_high(b, d);
  squares[0] = interleave_low(ac_low, bd_low);
  squares[1] = interleave_high(ac_low, bd_low);
  squares[2] = interleave_low(ac_high, bd_high);
  squares[3] = interleave_high(ac_high, bd_high);
}

// The same results where the neighbours are along k.
template <bool kFused, u64 kVectors>
ALPHA_LEVEL void column_along(u64 i, u64 k, Matrix<const f32> left, Column<const f32> right,
                              Column<f32> result) {
  Vector whole[kVectors] = {};
  for (u64 start = 0; start < k; start += kPart) {
    const u64 end = start + least(k - start, kPart);
    Vector part[kVectors] = {};
    u64 x = start;
    for (; x + 4 <= end; x += 4) {
      Vector factors[4];
#pragma GCC unroll 4
      for (u64 y = 0; y < 4; ++y) factors[y] = broadcast(&right(x + y));
#pragma GCC unroll 4
      for (u64 v = 0; v < kVectors; ++v) {
        Vector squares[4];
        transpose_four(&left(i + v * kLanes, x), left.row, squares);
#pragma GCC unroll 4
        for (u64 y = 0; y < 4; ++y) part[v] = accumulate<kFused>(part[v], squares[y], factors[y]);
      }
    }
    for (; x < end; ++x) {
      const Vector factor = broadcast(&right(x));
      for (u64 v = 0; v < kVectors; ++v) {
        const Vector gathered = gather(&left(i + v * kLanes, x), left.row);
        part[v] = accumulate<kFused>(part[v], gathered, factor);
      }
    }
    for (u64 v = 0; v < kVectors; ++v) whole[v] += part[v];
  }
  for (u64 v = 0; v < kVectors; ++v) store_column(result, i + v * kLanes, whole[v]);
}

template <bool kFused, u64 kVectors>
ALPHA_LEVEL __attribute__((noinline)) u64 column_rows(u64 i, u64 m, u64 k, Matrix<const f32> left,
                                                      Column<const f32> right, Column<f32> result) {
  for (; i + kVectors * kLanes <= m; i += kVectors * kLanes) {
    if (left.row == 1) {
      column_across<kFused, kVectors>(i, k, left, right, result);
    } else {
      column_along<kFused, kVectors>(i, k, left, right, result);
    }
  }
  return i;
}

// For at least kLanes rows with neighbours along either side.  The last rows are a whole vector too
// and overlap with those before them, which come out the same twice.
template <bool kFused>
ALPHA_LEVEL void multiply_column(u64 m, u64 k, Matrix<const f32> left, Column<const f32> right,
                                 Column<f32> result) {
  u64 i = left.row == 1 ? column_rows<kFused, 8>(0, m, k, left, right, result) : 0;
  i = column_rows<kFused, 4>(i, m, k, left, right, result);
  i = column_rows<kFused, 1>(i, m, k, left, right, result);
  if (i < m) column_rows<kFused, 1>(m - kLanes, m, k, left, right, result);
}
