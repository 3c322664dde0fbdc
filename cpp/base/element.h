// Element types of a region, by the number that a frame's header carries.
#pragma once

#include "base/types.h"

namespace alpha {

// g++ 12 takes scoped enumerators for shadows of the types they are named after.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
enum class Element : u32 {
  bytes = 1,
  f32 = 2,
  f64 = 3,
  i32 = 4,
  i64 = 5,
  word = 6,
  bf16 = 7,
  f16 = 8
};
#pragma GCC diagnostic pop

constexpr u64 element_bytes(Element element) {
  switch (element) {
    case Element::bytes:
      return 1;
    case Element::bf16:
    case Element::f16:
      return 2;
    case Element::f32:
    case Element::i32:
      return 4;
    case Element::f64:
    case Element::i64:
    case Element::word:
      return 8;
  }
  return 0;
}

}  // namespace alpha
