// Calls that make, name and end connections, and the wait for any of them.
#include <algorithm>

#include "base/byte_order.h"
#include "simulate/caller.h"

namespace alpha::simulate {

namespace {

constexpr u64 kSentAgainNs = 1'000'000'000;  // a lost first packet, by Linux

void put_address(i64 address, u16 port) {
  kernel::SocketAddress to;
  store_big16(to.port, port);
  store_big32(to.address, 0x7f000001);
  *reinterpret_cast<kernel::SocketAddress*>(address) = to;
}

}  // namespace

i64 Caller::socket() {
  if (choices.pick(0, 1) == 1) return harm("socket: too many files"), -kernel::kFilesInProcess;
  const u32 made = network.make();
  network[made].owner = self.number;
  self.held.push_back(made);
  return new_descriptor({.kind = Descriptor::Kind::socket, .socket = made});
}

i64 Caller::bind(u32 socket, u16 port) {
  const u32 picked = choices.pick(0, 2);
  if (picked == 1) return harm("bind: address in use"), -kernel::kAddressInUse;
  if (picked == 2) return harm("bind: address not on this machine"), -kAddressNotHere;
  network[socket].port = port;
  network[socket].state = Socket::State::bound;
  return 0;
}

i64 Caller::listen(u32 socket) {
  constexpr u32 kGentle = 7;
  if (!network.listen(socket, network[socket].port)) return -kernel::kAddressInUse;
  const u32 picked = choices.pick(kGentle, 2);
  if (picked == kGentle + 2) {
    network[socket].state = Socket::State::bound;
    return harm("listen: address in use"), -kernel::kAddressInUse;
  }
  if (picked == 0) return 0;
  constexpr const char* kWords[] = {"a stranger comes and goes",
                                    "a stranger says seven bytes",
                                    "a stranger is silent",
                                    "a stranger speaks HTTP",
                                    "six strangers are silent",
                                    "six strangers say half a magic",
                                    "a stranger says the magic and stays",
                                    "an impostor of another run"};
  if (picked == kGentle + 1) {
    harm(kWords[picked - 1]);
  } else {
    rough(kWords[picked - 1]);
  }
  // Before the peer, beside it, or once it may have begun to speak; six one after another.
  const u64 delay_ns = choices.below(8) * 40'000;
  const bool crowd = picked == 5 || picked == 6;
  const u64 gap_ns = crowd ? choices.below(3) * 20'000 : 0;
  for (u64 i = 0; i < (crowd ? 6 : 1); ++i) {
    network.post(network.now_ns + delay_ns + i * gap_ns, Event::Kind::stranger, socket, picked - 1);
  }
  return 0;
}

i64 Caller::accept(u32 socket, i64 address) {
  Socket& listener = network[socket];
  if (listener.state != Socket::State::listening) return -kernel::kInvalid;
  const u32 picked = choices.pick(5, 1);
  if (picked == 1) return rough("accept: interrupted"), -kernel::kInterrupted;
  if (picked == 2) return rough("accept: too many files"), -kernel::kFilesInProcess;
  if (picked == 3) return rough("accept: too many files in the system"), -kernel::kFilesInSystem;
  if (picked == 4) return rough("accept: no buffer space"), -kNoBuffers;
  if (picked == 6) harm("descriptors are exhausted"), self.exhausted = true;
  if (listener.queue.empty()) return -kernel::kAgain;
  const u32 accepted = listener.queue.front();
  if (picked == 5) {
    rough("accept: the connection is aborted");
    listener.queue.erase(listener.queue.begin());
    network.close(accepted);
    return -103;
  }
  const i64 fd = new_descriptor({.kind = Descriptor::Kind::socket, .socket = accepted});
  if (fd < 0) return fd;
  listener.queue.erase(listener.queue.begin());
  network[accepted].owner = self.number;
  self.held.push_back(accepted);
  put_address(address, network[accepted].peer_port);
  return fd;
}

i64 Caller::connect(u32 socket, u16 port) {
  const u32 picked = choices.pick(6, 0);
  if (picked == 2) return rough("connect: refused"), -kRefused;
  if (picked == 4) {
    rough("connect: to itself");
    network.connect_to_itself(socket, port);
    return -kernel::kInProgress;
  }
  u64 delay_ns = kLatencyNs;
  if (picked == 3) rough("connect: the request is lost once"), delay_ns = kSentAgainNs;
  if (picked == 5) rough("connect: slow"), delay_ns = kSlowNs[1];
  if (picked == 6) rough("connect: rather slow"), delay_ns = kSlowNs[0];
  network.connect(socket, port, delay_ns);
  if (picked == 1) return rough("connect: interrupted"), -kernel::kInterrupted;
  return -kernel::kInProgress;
}

i64 Caller::name(u32 socket, i64 address, bool peer) {
  if (choices.pick(0, 1) == 1) return harm("address: no buffer space"), -kNoBuffers;
  if (peer && network[socket].state != Socket::State::open) return -kNotConnected;
  put_address(address, peer ? network[socket].peer_port : network[socket].port);
  return 0;
}

i64 Caller::pending(u32 socket, i32* value) {
  *value = static_cast<i32>(network[socket].error);
  network[socket].error = 0;
  return 0;
}

i64 Caller::shut_down(u32 socket) {
  if (choices.pick(0, 1) == 1) return harm("shutdown: not connected"), -kNotConnected;
  if (network[socket].state != Socket::State::open) return -kNotConnected;
  network.end(socket);
  return 0;
}

u16 Caller::happened(const kernel::Poll& entry) {
  constexpr u16 kError = 8, kHungUp = 16, kInvalidDescriptor = 32;
  const Descriptor* const found = descriptor(entry.fd);
  if (found == nullptr) return kInvalidDescriptor;
  u16 now = 0;
  if (found->kind == Descriptor::Kind::ports_in) {
    if (self.ports_in_read < self.ports_in_arrived || self.ports_in_ended) now |= kernel::kReadable;
    return now & entry.events;
  }
  if (found->kind != Descriptor::Kind::socket) return entry.events;
  const Socket& own = network[found->socket];
  if (own.state == Socket::State::listening) {
    if (!own.queue.empty()) now |= kernel::kReadable;
    return now & entry.events;
  }
  if (own.state == Socket::State::connecting) return 0;
  const bool dead = own.broken || own.state != Socket::State::open;
  if (own.in.unread() != 0 || own.in.end_arrived || dead) now |= kernel::kReadable;
  if (dead || network.room(found->socket) != 0) now |= kernel::kWritable;
  now &= entry.events;
  if (own.error != 0) now |= kError;
  if (dead) now |= kHungUp;
  return now;
}

u64 Caller::ready(kernel::Poll* entries, u64 count) {
  u64 found = 0;
  for (u64 i = 0; i < count; ++i) {
    entries[i].happened = entries[i].fd < 0 ? u16{0} : happened(entries[i]);
    found += entries[i].happened != 0;
  }
  return found;
}

i64 Caller::poll(kernel::Poll* entries, u64 count, const kernel::Time& timeout) {
  const u32 picked = choices.pick(2, 0);
  if (picked == 1) return rough("poll: interrupted"), -kernel::kInterrupted;
  if (picked == 2) {
    rough("poll: nothing, too early");
    for (u64 i = 0; i < count; ++i) entries[i].happened = 0;
    return 0;
  }
  const u64 seconds_max = 1'000'000;
  const u64 seconds = std::min(static_cast<u64>(timeout.seconds), seconds_max);
  const u64 until_ns =
      network.now_ns + seconds * 1'000'000'000 + static_cast<u64>(timeout.nanoseconds);
  ++self.wait_number;
  bool timed = false;
  for (;;) {
    const u64 found = ready(entries, count);
    if (found != 0 || network.now_ns >= until_ns) return static_cast<i64>(found);
    if (!timed) network.post(until_ns, Event::Kind::wake, self.number, self.wait_number);
    timed = true;
    machine.wait(self);
  }
}

}  // namespace alpha::simulate
