// Bodies of the stream calls.
#include "socket/stream.h"

#include "base/limits.h"
#include "frame/seal.h"

namespace alpha {

EmptyFrame seal_empty(const Header& header) {
  return {header, trailer(header, payload_digest(nullptr, 0))};
}

kernel::SocketAddress socket_address(u32 address, u16 port) {
  kernel::SocketAddress at;
  store_big16(at.port, port);
  store_big32(at.address, address);
  return at;
}

Endpoint endpoint(const kernel::SocketAddress& at) {
  return {load_big32(at.address), load_big16(at.port)};
}

void tune(int fd, u32 peer_address) {
  constexpr int kSocket = 1, kTcp = 6;
  constexpr int kKeepAlive = 9;
  constexpr int kNoDelay = 1, kKeepIdle = 4, kKeepInterval = 5, kKeepCount = 6, kCongestion = 13;
  const struct {
    int level, option;
    i32 value;
  } options[] = {
      {kTcp, kNoDelay, 1},       // a frame is complete when it is sent: nothing to gather
      {kSocket, kKeepAlive, 1},  // middle boxes drop idle flows during long local steps
      {kTcp, kKeepIdle, kKeepAliveIdleSeconds},
      {kTcp, kKeepInterval, kKeepAliveIntervalSeconds},
      {kTcp, kKeepCount, kKeepAliveCount},
  };
  // An option that a kernel lacks costs speed or an early notice, never correctness: the budgets
  // decide.
  for (const auto& option : options) {
    kernel::set_option(fd, option.level, option.option, &option.value, sizeof(option.value));
  }
  if (peer_address >> 24 == 127) kernel::set_option(fd, kTcp, kCongestion, "reno", 4);
}

i64 receive_some(int fd, void* to, u64 bytes) {
  i64 got;
  do {
    got = kernel::receive(fd, to, bytes);
  } while (got == -kernel::kInterrupted);
  return got;
}

i64 send_some(int fd, const kernel::Piece* pieces, u64 count) {
  i64 sent;
  do {
    sent = kernel::send(fd, pieces, count);
  } while (sent == -kernel::kInterrupted);
  return sent;
}

bool wait_for(int fd, u16 events, u64 until_ns) {
  for (;;) {
    const u64 now_ns = monotonic_ns();
    if (now_ns >= until_ns) return false;
    kernel::Poll entry = {fd, events, 0};
    if (kernel::poll(&entry, 1, until_ns - now_ns) > 0) return true;
  }
}

void pause_until(u64 until_ns) {
  for (u64 now_ns = monotonic_ns(); now_ns < until_ns; now_ns = monotonic_ns()) {
    kernel::poll(nullptr, 0, until_ns - now_ns);
  }
}

i64 send_all(int fd, const void* from, u64 bytes, u64 until_ns) {
  const u8* rest = static_cast<const u8*>(from);
  while (bytes > 0) {
    const kernel::Piece piece = {rest, bytes};
    const i64 sent = send_some(fd, &piece, 1);
    if (sent == -kernel::kAgain) {
      if (!wait_for(fd, kernel::kWritable, until_ns)) return sent;
      continue;
    }
    if (sent < 0) return sent;
    rest += sent;
    bytes -= static_cast<u64>(sent);
  }
  return 0;
}

void close_descriptor(int& fd) {
  if (fd >= 0) kernel::close(fd);
  fd = -1;
}

}  // namespace alpha
