// memcpy, memmove, memset and memcmp of a freestanding executable.  Never part of a hosted build.
//
// Compilers recognise these very loops and would replace them by calls to themselves: the empty asm
// keeps each pass apart.
#include "base/memory.h"

namespace {

using alpha::u64;
using alpha::u8;

// Sixteen and eight bytes at any address, of any type.
typedef u64 Wide __attribute__((vector_size(16), aligned(1), may_alias));
typedef u64 Word __attribute__((aligned(1), may_alias));

inline void keep_apart() { asm volatile("" ::: "memory"); }

void copy_up(u8* to, const u8* from, u64 bytes) {
  for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
    const Wide a = *reinterpret_cast<const Wide*>(from);
    const Wide b = *reinterpret_cast<const Wide*>(from + 16);
    const Wide c = *reinterpret_cast<const Wide*>(from + 32);
    const Wide d = *reinterpret_cast<const Wide*>(from + 48);
    *reinterpret_cast<Wide*>(to) = a;
    *reinterpret_cast<Wide*>(to + 16) = b;
    *reinterpret_cast<Wide*>(to + 32) = c;
    *reinterpret_cast<Wide*>(to + 48) = d;
    keep_apart();
  }
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
    *reinterpret_cast<Word*>(to) = *reinterpret_cast<const Word*>(from);
    keep_apart();
  }
  for (; bytes > 0; --bytes) {
    *to++ = *from++;
    keep_apart();
  }
}

void copy_down(u8* to, const u8* from, u64 bytes) {
  for (; bytes >= 8; bytes -= 8) {
    *reinterpret_cast<Word*>(to + bytes - 8) = *reinterpret_cast<const Word*>(from + bytes - 8);
    keep_apart();
  }
  for (; bytes > 0; --bytes) {
    to[bytes - 1] = from[bytes - 1];
    keep_apart();
  }
}

}  // namespace

extern "C" {

__attribute__((used)) void* memcpy(void* to, const void* from, size_t bytes) {
  copy_up(static_cast<u8*>(to), static_cast<const u8*>(from), bytes);
  return to;
}

__attribute__((used)) void* memmove(void* to, const void* from, size_t bytes) {
  u8* into = static_cast<u8*>(to);
  const u8* out_of = static_cast<const u8*>(from);
  if (into > out_of && into < out_of + bytes) {
    copy_down(into, out_of, bytes);
  } else {
    copy_up(into, out_of, bytes);
  }
  return to;
}

__attribute__((used)) void* memset(void* to, int value, size_t bytes) {
  u8* into = static_cast<u8*>(to);
  const u64 pattern = u64{static_cast<u8>(value)} * 0x0101010101010101u;
  const Wide wide = {pattern, pattern};
  for (; bytes >= 32; bytes -= 32, into += 32) {
    *reinterpret_cast<Wide*>(into) = wide;
    *reinterpret_cast<Wide*>(into + 16) = wide;
    keep_apart();
  }
  for (; bytes > 0; --bytes) {
    *into++ = static_cast<u8>(value);
    keep_apart();
  }
  return to;
}

__attribute__((used)) int memcmp(const void* left, const void* right, size_t bytes) {
  const u8* a = static_cast<const u8*>(left);
  const u8* b = static_cast<const u8*>(right);
  for (; bytes >= 8; bytes -= 8, a += 8, b += 8) {
    if (*reinterpret_cast<const Word*>(a) != *reinterpret_cast<const Word*>(b)) break;
  }
  for (; bytes > 0; --bytes, ++a, ++b) {
    if (*a != *b) return *a < *b ? -1 : 1;
  }
  return 0;
}

}  // extern "C"
