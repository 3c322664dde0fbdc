// A line of text built in place: a bounded buffer that numbers, digests and addresses are added to.
//
// What does not fit is cut off; the text always ends with a zero byte that size() does not count.
#pragma once

#include "base/span.h"
#include "base/types.h"

namespace alpha {

// Bytes as lower-case hexadecimal digits.
struct Hex {
  const u8* bytes;
  u64 count;
};

// An IPv4 address in host order, alone or with a port.
struct Ipv4 {
  u32 address;
};
struct Endpoint {
  u32 address;
  u16 port;
};

// A JSON string: quotes around it, control characters, quotes and backslashes escaped.
struct Quoted {
  const char* first;
  u64 count;
};

// Characters that need no terminating zero.
struct Chars {
  const char* first;
  u64 count;
};

// Where characters go; what Text<N> hands to the functions below, so that they exist once.
struct TextSink {
  char* first;
  u64 capacity;  // the terminating zero included
  u64* bytes;
};

void append(const TextSink&, Chars);
void append(const TextSink&, const char* literal);
void append(const TextSink&, char);
void append(const TextSink&, u64);
void append(const TextSink&, i64);
void append(const TextSink&, Hex);
void append(const TextSink&, Ipv4);
void append(const TextSink&, Endpoint);
void append(const TextSink&, Quoted);
void append(const TextSink&, f32);  // 9 significant digits, as C's %.9g
void append(const TextSink&, f64);  // 17 significant digits, as C's %.17g
inline void append(const TextSink& sink, u32 value) { append(sink, u64{value}); }
inline void append(const TextSink& sink, u16 value) { append(sink, u64{value}); }
inline void append(const TextSink& sink, i32 value) { append(sink, i64{value}); }

template <u64 N>
class Text {
 public:
  // text.add("edge ", sender, "->", receiver)
  template <class... Parts>
  constexpr Text& add(const Parts&... parts) {
    const TextSink to = sink();
    (append(to, parts), ...);
    return *this;
  }

  constexpr const char* c_str() const { return first_; }
  constexpr u64 size() const { return bytes_; }
  constexpr bool empty() const { return bytes_ == 0; }
  constexpr void clear() {
    bytes_ = 0;
    first_[0] = 0;
  }
  constexpr TextSink sink() { return {first_, N, &bytes_}; }

 private:
  char first_[N] = {};
  u64 bytes_ = 0;
};

// Length of a string that ends with a zero byte.
constexpr u64 length(const char* text) {
  u64 count = 0;
  while (text[count] != 0) ++count;
  return count;
}

// Seconds of a span in nanoseconds, for a budget's message: "30 s", "0.25 s".
struct Seconds {
  u64 ns;
};
void append(const TextSink&, Seconds);

}  // namespace alpha
