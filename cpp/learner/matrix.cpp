// Which instruction set a product of two f32 matrices is computed with.
#include "learner/matrix.h"

#include "base/processor.h"
#include "learner/matrix_levels.h"

namespace alpha {

namespace {

// Fewer columns than lanes that are worth it.
constexpr u64 kShort = 8;

// Whether one row times the right operand is a column's product, with neighbours along a side.
bool is_column(u64 m, u64 n, Matrix<const f32> right, u64 lanes) {
  return m == 1 && n >= lanes && (right.column == 1 || right.row == 1);
}

}  // namespace

template <bool kFused>
void multiply(u64 m, u64 n, u64 k, Matrix<const f32> left, Matrix<const f32> right,
              Matrix<f32> result, f32* workspace) {
  if ((n < m && n < kShort) || (m >= kShort && result.row == 1 && result.column != 1)) {
    // The long side across the lanes, or the one whose results are neighbours: products commute, so
    // the bits are the same.
    return alpha::multiply<kFused>(n, m, k, {right.data, right.column, right.row},
                                   {left.data, left.column, left.row},
                                   {result.data, result.column, result.row}, workspace);
  }
  if (k == 0) {
    for (u64 i = 0; i < m * n; ++i) result(i / n, i % n) = 0;
    return;
  }
#if defined(__x86_64__)
  const Processor& has = processor();
  const bool wide = n > avx2::kLanes;  // else half of a longer vector would be idle
  if (has.v3 && is_column(m, n, right, avx2::kLanes)) {  // memory is the bound: no wider form
    return avx2::multiply_column<kFused>(n, k, {right.data, right.column, right.row},
                                         {left.data, left.column}, {result.data, result.column});
  }
  if (has.avx512 && wide) {
    return avx512::multiply_blocked<kFused>(m, n, k, left, right, result, workspace);
  }
  if (has.v3) return avx2::multiply_blocked<kFused>(m, n, k, left, right, result, workspace);
#endif
  if (is_column(m, n, right, baseline::kLanes)) {
    return baseline::multiply_column<kFused>(n, k, {right.data, right.column, right.row},
                                             {left.data, left.column},
                                             {result.data, result.column});
  }
  baseline::multiply_blocked<kFused>(m, n, k, left, right, result, workspace);
}

template void multiply<false>(u64, u64, u64, Matrix<const f32>, Matrix<const f32>, Matrix<f32>,
                              f32*);
template void multiply<true>(u64, u64, u64, Matrix<const f32>, Matrix<const f32>, Matrix<f32>,
                             f32*);

}  // namespace alpha
