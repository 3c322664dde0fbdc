// The blocked matrix product of f32.
//
// Blocking never touches the declared order, since every element of the result has a chain of its
// own: panels of both operands are packed for one part of k at a time, and a tile of the result
// stays in registers for a whole part.
#include "learner/matrix.h"

#include "learner/vector.h"

namespace alpha {
namespace {

constexpr u64 kTileRows = 6;
constexpr u64 kTileColumns = 16;

// panel[strip][k][lane]: strips of kStrip rows of `from` beside each other, zero past its end.
template <u64 kStrip>
void pack(u64 rows, u64 depth, Matrix<const f32> from, f32* panel) {
  for (u64 first = 0; first < rows; first += kStrip) {
    const u64 lanes = rows - first < kStrip ? rows - first : kStrip;
    if (lanes == kStrip && from.row == 1) {
      for (u64 k = 0; k < depth; ++k) {
        __builtin_memcpy(panel + k * kStrip, &from(first, k), kStrip * sizeof(f32));
      }
      panel += depth * kStrip;
      continue;
    }
    for (u64 k = 0; k < depth; ++k) {
      for (u64 lane = 0; lane < lanes; ++lane) panel[k * kStrip + lane] = from(first + lane, k);
      for (u64 lane = lanes; lane < kStrip; ++lane) panel[k * kStrip + lane] = 0;
    }
    panel += depth * kStrip;
  }
}

// One part of k for a tile of kRows x 16 results; added to +0 on the first part, to the result
// later.
template <bool kFused, u64 kRows>
void multiply_tile(u64 depth, const f32* left, const f32* right, bool first_part, u64 rows,
                   u64 columns, Matrix<f32> result) {
  constexpr u64 kVectors = kTileColumns / kVectorLanes;
  Vector sums[kRows][kVectors] = {};
  for (u64 k = 0; k < depth; ++k) {
    Vector loaded[kVectors];
#pragma GCC unroll 4
    for (u64 v = 0; v < kVectors; ++v) loaded[v] = load(right + v * kVectorLanes);
#pragma GCC unroll 6
    for (u64 i = 0; i < kRows; ++i) {
      const Vector factor = left[i] - Vector{};  // x - (+0) is x, -0 included
#pragma GCC unroll 4
      for (u64 v = 0; v < kVectors; ++v) {
        sums[i][v] = accumulate<kFused>(sums[i][v], factor, loaded[v]);
      }
    }
    left += kTileRows;
    right += kTileColumns;
  }
  if (rows == kRows && columns == kTileColumns && result.column == 1) {
#pragma GCC unroll 6
    for (u64 i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (u64 v = 0; v < kVectors; ++v) {
        f32* const cell = &result(i, v * kVectorLanes);
        store(cell, (first_part ? Vector{} : load(cell)) + sums[i][v]);
      }
    }
    return;
  }
  f32 tile[kRows][kTileColumns];
#pragma GCC unroll 6
  for (u64 i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (u64 v = 0; v < kVectors; ++v) store(tile[i] + v * kVectorLanes, sums[i][v]);
  }
  for (u64 i = 0; i < rows; ++i) {
    for (u64 j = 0; j < columns; ++j) {
      f32& cell = result(i, j);
      cell = (first_part ? 0.0f : cell) + tile[i][j];
    }
  }
}

template <bool kFused>
void multiply_panels(u64 m, u64 n, u64 depth, const f32* left, const f32* right, bool first_part,
                     Matrix<f32> result) {
  for (u64 j = 0; j < n; j += kTileColumns) {
    const u64 columns = n - j < kTileColumns ? n - j : kTileColumns;
    for (u64 i = 0; i < m; i += kTileRows) {
      const u64 rows = m - i < kTileRows ? m - i : kTileRows;
      const Matrix<f32> tile{&result(i, j), result.row, result.column};
      const f32* const a = left + i * depth;
      const f32* const b = right + j * depth;
      if (rows == 1) {
        multiply_tile<kFused, 1>(depth, a, b, first_part, rows, columns, tile);
      } else {
        multiply_tile<kFused, kTileRows>(depth, a, b, first_part, rows, columns, tile);
      }
    }
  }
}

}  // namespace

template <bool kFused>
void multiply(u64 m, u64 n, u64 k, Matrix<const f32> left, Matrix<const f32> right,
              Matrix<f32> result, f32* workspace) {
  if (n < m && n < kTileColumns) {
    // The long side across the lanes: products commute, so the bits are the same.
    return multiply<kFused>(n, m, k, {right.data, right.column, right.row},
                            {left.data, left.column, left.row},
                            {result.data, result.column, result.row}, workspace);
  }
  if (k == 0) {
    for (u64 i = 0; i < m * n; ++i) result(i / n, i % n) = 0;
  }
  f32* const left_panel = workspace;
  f32* const right_panel = workspace + kPanelRows * kPart;
  for (u64 start = 0; start < k; start += kPart) {
    const u64 depth = k - start < kPart ? k - start : kPart;
    for (u64 j = 0; j < n; j += kPanelColumns) {
      const u64 columns = n - j < kPanelColumns ? n - j : kPanelColumns;
      pack<kTileColumns>(columns, depth, {&right(start, j), right.column, right.row}, right_panel);
      for (u64 i = 0; i < m; i += kPanelRows) {
        const u64 rows = m - i < kPanelRows ? m - i : kPanelRows;
        pack<kTileRows>(rows, depth, {&left(i, start), left.row, left.column}, left_panel);
        multiply_panels<kFused>(rows, columns, depth, left_panel, right_panel, start == 0,
                                {&result(i, j), result.row, result.column});
      }
    }
  }
}

template void multiply<false>(u64, u64, u64, Matrix<const f32>, Matrix<const f32>, Matrix<f32>,
                              f32*);
template void multiply<true>(u64, u64, u64, Matrix<const f32>, Matrix<const f32>, Matrix<f32>,
                             f32*);

}  // namespace alpha
