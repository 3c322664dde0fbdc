// How Linux is called on AArch64: the instruction, the numbers, and the flags whose values differ
// by architecture.
#pragma once

#include "base/types.h"

namespace alpha::kernel {

enum class Call : i64 {
  dup3 = 24,
  fcntl = 25,
  mkdirat = 34,
  unlinkat = 35,
  renameat = 38,
  fallocate = 47,
  openat = 56,
  close = 57,
  getdents64 = 61,
  lseek = 62,
  read = 63,
  write = 64,
  ppoll = 73,
  fsync = 82,
  exit_group = 94,
  clock_gettime = 113,
  rt_sigaction = 134,
  geteuid = 175,
  socket = 198,
  bind = 200,
  listen = 201,
  connect = 203,
  getsockname = 204,
  getpeername = 205,
  sendto = 206,
  recvfrom = 207,
  setsockopt = 208,
  getsockopt = 209,
  shutdown = 210,
  sendmsg = 211,
  recvmsg = 212,
  munmap = 215,
  mmap = 222,
  sched_getaffinity = 123,
  sched_yield = 124,
  accept4 = 242,
  prlimit64 = 261,
  memfd_create = 279,
  close_range = 436,
};

inline constexpr i64 kOpenDirectory = 040000;
inline constexpr i64 kOpenNoFollow = 0100000;

inline i64 call(Call number, i64 a = 0, i64 b = 0, i64 c = 0, i64 d = 0, i64 e = 0, i64 f = 0) {
  register i64 x8 asm("x8") = static_cast<i64>(number);
  register i64 x0 asm("x0") = a;
  register i64 x1 asm("x1") = b;
  register i64 x2 asm("x2") = c;
  register i64 x3 asm("x3") = d;
  register i64 x4 asm("x4") = e;
  register i64 x5 asm("x5") = f;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
}

}  // namespace alpha::kernel
