// One instruction set's part of the matrix product: tiles that stay in registers for a whole part
// of k, and the loops over packed panels.
//
// Included once in the namespace of each instruction set (matrix_levels.h), which says what Vector,
// kLanes, kTileRows, kTileVectors, broadcast, multiply_add, ALPHA_LEVEL and ALPHA_LEVEL_INLINE are.

inline constexpr u64 kTileColumns = kTileVectors * kLanes;

ALPHA_LEVEL_INLINE Vector load(const f32* from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
ALPHA_LEVEL_INLINE void store(f32* to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }
ALPHA_LEVEL_INLINE void store_column(Column<f32> to, u64 i, Vector value) {
  if (to.step == 1) return store(&to(i), value);
  f32 lanes[kLanes];
  store(lanes, value);
  for (u64 lane = 0; lane < kLanes; ++lane) to(i + lane) = lanes[lane];
}

template <bool kFused>
ALPHA_LEVEL_INLINE Vector accumulate(Vector sum, Vector left, Vector right) {
  if constexpr (kFused) {
    return multiply_add(left, right, sum);
  } else {
    return sum + left * right;
  }
}

// One part of k for a tile of kRows x kVectors vectors; added to +0 on the first part, to the
// result later.  Element (i, k) of the left operand lies at left[i * row + k * step], where in a
// packed one row is 1 and step kTileRows; element (k, j) of the right at right[k * right_step + j].
template <bool kFused, bool kPacked, u64 kRows, u64 kVectors>
ALPHA_LEVEL void multiply_tile(const Tile& tile, u64 i0, u64 j0, const f32* left,
                               const f32* right) {
  constexpr u64 kGroup = kPacked ? kRows : 3;
  constexpr u64 kGroups = (kRows + kGroup - 1) / kGroup;
  const u64 row = kPacked ? 1 : tile.left_row;
  const u64 step = kPacked ? kTileRows : tile.left_step;
  // Three rows a pointer, which an address reaches with the row's stride once and twice.
  const f32* group[kGroups];
#pragma GCC unroll 4
  for (u64 g = 0; g < kGroups; ++g) group[g] = left + kGroup * g * row;
  // What the sums are added to comes while they are made.
  if (tile.depth >= 64) {
#pragma GCC unroll 16
    for (u64 i = 0; i < kRows; ++i) __builtin_prefetch(&tile.result(i0 + i, j0), 1);
  }
  Vector sums[kRows][kVectors] = {};
  for (u64 k = 0; k < tile.depth; ++k) {
    Vector loaded[kVectors];
#pragma GCC unroll 4
    for (u64 v = 0; v < kVectors; ++v) loaded[v] = load(right + v * kLanes);
#pragma GCC unroll 16
    for (u64 i = 0; i < kRows; ++i) {
      const Vector factor = broadcast(group[i / kGroup] + (i % kGroup) * row);
#pragma GCC unroll 4
      for (u64 v = 0; v < kVectors; ++v) {
        sums[i][v] = accumulate<kFused>(sums[i][v], factor, loaded[v]);
      }
    }
#pragma GCC unroll 4
    for (u64 g = 0; g < kGroups; ++g) group[g] += step;
    right += tile.right_step;
  }
  const u64 rows = tile.rows - i0 < kRows ? tile.rows - i0 : kRows;
  const u64 columns = tile.columns - j0 < kVectors * kLanes ? tile.columns - j0 : kVectors * kLanes;
  const Matrix<f32> result = tile.result;
  if (columns == kVectors * kLanes && result.column == 1) {
#pragma GCC unroll 16
    for (u64 i = 0; i < kRows; ++i) {
      if (i == rows) return;
#pragma GCC unroll 4
      for (u64 v = 0; v < kVectors; ++v) {
        f32* const cell = &result(i0 + i, j0 + v * kLanes);
        store(cell, (tile.first_part ? Vector{} : load(cell)) + sums[i][v]);
      }
    }
    return;
  }
  f32 sum[kRows][kVectors * kLanes];
#pragma GCC unroll 16
  for (u64 i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (u64 v = 0; v < kVectors; ++v) store(sum[i] + v * kLanes, sums[i][v]);
  }
  for (u64 i = 0; i < rows; ++i) {
    for (u64 j = 0; j < columns; ++j) {
      f32& cell = result(i0 + i, j0 + j);
      cell = (tile.first_part ? 0.0f : cell) + sum[i][j];
    }
  }
}

// The tile at (i, j) in the smallest form that holds it; `a` and `b` as multiply_tile takes them.
template <bool kFused, bool kPacked>
ALPHA_LEVEL __attribute__((noinline)) void multiply_at(const Tile& tile, u64 i, u64 j, const f32* a,
                                                       const f32* b) {
  const bool few = kPacked && tile.rows - i <= kTileRows / 2;
  const bool narrow = tile.columns - j <= kLanes;
  if (few && narrow) return multiply_tile<kFused, kPacked, kTileRows / 2, 1>(tile, i, j, a, b);
  if (few) return multiply_tile<kFused, kPacked, kTileRows / 2, kTileVectors>(tile, i, j, a, b);
  if (narrow) return multiply_tile<kFused, kPacked, kTileRows, 1>(tile, i, j, a, b);
  multiply_tile<kFused, kPacked, kTileRows, kTileVectors>(tile, i, j, a, b);
}

// One part of k for tile.rows x tile.columns results.  The right operand is packed; `direct` rows
// of the left one are read where they are, those after them from `packed`.
template <bool kFused>
ALPHA_LEVEL void multiply_panels(const Tile& tile, const f32* left, u64 direct, const f32* packed,
                                 const f32* right) {
  for (u64 j = 0; j < tile.columns; j += kTileColumns) {
    const f32* const b = right + j * tile.depth;
    for (u64 i = 0; i < direct; i += kTileRows) {
      multiply_at<kFused, false>(tile, i, j, left + i * tile.left_row, b);
    }
    for (u64 i = direct; i < tile.rows; i += kTileRows) {
      multiply_at<kFused, true>(tile, i, j, packed + (i - direct) * tile.depth, b);
    }
  }
}

// Strips of columns that a row-major right operand gives as they lie, for a left one of few rows.
template <bool kFused>
ALPHA_LEVEL u64 multiply_direct(const Tile& tile, const f32* packed, const f32* right) {
  u64 j = 0;
  for (; j + kTileColumns <= tile.columns; j += kTileColumns) {
    for (u64 i = 0; i < tile.rows; i += kTileRows) {
      multiply_at<kFused, true>(tile, i, j, packed + i * tile.depth, right + j);
    }
  }
  return j;
}

template <bool kFused>
ALPHA_LEVEL void multiply_blocked(u64 m, u64 n, u64 k, Matrix<const f32> left,
                                  Matrix<const f32> right, Matrix<f32> result, f32* workspace) {
  f32* const right_panel = workspace;
  f32* const left_panel = workspace + least(padded(n), kPanelColumns) * least(k, kPart);
  for (u64 first = 0; first < n; first += kPanelColumns) {
    const u64 columns = least(n - first, kPanelColumns);
    for (u64 start = 0; start < k; start += kPart) {
      Tile tile{least(k - start, kPart),
                left.row,
                left.column,
                0,
                start == 0,
                0,
                columns,
                {&result(0, first), result.row, result.column}};
      const Matrix<const f32> b{&right(start, first), right.column, right.row};
      u64 done = 0;
      if (m <= 2 * kTileRows && columns >= kTileColumns && right.column == 1) {
        pack<kTileRows>(m, tile.depth, {&left(0, start), left.row, left.column}, left_panel);
        tile.rows = m;
        tile.right_step = right.row;
        done = multiply_direct<kFused>(tile, left_panel, b.data);
        if (done == columns) continue;
        tile.result.data = &result(0, first + done);
        tile.columns -= done;
      }
      pack<kTileColumns>(tile.columns, tile.depth, {b.data + done * b.row, b.row, b.column},
                         right_panel);
      tile.right_step = kTileColumns;
      for (u64 i = 0; i < m; i += kPanelRows) {
        tile.rows = least(m - i, kPanelRows);
        tile.result.data = &result(i, first + done);
        const f32* const a = &left(i, start);
        // A left operand that few strips read is not worth packing.
        const bool stays = reads_well(left, columns / kTileColumns, kTileRows / 3);
        const u64 direct = stays ? tile.rows - tile.rows % kTileRows : 0;
        pack<kTileRows>(tile.rows - direct, tile.depth,
                        {a + direct * left.row, left.row, left.column}, left_panel);
        multiply_panels<kFused>(tile, a, direct, left_panel, right_panel);
      }
    }
  }
}
