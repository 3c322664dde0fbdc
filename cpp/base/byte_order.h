// Integers of the wire: big-endian, unaligned, and of a type of their own so that none is used
// unconverted.
#pragma once

#include "base/types.h"

namespace alpha {

constexpr u16 load_big16(const u8* from) { return static_cast<u16>((from[0] << 8) | from[1]); }

constexpr u32 load_big32(const u8* from) {
  return (u32{from[0]} << 24) | (u32{from[1]} << 16) | (u32{from[2]} << 8) | u32{from[3]};
}

constexpr u64 load_big64(const u8* from) {
  return (u64{load_big32(from)} << 32) | u64{load_big32(from + 4)};
}

constexpr void store_big16(u8* to, u16 value) {
  to[0] = static_cast<u8>(value >> 8);
  to[1] = static_cast<u8>(value);
}

constexpr void store_big32(u8* to, u32 value) {
  to[0] = static_cast<u8>(value >> 24);
  to[1] = static_cast<u8>(value >> 16);
  to[2] = static_cast<u8>(value >> 8);
  to[3] = static_cast<u8>(value);
}

constexpr void store_big64(u8* to, u64 value) {
  store_big32(to, static_cast<u32>(value >> 32));
  store_big32(to + 4, static_cast<u32>(value));
}

struct Big64 {
  u8 byte[8];
  constexpr u64 get() const { return load_big64(byte); }
  constexpr void set(u64 value) { store_big64(byte, value); }
};

struct Big32 {
  u8 byte[4];
  constexpr u32 get() const { return load_big32(byte); }
  constexpr void set(u32 value) { store_big32(byte, value); }
};

}  // namespace alpha
