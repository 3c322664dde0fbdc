// What is built on single system calls: whole reads and writes, the clock, error words, the
// assertion's line.
#include "socket/kernel.h"

#include "base/assert.h"
#include "base/text.h"

namespace alpha {

namespace kernel {

const char* error_words(i64 error) {
  switch (error) {
    case 1:
      return "operation not permitted";
    case 2:
      return "no such file or folder";
    case 4:
      return "interrupted";
    case 5:
      return "input or output error";
    case 9:
      return "bad descriptor";
    case 11:
      return "try again";
    case 12:
      return "out of memory";
    case 13:
      return "permission denied";
    case 16:
      return "busy";
    case 17:
      return "exists already";
    case 20:
      return "not a folder";
    case 21:
      return "is a folder";
    case 22:
      return "invalid argument";
    case 23:
      return "too many open files in the system";
    case 24:
      return "too many open files";
    case 27:
      return "file too large";
    case 28:
      return "no space left on device";
    case 30:
      return "read-only file system";
    case 32:
      return "broken pipe";
    case 36:
      return "name too long";
    case 40:
      return "too many symbolic links";
    case 71:
      return "protocol error";
    case kOverflow:
      return "counts of a ring that cannot be";
    case 95:
      return "not supported";
    case 97:
      return "no IPv4 here";
    case 98:
      return "address in use";
    case 99:
      return "address not on this machine";
    case 100:
      return "network is down";
    case 101:
      return "network unreachable";
    case 103:
      return "connection aborted";
    case 104:
      return "connection reset";
    case 105:
      return "no buffer space";
    case 107:
      return "not connected";
    case 110:
      return "timed out";
    case 111:
      return "connection refused";
    case 112:
      return "host is down";
    case 113:
      return "no route to host";
    case 122:
      return "disk quota exceeded";
    default:
      return "error";
  }
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
