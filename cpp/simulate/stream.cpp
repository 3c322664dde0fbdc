// Sending and receiving, and what happens to bytes on the way.
#include <algorithm>
#include <utility>

#include "simulate/caller.h"

namespace alpha::simulate {

i64 Caller::send(u32 socket, Span<const kernel::Piece> pieces) {
  std::vector<u8> bytes;
  for (const kernel::Piece& piece : pieces) {
    const u8* const first = static_cast<const u8*>(piece.first);
    if (piece.bytes != 0) bytes.insert(bytes.end(), first, first + piece.bytes);
  }
  Socket& own = network[socket];
  if (own.state == Socket::State::connecting) return -kernel::kAgain;
  if (own.error != 0) return std::exchange(own.error, 0) * -1;
  if (own.broken || own.state != Socket::State::open) return -kBrokenPipe;
  const u64 room = network.room(socket);
  if (room == 0) return -kernel::kAgain;
  if (bytes.size() > room) bytes.resize(room);
  constexpr u32 kRough = 6;
  const u32 picked = choices.pick(kRough, 13);
  if (picked == 1) return rough("send: interrupted"), -kernel::kInterrupted;
  if (picked == 2) return rough("send: would block"), -kernel::kAgain;
  if (picked == 3) rough("send: one byte"), bytes.resize(1);
  if (picked == 4) rough("send: half"), bytes.resize((bytes.size() + 1) / 2);
  if (picked > kRough) return damage(socket, picked - kRough, bytes);
  u64 delay_ns = kLatencyNs;
  if (picked == 5) rough("send: rather slow"), delay_ns = kSlowNs[0];
  if (picked == 6) rough("send: slow"), delay_ns = kSlowNs[1];
  if (own.peer != kNobody) {
    network[own.peer].in.message = network[own.peer].in.bytes.size();
  }
  network.send(socket, bytes.data(), bytes.size(), delay_ns);
  return static_cast<i64>(bytes.size());
}

// What a run need not survive happens to this send.  The caller sees it succeed where Linux would
// say so.
i64 Caller::damage(u32 socket, u32 kind, std::vector<u8>& bytes) {
  const u64 count = bytes.size();
  const u32 peer = network[socket].peer;
  const auto part = [&] { return choices.below(static_cast<u32>(count)); };
  if (peer == kNobody) return static_cast<i64>(count);
  Pipe& out = network[peer].in;
  const u64 begin = out.bytes.size();
  const std::vector<u8> honest = bytes;
  const std::vector<u8> last(out.bytes.begin() + static_cast<i64>(out.message), out.bytes.end());
  out.message = begin;
  switch (kind) {
    case 1:
      harm("send: the connection is reset first");
      network.reset(socket);
      return static_cast<i64>(count);
    case 2: {
      const u32 sent = part();
      harm("send: reset after " + std::to_string(sent) + " bytes");
      network.send(socket, bytes.data(), sent, kLatencyNs);
      network.reset(socket);
      return static_cast<i64>(count);
    }
    case 3: {
      const u32 place = part();
      bytes[place] ^= static_cast<u8>(1u << choices.below(8));
      harm("send: a bit changes in byte " + std::to_string(place));
      break;
    }
    case 4:
      harm("send: the last send comes once more before it");
      bytes.insert(bytes.begin(), last.begin(), last.end());
      break;
    case 5:
      harm("send: the last send comes in its place");
      std::copy(last.begin(), last.begin() + static_cast<i64>(std::min(last.size(), count)),
                bytes.begin());
      break;
    case 6:
      harm("send: a byte follows it that nobody sent");
      bytes.push_back(0);
      break;
    case 7: {
      const u32 sent = part();
      harm("send: end of stream after " + std::to_string(sent) + " bytes");
      network.send(socket, bytes.data(), sent, kLatencyNs);
      network.end(socket);
      out.cut = true;
      return static_cast<i64>(count);
    }
    case 8:
      harm("send: from now on the connection is silent");
      network.cut(socket);
      return static_cast<i64>(count);
    case 9:
      return harm("send: no route to host"), -kUnreachable;
    case 10:
      harm("send: its halves change places");
      std::rotate(bytes.begin(), bytes.begin() + static_cast<i64>(count / 2), bytes.end());
      break;
    case 12:
      harm("send: a bit changes in its last byte");
      bytes.back() ^= static_cast<u8>(1u << choices.below(8));
      break;
    case 11:
      harm("send: from now on it comes byte by byte, two a second");
      out.drips = true;
      break;
    default: {
      const u32 place = part();
      harm("send: byte " + std::to_string(place) + " is left out");
      bytes.erase(bytes.begin() + place);
    }
  }
  const u64 same = static_cast<u64>(
      std::mismatch(bytes.begin(), bytes.begin() + static_cast<i64>(std::min(bytes.size(), count)),
                    honest.begin())
          .first -
      bytes.begin());
  if (same != count || bytes.size() != count)
    out.altered_at = std::min(out.altered_at, begin + same);
  network.send(socket, bytes.data(), bytes.size(), kLatencyNs);
  return static_cast<i64>(count);
}

i64 Caller::receive(u32 socket, u8* to, u64 bytes) {
  Socket& own = network[socket];
  if (own.state != Socket::State::open) return -kNotConnected;
  const u32 picked = choices.pick(4, 1);
  if (picked == 1) return rough("receive: interrupted"), -kernel::kInterrupted;
  if (picked == 2) return rough("receive: would block"), -kernel::kAgain;
  if (picked == 3) rough("receive: one byte"), bytes = std::min<u64>(bytes, 1);
  if (picked == 4) rough("receive: half"), bytes = (bytes + 1) / 2;
  if (picked == 5) harm("receive: the connection is reset"), network.reset(socket);
  if (own.in.unread() != 0) {
    const u64 got = network.receive(socket, to, bytes);
    if (own.peer != kNobody) machine.look(own.peer);
    return static_cast<i64>(got);
  }
  if (own.error != 0) return std::exchange(own.error, 0) * -1;
  if (own.in.end_arrived || own.broken) return 0;
  return -kernel::kAgain;
}

}  // namespace alpha::simulate
