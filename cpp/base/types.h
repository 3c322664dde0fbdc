// Fixed-width names.  Only compiler headers: a role's executable has no library beneath it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace alpha {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;

}  // namespace alpha
