// Reductions in the declared order: chunks of 4,096 elements, 16 lanes in a chunk, chunks met as
// S(l, i).
//
// Lane j of a chunk takes its elements j, j + 16, ... from the identity on; lanes meet by halving
// (8, 4, 2, 1); S(0, i) is chunk i, S(l, i) = S(l-1, 2i) + S(l-1, 2i+1), or S(l-1, 2i) alone where
// the right one is empty.  The same for every axis and target; only the memory walk differs.
#pragma once

#include "learner/elementary.h"

namespace alpha {

inline constexpr u64 kChunk = 4096;
inline constexpr u64 kLanes = 16;
inline constexpr u64 kLevelsMax = 52;  // 2^64 elements / 4096

template <class T>
struct SumOf {
  static constexpr T kIdentity = 0;
  static constexpr T meet(T left, T right) {
    if constexpr (kIsFloat<T>) {
      return left + right;
    } else {
      return wrapping_add(left, right);
    }
  }
};
template <class T>
struct ProductOf {
  static constexpr T kIdentity = 1;
  static constexpr T meet(T left, T right) {
    if constexpr (kIsFloat<T>) {
      return left * right;
    } else {
      return wrapping_multiply(left, right);
    }
  }
};
template <class T>
constexpr T lowest() {
  if constexpr (kIsFloat<T>) {
    return -kInfinity<T>;
  } else {
    return kIsSigned<T> ? static_cast<T>(u64{1} << (sizeof(T) * 8 - 1)) : T{0};
  }
}
template <class T>
constexpr T highest() {
  if constexpr (kIsFloat<T>) {
    return kInfinity<T>;
  } else if constexpr (__is_same(T, bool)) {
    return true;
  } else {
    return static_cast<T>(static_cast<u64>(lowest<T>()) - 1);
  }
}
template <class T>
struct MaximumOf {
  static constexpr T kIdentity = lowest<T>();
  static constexpr T meet(T left, T right) { return maximum(left, right); }
};
template <class T>
struct MinimumOf {
  static constexpr T kIdentity = highest<T>();
  static constexpr T meet(T left, T right) { return minimum(left, right); }
};
template <class T>
struct AndOf {
  static constexpr T kIdentity = true;
  static constexpr T meet(T left, T right) { return left && right; }
};
template <class T>
struct OrOf {
  static constexpr T kIdentity = false;
  static constexpr T meet(T left, T right) { return left || right; }
};

// Chunks in ascending order, met as the rule says: a binary counter of finished nodes.
template <class Of, class T>
class Meeting {
 public:
  constexpr void push(T chunk) {
    u64 level = 0;
    for (; (count_ >> level) & 1; ++level) chunk = Of::meet(nodes_[level], chunk);
    nodes_[level] = chunk;
    ++count_;
  }
  // The top node; the identity for no chunks.
  constexpr T result() const {
    if (count_ == 0) return Of::kIdentity;
    u64 level = static_cast<u64>(__builtin_ctzll(count_));
    T value = nodes_[level];
    for (++level; level < 64 && (count_ >> level) != 0; ++level) {
      if ((count_ >> level) & 1) value = Of::meet(nodes_[level], value);
    }
    return value;
  }

 private:
  T nodes_[kLevelsMax];
  u64 count_ = 0;
};

// element(k) for k in [0, count) to one value.
template <class Of, class T, class Element>
constexpr T reduce(u64 count, const Element& element) {
  Meeting<Of, T> meeting;
  for (u64 start = 0; start < count; start += kChunk) {
    const u64 end = count - start < kChunk ? count : start + kChunk;
    T lanes[kLanes];
    for (T& lane : lanes) lane = Of::kIdentity;
    u64 k = start;
    for (; k + kLanes <= end; k += kLanes) {
      for (u64 j = 0; j < kLanes; ++j) lanes[j] = Of::meet(lanes[j], element(k + j));
    }
    for (u64 j = 0; k + j < end; ++j) lanes[j] = Of::meet(lanes[j], element(k + j));
    for (u64 half = kLanes / 2; half != 0; half /= 2) {
      for (u64 j = 0; j < half; ++j) lanes[j] = Of::meet(lanes[j], lanes[j + half]);
    }
    meeting.push(lanes[0]);
  }
  return meeting.result();
}

// The same for `columns` neighbouring results at once, element(k, column), so that loads are whole.
template <class Of, class T, u64 kWidth, class Result, class Element>
constexpr void reduce_strip(u64 count, Result* results, const Element& element) {
  Meeting<Of, T> meetings[kWidth];
  for (u64 start = 0; start < count; start += kChunk) {
    const u64 end = count - start < kChunk ? count : start + kChunk;
    T lanes[kLanes][kWidth];
    for (auto& lane : lanes) {
      for (T& value : lane) value = Of::kIdentity;
    }
    for (u64 k = start; k < end; ++k) {
      T* const lane = lanes[(k - start) % kLanes];
      for (u64 c = 0; c < kWidth; ++c) lane[c] = Of::meet(lane[c], element(k, c));
    }
    for (u64 half = kLanes / 2; half != 0; half /= 2) {
      for (u64 j = 0; j < half; ++j) {
        for (u64 c = 0; c < kWidth; ++c) lanes[j][c] = Of::meet(lanes[j][c], lanes[j + half][c]);
      }
    }
    for (u64 c = 0; c < kWidth; ++c) meetings[c].push(lanes[0][c]);
  }
  for (u64 c = 0; c < kWidth; ++c) results[c] = meetings[c].result();
}

template <class Of, class T, class Result, class Element>
constexpr void reduce_columns(u64 count, u64 columns, Result* results, const Element& element) {
  constexpr u64 kWidth = 8;
  u64 first = 0;
  for (; first + kWidth <= columns; first += kWidth) {
    reduce_strip<Of, T, kWidth>(count, results + first,
                                [&](u64 k, u64 c) { return element(k, first + c); });
  }
  for (; first < columns; ++first) {
    results[first] = reduce<Of, T>(count, [&](u64 k) { return element(k, first); });
  }
}

#define ALPHA_REDUCTION(name, Of)                                                                  \
  template <class T>                                                                               \
  constexpr T name##_of_one(T value) {                                                             \
    return Of<T>::meet(Of<T>::kIdentity, value);                                                   \
  }                                                                                                \
  template <class T, class Element>                                                                \
  constexpr T name(u64 count, const Element& element) {                                            \
    return reduce<Of<T>, T>(count, element);                                                       \
  }                                                                                                \
  template <class T, class Result, class Element>                                                  \
  constexpr void name##_columns(u64 count, u64 columns, Result* results, const Element& element) { \
    reduce_columns<Of<T>, T>(count, columns, results, element);                                    \
  }
ALPHA_REDUCTION(reduce_sum, SumOf)
ALPHA_REDUCTION(reduce_product, ProductOf)
ALPHA_REDUCTION(reduce_maximum, MaximumOf)
ALPHA_REDUCTION(reduce_minimum, MinimumOf)
ALPHA_REDUCTION(reduce_and, AndOf)
ALPHA_REDUCTION(reduce_or, OrOf)
#undef ALPHA_REDUCTION

// The first NaN, else the first of equals.
template <class T, class Index, class Element>
constexpr Index argument_of_maximum(u64 count, const Element& element) {
  u64 best = 0;
  T value = element(0);
  for (u64 k = 1; k < count && value == value; ++k) {
    const T next = element(k);
    if (next > value || next != next) {
      best = k;
      value = next;
    }
  }
  return static_cast<Index>(best);
}
template <class T, class Index, class Element>
constexpr Index argument_of_minimum(u64 count, const Element& element) {
  u64 best = 0;
  T value = element(0);
  for (u64 k = 1; k < count && value == value; ++k) {
    const T next = element(k);
    if (next < value || next != next) {
      best = k;
      value = next;
    }
  }
  return static_cast<Index>(best);
}

template <class T>
constexpr T step_sum(T left, T right) {
  return SumOf<T>::meet(left, right);
}
template <class T>
constexpr T step_product(T left, T right) {
  return ProductOf<T>::meet(left, right);
}
template <class T>
constexpr T step_maximum(T left, T right) {
  return maximum(left, right);
}
template <class T>
constexpr T step_minimum(T left, T right) {
  return minimum(left, right);
}

// log(exp(left) + exp(right)), far from overflow.
template <class T>
constexpr T step_logsumexp(T left, T right) {
  const T most = maximum(left, right);
  if (!is_finite(most)) return most;
  return most + logarithm_of_one_plus(exponential(minimum(left, right) - most));
}

// results[k * stride] = everything up to k (or from k on, backwards), strictly one after the other.
template <class T, class Result, class Step, class Element>
constexpr void cumulative(u64 count, bool backwards, Result* results, u64 stride, const Step& step,
                          const Element& element) {
  T value{};
  for (u64 i = 0; i < count; ++i) {
    const u64 k = backwards ? count - 1 - i : i;
    const T next = element(k);
    value = i == 0 ? next : step(value, next);
    results[k * stride] = value;
  }
}

}  // namespace alpha
