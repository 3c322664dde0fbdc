// Fixed-width names.  Only compiler headers: a role's executable has no library beneath it.
#pragma once

#ifndef __CUDACC_RTC__
#include <stddef.h>
#include <stdint.h>
#else  // CUDA's run-time compiler has no headers, on an LP64 machine
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using int32_t = int;
using int64_t = long;
#endif

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
