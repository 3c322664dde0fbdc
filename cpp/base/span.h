// A pointer and a count: what std::span is, without a library.
#pragma once

#include "base/types.h"

namespace alpha {

template <class T>
struct Span {
  T* first = nullptr;
  u64 count = 0;

  constexpr Span() = default;
  constexpr Span(T* first_, u64 count_) : first(first_), count(count_) {}
  template <u64 N>
  constexpr Span(T (&array)[N]) : first(array), count(N) {}
  template <class U>
  constexpr Span(Span<U> other) : first(other.first), count(other.count) {}

  constexpr T* begin() const { return first; }
  constexpr T* end() const { return first + count; }
  constexpr T* data() const { return first; }
  constexpr u64 size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T& operator[](u64 i) const { return first[i]; }
};

}  // namespace alpha
