// One TCP stream: its address, its options, and calls that are resumed when interrupted.
#pragma once

#include "base/types.h"
#include "frame/header.h"
#include "frame/sha256.h"
#include "socket/kernel.h"

namespace alpha {

// A frame without payload in one piece: what opens and closes a direction.
struct EmptyFrame {
  Header header;
  Digest trailer;
  u8* bytes() { return reinterpret_cast<u8*>(this); }
};
inline constexpr u64 kEmptyFrameBytes = kHeaderBytes + kTrailerBytes;
static_assert(sizeof(EmptyFrame) == kEmptyFrameBytes);

EmptyFrame seal_empty(const Header& header);

kernel::SocketAddress socket_address(u32 address, u16 port);
Endpoint endpoint(const kernel::SocketAddress&);

// No delay, keep-alive, and on loopback the congestion control that is not paced.
void tune(int fd, u32 peer_address);

// One system call, repeated when interrupted.  Results as of kernel.h; 0 of receive_some is the end
// of stream.
i64 receive_some(int fd, void* to, u64 bytes);
i64 send_some(int fd, const kernel::Piece* pieces, u64 count);

// False when the time has come first.
bool wait_for(int fd, u16 events, u64 until_ns);
void pause_until(u64 until_ns);

// Everything, 0; minus an error number; -kAgain when the time has come first.
i64 send_all(int fd, const void* from, u64 bytes, u64 until_ns);

void close_descriptor(int& fd);  // and forgets it

}  // namespace alpha
