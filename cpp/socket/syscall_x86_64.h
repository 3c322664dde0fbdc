// How Linux is called on x86-64: the instruction, the numbers, and the flags whose values differ by
// architecture.
#pragma once

#include "base/types.h"

namespace alpha::kernel {

enum class Call : i64 {
  read = 0,
  write = 1,
  close = 3,
  lseek = 8,
  mmap = 9,
  munmap = 11,
  rt_sigaction = 13,
  connect = 42,
  sendto = 44,
  recvfrom = 45,
  sendmsg = 46,
  recvmsg = 47,
  shutdown = 48,
  bind = 49,
  listen = 50,
  getsockname = 51,
  getpeername = 52,
  setsockopt = 54,
  getsockopt = 55,
  socket = 41,
  fcntl = 72,
  fsync = 74,
  geteuid = 107,
  getdents64 = 217,
  clock_gettime = 228,
  exit_group = 231,
  openat = 257,
  mkdirat = 258,
  unlinkat = 263,
  renameat = 264,
  ppoll = 271,
  sched_yield = 24,
  sched_getaffinity = 204,
  fallocate = 285,
  accept4 = 288,
  dup3 = 292,
  prlimit64 = 302,
  memfd_create = 319,
  close_range = 436,
};

inline constexpr i64 kOpenDirectory = 0200000;
inline constexpr i64 kOpenNoFollow = 0400000;

inline i64 call(Call number, i64 a = 0, i64 b = 0, i64 c = 0, i64 d = 0, i64 e = 0, i64 f = 0) {
  i64 result = static_cast<i64>(number);
  register i64 r10 asm("r10") = d;
  register i64 r8 asm("r8") = e;
  register i64 r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace alpha::kernel
