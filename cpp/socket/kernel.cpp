// What is built on single system calls: whole reads and writes, the clock, error words, the
// assertion's line.
#include "socket/kernel.h"

#include "base/assert.h"
#include "base/text.h"

namespace alpha {

namespace kernel {

namespace {

struct ErrorWords {
  u8 number;
  const char* words;
};

constexpr ErrorWords kErrors[] = {
    {1, "operation not permitted"},
    {2, "no such file or folder"},
    {4, "interrupted"},
    {5, "input or output error"},
    {9, "bad descriptor"},
    {11, "try again"},
    {12, "out of memory"},
    {13, "permission denied"},
    {16, "busy"},
    {17, "exists already"},
    {20, "not a folder"},
    {21, "is a folder"},
    {22, "invalid argument"},
    {23, "too many open files in the system"},
    {24, "too many open files"},
    {27, "file too large"},
    {28, "no space left on device"},
    {30, "read-only file system"},
    {32, "broken pipe"},
    {36, "name too long"},
    {40, "too many symbolic links"},
    {71, "protocol error"},
    {kOverflow, "counts of a ring that cannot be"},
    {95, "not supported"},
    {97, "no IPv4 here"},
    {98, "address in use"},
    {99, "address not on this machine"},
    {100, "network is down"},
    {101, "network unreachable"},
    {103, "connection aborted"},
    {104, "connection reset"},
    {105, "no buffer space"},
    {107, "not connected"},
    {110, "timed out"},
    {111, "connection refused"},
    {112, "host is down"},
    {113, "no route to host"},
    {122, "disk quota exceeded"},
};

// The same packed, which takes half the bytes of an executable: number, words, a zero; then a zero.
constexpr u64 packed_bytes() {
  u64 bytes = 1;
  for (const ErrorWords& error : kErrors) bytes += 1 + length(error.words) + 1;
  return bytes;
}

struct PackedErrors {
  char byte[packed_bytes()] = {};

  constexpr PackedErrors() {
    char* to = byte;
    for (const ErrorWords& error : kErrors) {
      *to++ = static_cast<char>(error.number);
      for (const char* from = error.words; *from != 0; ++from) *to++ = *from;
      ++to;
    }
  }
};

constexpr PackedErrors kPacked;

}  // namespace

const char* error_words(i64 error) {
  for (const char* at = kPacked.byte; *at != 0; at += 1 + length(at + 1) + 1) {
    if (static_cast<u8>(*at) == error) return at + 1;
  }
  return "error";
}

}  // namespace kernel

u64 monotonic_ns() {
  kernel::Time time = {};
  const i64 result = kernel::read_clock(time);
  ALPHA_ASSERT(result == 0);
  return static_cast<u64>(time.seconds) * 1000000000u + static_cast<u64>(time.nanoseconds);
}

i64 write_all(int fd, const void* from, u64 bytes) {
  const u8* rest = static_cast<const u8*>(from);
  while (bytes > 0) {
    const i64 written = kernel::write(fd, rest, bytes);
    if (written == -kernel::kInterrupted) continue;
    if (written <= 0) return written < 0 ? written : -kernel::kIo;
    rest += written;
    bytes -= static_cast<u64>(written);
  }
  return 0;
}

i64 read_all(int fd, void* to, u64 bytes) {
  u8* rest = static_cast<u8*>(to);
  while (bytes > 0) {
    const i64 got = kernel::read(fd, rest, bytes);
    if (got == -kernel::kInterrupted) continue;
    if (got < 0) return got;
    if (got == 0) break;
    rest += got;
    bytes -= static_cast<u64>(got);
  }
  return rest - static_cast<u8*>(to);
}

void assertion_failed(const char* text) {
  kernel::write(2, text, length(text));
  __builtin_trap();
}

}  // namespace alpha
