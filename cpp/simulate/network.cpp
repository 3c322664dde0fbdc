// Bodies of the network: what TCP does on Linux, as far as a participant can see it.
#include "simulate/network.h"

#include <algorithm>
#include <cstring>

namespace alpha::simulate {

namespace {

constexpr u64 kWindowBytes = 1024;  // small, so that senders meet a full socket
constexpr u64 kBacklog = 64;
constexpr u64 kDripNs = 500'000'000;
constexpr u16 kFirstEphemeral = 40'000;
constexpr i64 kResetError = 104, kRefusedError = 111;

}  // namespace

void Pipe::clear() {
  bytes.clear();
  arrived = read = last_ns = message = 0;
  altered_at = kNever;
  end_sent = end_arrived = cut = drips = false;
}

void Socket::clear() {
  state = State::fresh;
  owner = peer = kNobody;
  from_port = 0;
  port = peer_port = 0;
  window = kWindowBytes;
  in.clear();
  queue.clear();
  error = 0;
  broken = closed = false;
}

void Network::clear() {
  now_ns = 1'000'000'000;  // a machine that has been up for a second
  used_ = 0;
  events_.clear();
  order_ = 0;
  ephemeral_ = kFirstEphemeral;
}

u32 Network::make() {
  if (used_ == sockets_.size()) sockets_.push_back(std::make_unique<Socket>());
  sockets_[used_]->clear();
  return used_++;
}

void Network::post(u64 at_ns, Event::Kind kind, u32 whom, u64 what) {
  events_.push({at_ns, order_++, kind, whom, what});
}

Event Network::take() {
  const Event event = events_.top();
  events_.pop();
  return event;
}

u32 Network::listener_at(u16 port) const {
  for (u32 i = 0; i < used_; ++i) {
    if (sockets_[i]->state == Socket::State::listening && sockets_[i]->port == port) return i;
  }
  return kNobody;
}

bool Network::listen(u32 socket, u16 port) {
  if (port == 0) port = ephemeral_++;
  if (listener_at(port) != kNobody) return false;
  (*this)[socket].port = port;
  (*this)[socket].state = Socket::State::listening;
  return true;
}

void Network::connect(u32 socket, u16 port, u64 delay_ns) {
  Socket& own = (*this)[socket];
  own.state = Socket::State::connecting;
  own.port = ephemeral_++;
  own.peer_port = port;
  post(now_ns + delay_ns, Event::Kind::knock, socket);
}

void Network::connect_to_itself(u32 socket, u16 port) {
  Socket& own = (*this)[socket];
  own.state = Socket::State::open;
  own.port = own.peer_port = port;
  own.peer = socket;
}

u64 Network::room(u32 socket) {
  const Socket& own = (*this)[socket];
  if (own.peer == kNobody) return kWindowBytes;  // a stranger takes everything
  const Pipe& out = (*this)[own.peer].in;
  const u64 under_way = out.bytes.size() - out.read;
  return under_way < own.window ? own.window - under_way : 0;
}

void Network::send(u32 socket, const u8* first, u64 bytes, u64 delay_ns) {
  const u32 peer = (*this)[socket].peer;
  if (peer == kNobody) return;
  Pipe& out = (*this)[peer].in;
  out.bytes.insert(out.bytes.end(), first, first + bytes);
  if (out.cut) return;
  for (u64 left = out.drips ? bytes : 1; left > 0; --left) {
    out.last_ns = out.drips ? std::max(out.last_ns, now_ns) + kDripNs
                            : std::max(out.last_ns, now_ns + delay_ns);
    post(out.last_ns, Event::Kind::arrive, peer, out.bytes.size() - left + 1);
  }
}

u64 Network::receive(u32 socket, u8* to, u64 bytes) {
  Pipe& in = (*this)[socket].in;
  const u64 count = std::min(bytes, in.unread());
  if (count != 0) std::memcpy(to, in.bytes.data() + in.read, count);
  in.read += count;
  return count;
}

void Network::end(u32 socket) {
  const u32 peer = (*this)[socket].peer;
  if (peer == kNobody) return;
  Pipe& out = (*this)[peer].in;
  if (out.end_sent) return;
  out.end_sent = true;
  if (out.cut) return;
  out.last_ns = std::max(out.last_ns, now_ns + kLatencyNs);
  post(out.last_ns, Event::Kind::end, peer);
}

void Network::close(u32 socket) {
  Socket& own = (*this)[socket];
  own.owner = kNobody;
  own.closed = true;
  for (const u32 waiting : own.queue) refuse(waiting);
  own.queue.clear();
  if (own.state == Socket::State::open && own.in.unread() == 0) {
    end(socket);
  } else {
    refuse(socket);
  }
  if (own.state != Socket::State::open) own.state = Socket::State::fresh;
}

// The other side learns that what it sends is not read.
void Network::refuse(u32 socket) {
  Socket& own = (*this)[socket];
  const u32 peer = own.peer;
  if (peer == kNobody || own.broken) return;
  own.broken = true;
  if (!(*this)[peer].in.cut) post(now_ns + kLatencyNs, Event::Kind::reset, peer);
}

void Network::reset(u32 socket) {
  const u32 peer = (*this)[socket].peer;
  post(now_ns, Event::Kind::reset, socket);
  if (peer != kNobody) post(now_ns + kLatencyNs, Event::Kind::reset, peer);
}

void Network::cut(u32 socket) {
  (*this)[socket].in.cut = true;
  const u32 peer = (*this)[socket].peer;
  if (peer != kNobody) (*this)[peer].in.cut = true;
}

u32 Network::knock(u32 listener, const u8* first, u64 bytes, bool ends) {
  Socket& at = (*this)[listener];
  if (at.state != Socket::State::listening || at.queue.size() >= kBacklog) return kNobody;
  const u32 made = make();
  Socket& stranger = (*this)[made];
  stranger.state = Socket::State::open;
  stranger.port = at.port;
  stranger.peer_port = ephemeral_++;
  stranger.in.bytes.assign(first, first + bytes);
  stranger.in.arrived = bytes;
  stranger.in.end_sent = stranger.in.end_arrived = ends;
  (*this)[listener].queue.push_back(made);
  return listener;
}

// A connection request has come to its port.
u32 Network::knocked(u32 socket) {
  if ((*this)[socket].state != Socket::State::connecting) return kNobody;
  const u32 listener = listener_at((*this)[socket].peer_port);
  if (listener == kNobody || (*this)[listener].queue.size() >= kBacklog) {
    post(now_ns + kLatencyNs, Event::Kind::answer, socket, static_cast<u64>(kRefusedError));
    return kNobody;
  }
  const u32 made = make();
  Socket& accepted = (*this)[made];
  Socket& own = (*this)[socket];
  accepted.state = Socket::State::open;
  accepted.port = own.peer_port;
  accepted.peer_port = own.port;
  accepted.peer = socket;
  own.peer = made;
  (*this)[listener].queue.push_back(made);
  post(now_ns + kLatencyNs, Event::Kind::answer, socket);
  return listener;
}

u32 Network::happen(const Event& event) {
  Socket& own = (*this)[event.whom];
  switch (event.kind) {
    case Event::Kind::arrive:
      if (own.in.cut || own.broken) return kNobody;
      if (own.closed) {
        refuse(event.whom);
        return kNobody;
      }
      own.in.arrived = std::max(own.in.arrived, event.what);
      return event.whom;
    case Event::Kind::end:
      if (own.in.cut) return kNobody;
      own.in.end_arrived = true;
      return event.whom;
    case Event::Kind::reset:
      if (own.broken) return kNobody;
      own.broken = true;
      own.error = kResetError;
      return event.whom;
    case Event::Kind::knock:
      return knocked(event.whom);
    case Event::Kind::answer:
      if (own.state != Socket::State::connecting) return kNobody;
      own.error = static_cast<i64>(event.what);
      own.state = own.error == 0 ? Socket::State::open : Socket::State::fresh;
      return event.whom;
    default:
      return kNobody;
  }
}

}  // namespace alpha::simulate
