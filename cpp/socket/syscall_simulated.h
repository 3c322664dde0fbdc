// How the simulated kernel is called: a function in place of the instruction
// (cpp/simulate/calls.cpp). Numbers are its own; arguments, results and flags are those of Linux on
// x86-64.
#pragma once

#include "base/types.h"

namespace alpha::kernel {

enum class Call : i64 {
  read,
  write,
  close,
  lseek,
  mmap,
  munmap,
  rt_sigaction,
  connect,
  recvfrom,
  sendto,
  sendmsg,
  shutdown,
  bind,
  listen,
  getsockname,
  getpeername,
  setsockopt,
  getsockopt,
  socket,
  fcntl,
  fsync,
  getdents64,
  clock_gettime,
  exit_group,
  openat,
  mkdirat,
  unlinkat,
  renameat,
  ppoll,
  accept4,
  dup3,
  prlimit64,
  close_range,
  sched_getaffinity,
  sched_yield,
  recvmsg,
  geteuid,
  fallocate,
  memfd_create,
};

inline constexpr i64 kOpenDirectory = 0200000;
inline constexpr i64 kOpenNoFollow = 0400000;

i64 call(Call number, i64 a = 0, i64 b = 0, i64 c = 0, i64 d = 0, i64 e = 0, i64 f = 0);

}  // namespace alpha::kernel
