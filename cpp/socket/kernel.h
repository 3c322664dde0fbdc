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
  kBrokenPipe = 32,
  kNoCall = 38,
  kOverflow = 75,
  kAddressInUse = 98,
  kRefused = 111,
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
inline i64 map_shared(int fd, u64 bytes) {  // to read and write
  return call(Call::mmap, 0, static_cast<i64>(bytes), 3, 1, fd, 0);
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

// ---- memory without a name, for others to map ----

enum Seals : i64 { kSealSeal = 1, kSealShrink = 2, kSealGrow = 4 };

// Not to be executed where the kernel knows of that (since Linux 6.3); sealed by seal().
inline i64 create_memory(const char* name) {
  constexpr i64 kCloseOnExec = 1, kMaySeal = 2, kNeverExecuted = 8;
  const i64 fd = call(Call::memfd_create, address(name), kCloseOnExec | kMaySeal | kNeverExecuted);
  return fd != -kInvalid ? fd : call(Call::memfd_create, address(name), kCloseOnExec | kMaySeal);
}
inline i64 allocate(int fd, u64 bytes) {
  return call(Call::fallocate, fd, 0, 0, static_cast<i64>(bytes));
}
inline i64 seal(int fd, i64 seals) { return call(Call::fcntl, fd, 1033, seals); }
inline i64 seals(int fd) { return call(Call::fcntl, fd, 1034); }  // an error of other files

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
// One piece costs the kernel a twentieth of a short frame's way less than several.
inline i64 send(int fd, const Piece* pieces, u64 piece_count) {
  if (piece_count == 1) {
    return call(Call::sendto, fd, address(pieces->first), static_cast<i64>(pieces->bytes),
                kNoSignal, 0, 0);
  }
  Message message;
  message.pieces = pieces;
  message.piece_count = piece_count;
  return call(Call::sendmsg, fd, address(&message), kNoSignal);
}
inline i64 receive(int fd, void* to, u64 bytes) {
  return call(Call::recvfrom, fd, address(to), static_cast<i64>(bytes), 0, 0, 0);
}
inline i64 half_close(int fd) { return call(Call::shutdown, fd, 1); }

// ---- Unix sockets in packets, by names that are in no folder ----

// Bytes that are not used are zero and belong to the name, so that its length is no matter.
struct LocalAddress {
  u16 family = 1;
  char name[108] = {};  // after a first zero byte
};
static_assert(sizeof(LocalAddress) == 110);

struct User {  // struct ucred
  i32 process;
  u32 user, group;
};

// Control data that carries one descriptor.
struct Passed {
  u64 bytes = 20;  // without the padding
  i32 level = 1, type = 1;
  i32 fd = -1;
  u32 zero = 0;
};
static_assert(sizeof(Passed) == 24);

inline i64 local_socket() { return call(Call::socket, 1, 5 | 04000 | 02000000, 0); }
inline i64 bind(int fd, const LocalAddress& at) {
  return call(Call::bind, fd, address(&at), sizeof(at));
}
inline i64 connect(int fd, const LocalAddress& to) {
  return call(Call::connect, fd, address(&to), sizeof(to));
}
inline i64 accept_local(int fd) { return call(Call::accept4, fd, 0, 0, 04000 | 02000000); }
// Who listened or connected at the other end, when he did.
inline i64 peer_user(int fd, User& user) {
  u32 bytes = sizeof(user);
  return call(Call::getsockopt, fd, 1, 17, address(&user), address(&bytes));
}
inline i64 own_user() { return call(Call::geteuid); }
inline i64 send_passing(int fd, const Piece& packet, Passed passed) {
  Message message;
  message.pieces = &packet;
  message.piece_count = 1;
  message.control = &passed;
  message.control_bytes = sizeof(passed);
  return call(Call::sendmsg, fd, address(&message), kNoSignal);
}
// `passed` is the descriptor that came along, or -1.
inline i64 receive_passed(int fd, void* to, u64 bytes, int& passed) {
  constexpr i64 kCloseOnExec = 0x40000000;
  Passed control;
  const Piece packet = {to, bytes};
  Message message;
  message.pieces = &packet;
  message.piece_count = 1;
  message.control = &control;
  message.control_bytes = sizeof(control);
  const i64 result = call(Call::recvmsg, fd, address(&message), kCloseOnExec);
  const bool came = result >= 0 && message.control_bytes >= control.bytes && control.level == 1 &&
                    control.type == 1;
  passed = came ? control.fd : -1;
  return result;
}

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
