// Bodies of the text builder, but for floats (decimal.cpp).
#include "base/text.h"

namespace alpha {

namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

void append_padded(const TextSink& sink, u64 value, u64 digits) {
  char reversed[20];
  u64 count = 0;
  while (count < digits || value != 0) {
    reversed[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  while (count > 0) append(sink, reversed[--count]);
}

}  // namespace

void append(const TextSink& sink, Chars chars) {
  for (u64 i = 0; i < chars.count; ++i) append(sink, chars.first[i]);
}

void append(const TextSink& sink, const char* literal) {
  append(sink, Chars{literal, length(literal)});
}

void append(const TextSink& sink, char character) {
  if (*sink.bytes + 1 >= sink.capacity) return;
  sink.first[(*sink.bytes)++] = character;
  sink.first[*sink.bytes] = 0;
}

void append(const TextSink& sink, u64 value) { append_padded(sink, value, 1); }

void append(const TextSink& sink, i64 value) {
  if (value < 0) append(sink, '-');
  append_padded(sink, value < 0 ? ~static_cast<u64>(value) + 1 : static_cast<u64>(value), 1);
}

void append(const TextSink& sink, Hex hex) {
  for (u64 i = 0; i < hex.count; ++i) {
    append(sink, kHexDigits[hex.bytes[i] >> 4]);
    append(sink, kHexDigits[hex.bytes[i] & 15]);
  }
}

void append(const TextSink& sink, Ipv4 ip) {
  for (u32 shift = 32; shift != 0;) {
    shift -= 8;
    append(sink, (ip.address >> shift) & 255);
    if (shift != 0) append(sink, '.');
  }
}

void append(const TextSink& sink, Endpoint at) {
  append(sink, Ipv4{at.address});
  append(sink, ':');
  append(sink, at.port);
}

void append(const TextSink& sink, Quoted quoted) {
  append(sink, '"');
  for (u64 i = 0; i < quoted.count; ++i) {
    const u8 byte = static_cast<u8>(quoted.first[i]);
    if (byte == '"' || byte == '\\') {
      append(sink, '\\');
      append(sink, quoted.first[i]);
    } else if (byte < 0x20 || byte == 0x7f) {
      append(sink, "\\u00");
      append(sink, Hex{&byte, 1});
    } else {
      append(sink, quoted.first[i]);
    }
  }
  append(sink, '"');
}

void append(const TextSink& sink, Seconds span) {
  append(sink, span.ns / 1000000000u);
  u64 rest = span.ns % 1000000000u;
  if (rest != 0) {
    u64 digits = 9;
    while (rest % 10 == 0) {
      rest /= 10;
      --digits;
    }
    append(sink, '.');
    append_padded(sink, rest, digits);
  }
  append(sink, " s");
}

}  // namespace alpha
