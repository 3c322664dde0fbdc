// Reading the few texts that a state folder holds, see read.h.
#include "state/read.h"

#include "base/memory.h"
#include "base/text.h"

namespace alpha {
namespace {

bool digit_of(char c, u8* value) {
  if (c >= '0' && c <= '9') {
    *value = static_cast<u8>(c - '0');
  } else if (c >= 'a' && c <= 'f') {
    *value = static_cast<u8>(c - 'a' + 10);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool Scanner::skip(const char* text) {
  const u64 count = length(text);
  if (bytes < count || !same_bytes(first, text, count)) return false;
  first += count;
  bytes -= count;
  return true;
}

bool Scanner::skip_past(const char* text) {
  while (bytes != 0) {
    if (skip(text)) return true;
    ++first;
    --bytes;
  }
  return false;
}

bool Scanner::number(u64* value) {
  u64 digits = 0;
  u64 sum = 0;
  while (digits < bytes && first[digits] >= '0' && first[digits] <= '9') {
    if (digits == 18) return false;
    sum = sum * 10 + static_cast<u64>(first[digits] - '0');
    ++digits;
  }
  if (digits == 0 || (digits > 1 && first[0] == '0')) return false;
  first += digits;
  bytes -= digits;
  *value = sum;
  return true;
}

bool Scanner::digest(Digest* value) {
  if (bytes < 2 * sizeof value->byte) return false;
  for (u64 i = 0; i < sizeof value->byte; ++i) {
    u8 high = 0;
    u8 low = 0;
    if (!digit_of(first[2 * i], &high) || !digit_of(first[2 * i + 1], &low)) return false;
    value->byte[i] = static_cast<u8>(high << 4 | low);
  }
  first += 2 * sizeof value->byte;
  bytes -= 2 * sizeof value->byte;
  return true;
}

bool Scanner::ends_with(const char* text) const {
  const u64 count = length(text);
  return bytes >= count && same_bytes(first + bytes - count, text, count);
}

}  // namespace alpha
