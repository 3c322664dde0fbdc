// What the threads of a grid share out between them: copies, and products of matrices in the
// declared order.
#pragma once

namespace alpha {

template <class T>
ALPHA_DEVICE void canonicalise(const Grid& grid, T* values, u64 count) {
  for (u64 i = grid.first; i < count; i += grid.step) values[i] = canonical(values[i]);
}

template <class T>
ALPHA_DEVICE void copy_values(const Grid& grid, T* to, const T* from, u64 count) {
  for (u64 i = grid.first; i < count; i += grid.step) to[i] = from[i];
}

// A thread an element: neighbours read one row of the right operand together.
template <bool kFused, class T>
ALPHA_DEVICE void multiply_in_order(const Grid& grid, u64 m, u64 n, u64 k, Matrix<const T> left,
                                    Matrix<const T> right, Matrix<T> result, f32*) {
  for (u64 at = grid.first; at < m * n; at += grid.step) {
    result(at / n, at % n) = product_element<kFused, T>(at / n, at % n, k, left, right);
  }
}
template <bool kFused>
ALPHA_DEVICE void multiply(const Grid& grid, u64 m, u64 n, u64 k, Matrix<const f32> left,
                           Matrix<const f32> right, Matrix<f32> result, f32* workspace) {
  multiply_in_order<kFused, f32>(grid, m, n, k, left, right, result, workspace);
}

}  // namespace alpha
