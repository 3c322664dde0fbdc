// Matrix products in the declared order: k cut every 256, each part from +0 in ascending k, parts
// added in order.
#pragma once

#include "learner/numeric.h"

namespace alpha {

// Element (i, j) of a matrix at data[i * row + j * column].
template <class T>
struct Matrix {
  T* data;
  u64 row;
  u64 column;
  constexpr T& operator()(u64 i, u64 j) const { return data[i * row + j * column]; }
};

inline constexpr u64 kPart = 256;
// Panels of packed operands: at most so many columns of the right one and rows of the left one.
// Strips of every instruction set divide kStrip columns and kPanelRows.
inline constexpr u64 kPanelColumns = 1024;
inline constexpr u64 kPanelRows = 240;
inline constexpr u64 kStrip = 96;

// result (m x n) = left (m x k) times right (k x n), blocked, by the widest instructions that the
// processor has.  The workspace holds min(k, 256) of min(n, kPanelColumns) columns and
// min(m, kPanelRows) rows, n and m rounded up to kStrip, or of m columns and n rows if that is
// more.
template <bool kFused>
void multiply(u64 m, u64 n, u64 k, Matrix<const f32> left, Matrix<const f32> right,
              Matrix<f32> result, f32* workspace);

extern template void multiply<false>(u64, u64, u64, Matrix<const f32>, Matrix<const f32>,
                                     Matrix<f32>, f32*);
extern template void multiply<true>(u64, u64, u64, Matrix<const f32>, Matrix<const f32>,
                                    Matrix<f32>, f32*);

// left * right + sum, rounded once.
template <class T>
constexpr T multiply_add(T left, T right, T sum) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_fma(left, right, sum);
  } else {
    return __builtin_fmaf(left, right, sum);
  }
}

// Element (i, j) of left times right, in the declared order.
template <bool kFused, class T>
constexpr T product_element(u64 i, u64 j, u64 k, Matrix<const T> left, Matrix<const T> right) {
  T whole = 0;
  for (u64 start = 0; start < k; start += kPart) {
    const u64 end = k - start < kPart ? k : start + kPart;
    T part = 0;
    for (u64 x = start; x < end; ++x) {
      if constexpr (!kIsFloat<T>) {
        part = wrapping_add(part, wrapping_multiply(left(i, x), right(x, j)));
      } else if constexpr (kFused) {
        part = multiply_add<T>(left(i, x), right(x, j), part);
      } else {
        part += left(i, x) * right(x, j);
      }
    }
    if constexpr (kIsFloat<T>) {
      whole += part;
    } else {
      whole = wrapping_add(whole, part);
    }
  }
  return whole;
}

// The same order, element by element, for f64 and integers.
template <bool kFused, class T>
constexpr void multiply_in_order(u64 m, u64 n, u64 k, Matrix<const T> left, Matrix<const T> right,
                                 Matrix<T> result, f32*) {
  for (u64 i = 0; i < m; ++i) {
    for (u64 j = 0; j < n; ++j) result(i, j) = product_element<kFused, T>(i, j, k, left, right);
  }
}

}  // namespace alpha
