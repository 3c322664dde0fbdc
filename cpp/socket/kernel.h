// The system-call seam: every call that the runtime makes, one typed function each, nothing else
// beneath it.
//
// Results are Linux's own: not negative on success, minus an error number otherwise.  What is
// called is one of three bodies: the two processors' instructions, or a simulated kernel
// (cpp/simulate).
#pragma once

#include "base/clock.h"
#include "base/types.h"

#if defined(ALPHA_SIMULATED)
#include "socket/syscall_simulated.h"
#elif defined(__x86_64__)
#include "socket/syscall_x86_64.h"
#elif defined(__aarch64__)
#include "socket/syscall_aarch64.h"
#else
#error "alpha-build: x86-64 and AArch64 only"
#endif

namespace alpha::kernel {

// Error numbers that decide something here; words for these and more are in error_words().
enum Error : i64 {
  kNoEntry = 2,
  kInterrupted = 4,
  kIo = 5,
  kAgain = 11,
  kDenied = 13,
  kExists = 17,
  kInvalid = 22,
  kFilesInSystem = 23,
  kFilesInProcess = 24,
  kNoCall = 38,
  kAddressInUse = 98,
  kInProgress = 115,
};
const char* error_words(
    i64 error);  // the error number, positive; "error" where it has no words here

inline constexpr int kCurrentFolder = -100;
enum OpenFlags : i64 {
  kOpenRead = 0,
  kOpenWrite = 1,
  kOpenReadWrite = 2,
  kOpenCreate = 0100,
  kOpenExclusive = 0200,
  kOpenTruncate = 01000,
  kOpenNonBlocking = 04000,
  kOpenCloseOnExec = 02000000,
};

inline i64 address(const void* pointer) { return reinterpret_cast<i64>(pointer); }

// ---- descriptors and files ----

inline i64 read(int fd, void* to, u64 bytes) {
  return call(Call::read, fd, address(to), static_cast<i64>(bytes));
}
inline i64 write(int fd, const void* from, u64 bytes) {
  return call(Call::write, fd, address(from), static_cast<i64>(bytes));
}
inline i64 close(int fd) { return call(Call::close, fd); }
inline i64 open_at(int folder, const char* path, i64 flags, u32 mode = 0) {
  return call(Call::openat, folder, address(path), flags | kOpenCloseOnExec, mode);
}
inline i64 fsync(int fd) { return call(Call::fsync, fd); }
inline i64 rename_at(int from_folder, const char* from, int to_folder, const char* to) {
  return call(Call::renameat, from_folder, address(from), to_folder, address(to));
}
inline i64 make_folder_at(int folder, const char* path, u32 mode) {
  return call(Call::mkdirat, folder, address(path), mode);
}
inline i64 unlink_at(int folder, const char* path) {
  return call(Call::unlinkat, folder, address(path), 0);
}
inline i64 remove_folder_at(int folder, const char* path) {
  return call(Call::unlinkat, folder, address(path), 0x200);
}
// Fills `to` with linux_dirent64 records; 0 at the end.
inline i64 list_folder(int fd, void* to, u64 bytes) {
  return call(Call::getdents64, fd, address(to), static_cast<i64>(bytes));
}
inline i64 file_bytes(int fd) { return call(Call::lseek, fd, 0, 2); }  // moves to the end
inline i64 seek(int fd, u64 offset) { return call(Call::lseek, fd, static_cast<i64>(offset), 0); }
inline i64 duplicate_onto(int fd, int onto) { return call(Call::dup3, fd, onto, 0); }
inline i64 descriptor_flags(int fd) {
  return call(Call::fcntl, fd, 1);
}  // an error when it is closed
inline i64 close_range(u32 first, u32 last) { return call(Call::close_range, first, last, 0); }

// ---- memory and the process ----

// Zeroed private memory; a negative value is an error.
inline i64 map_memory(u64 bytes) {
  return call(Call::mmap, 0, static_cast<i64>(bytes), 3, 0x22, -1, 0);
}
inline i64 map_file(int fd, u64 bytes) {  // read-only
  return call(Call::mmap, 0, static_cast<i64>(bytes), 1, 2, fd, 0);
}
inline i64 unmap(const void* first, u64 bytes) {
  return call(Call::munmap, address(first), static_cast<i64>(bytes));
}
[[noreturn]] inline void exit_process(int code) {
  for (;;) call(Call::exit_group, code);
}

// Bytes of `mask` that were filled, a bit for each core that this process may run on; or an error.
inline i64 allowed_cores(void* mask, u64 bytes) {
  return call(Call::sched_getaffinity, 0, static_cast<i64>(bytes), address(mask));
}

// Lets another process that is ready on this core run first.
inline i64 yield_core() { return call(Call::sched_yield); }

struct Limit {
  u64 soft, hard;
};
inline i64 descriptor_limit(const Limit* to, Limit* from) {
  return call(Call::prlimit64, 0, 7, address(to), address(from));
}
inline i64 ignore_signal(int number) {
  const u64 action[4] = {1, 0, 0, 0};  // SIG_IGN, no flags, no restorer, empty mask
  return call(Call::rt_sigaction, number, address(action), 0, 8);
}

// ---- sockets: IPv4 stream sockets, addresses in host order ----

struct SocketAddress {
  u16 family = 2;
  u8 port[2] = {};
  u8 address[4] = {};
  u8 zero[8] = {};
};
static_assert(sizeof(SocketAddress) == 16);

struct Piece {  // struct iovec
  const void* first;
  u64 bytes;
};

struct Message {  // struct msghdr
  void* name = nullptr;
  u64 name_bytes = 0;
  const Piece* pieces = nullptr;
  u64 piece_count = 0;
  void* control = nullptr;
  u64 control_bytes = 0;
  u64 flags = 0;
};

inline constexpr i64 kStreamNonBlocking = 1 | 04000 | 02000000;  // SOCK_STREAM, NONBLOCK, CLOEXEC
inline constexpr i64 kNoSignal = 0x4000;

inline i64 socket() { return call(Call::socket, 2, kStreamNonBlocking, 0); }
inline i64 bind(int fd, const SocketAddress& at) { return call(Call::bind, fd, address(&at), 16); }
inline i64 listen(int fd, int backlog) { return call(Call::listen, fd, backlog); }
inline i64 accept(int fd, SocketAddress& from) {
  u32 bytes = 16;
  return call(Call::accept4, fd, address(&from), address(&bytes), 04000 | 02000000);
}
inline i64 connect(int fd, const SocketAddress& to) {
  return call(Call::connect, fd, address(&to), 16);
}
inline i64 own_address(int fd, SocketAddress& at) {
  u32 bytes = 16;
  return call(Call::getsockname, fd, address(&at), address(&bytes));
}
inline i64 peer_address(int fd, SocketAddress& at) {
  u32 bytes = 16;
  return call(Call::getpeername, fd, address(&at), address(&bytes));
}
inline i64 set_option(int fd, int level, int option, const void* value, u32 bytes) {
  return call(Call::setsockopt, fd, level, option, address(value), bytes);
}
// The socket's pending error number, 0 for none, negative when it cannot be read.
inline i64 pending_error(int fd) {
  i32 value = 0;
  u32 bytes = 4;
  const i64 result = call(Call::getsockopt, fd, 1, 4, address(&value), address(&bytes));
  return result < 0 ? result : value;
}
inline i64 send(int fd, const Piece* pieces, u64 piece_count) {
  Message message;
  message.pieces = pieces;
  message.piece_count = piece_count;
  return call(Call::sendmsg, fd, address(&message), kNoSignal);
}
inline i64 receive(int fd, void* to, u64 bytes) {
  return call(Call::recvfrom, fd, address(to), static_cast<i64>(bytes), 0, 0, 0);
}
inline i64 half_close(int fd) { return call(Call::shutdown, fd, 1); }

// ---- waiting ----

struct Poll {  // struct pollfd
  i32 fd;
  u16 events;
  u16 happened;
};
inline constexpr u16 kReadable = 1;
inline constexpr u16 kWritable = 4;
inline constexpr u16 kNotOpen = 32;

struct Time {
  i64 seconds, nanoseconds;
};
inline i64 poll(Poll* entries, u64 count, u64 timeout_ns) {
  Time timeout = {static_cast<i64>(timeout_ns / 1000000000u),
                  static_cast<i64>(timeout_ns % 1000000000u)};
  return call(Call::ppoll, address(entries), static_cast<i64>(count), address(&timeout), 0, 8);
}
inline i64 read_clock(Time& to) {
  constexpr int kMonotonic = 1;
  if (const ReadClock mapped = mapped_clock()) return mapped(kMonotonic, &to);
  return call(Call::clock_gettime, kMonotonic, address(&to));
}

}  // namespace alpha::kernel

namespace alpha {

u64 monotonic_ns();

// Everything or an error (minus its number): interrupted and partial calls are resumed.
[[nodiscard]] i64 write_all(int fd, const void* from, u64 bytes);
// Fewer than `bytes` only at the end of the file.
[[nodiscard]] i64 read_all(int fd, void* to, u64 bytes);

}  // namespace alpha
