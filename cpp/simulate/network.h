// Connections between simulated processes: ordered streams with delays, ends and resets, and what a
// damaged wire does to the bytes on them.
#pragma once

#include <memory>
#include <queue>
#include <vector>

#include "base/types.h"

namespace alpha::simulate {

inline constexpr u32 kNobody = ~u32{0};
inline constexpr u64 kNever = ~u64{0};
inline constexpr u64 kLatencyNs = 50'000;

// One direction of a connection.  Offsets count from the first byte.
struct Pipe {
  std::vector<u8> bytes;      // all that was ever sent, as it arrives
  u64 arrived = 0, read = 0;  // read <= arrived <= bytes.size()
  u64 last_ns = 0;            // nothing arrives before what was sent before it
  u64 altered_at = kNever;    // the first byte that is not what was sent
  u64 message = 0;            // where the last send began
  bool end_sent = false, end_arrived = false;
  bool cut = false;    // nothing arrives any more
  bool drips = false;  // a byte at a time, and slowly

  void clear();
  u64 unread() const { return arrived - read; }
};

struct Socket {
  enum class State : u8 { fresh, bound, listening, connecting, open };

  void clear();

  State state = State::fresh;
  u32 owner = kNobody;  // process; nobody's once closed, or a stranger's
  u32 peer = kNobody;   // socket
  u32 from_port = 0;    // of the connecting side: who an accepted connection is from
  u16 port = 0, peer_port = 0;
  u64 window = 0;  // bytes that may be under way to it
  Pipe in;
  std::vector<u32> queue;  // of a listener: connections that wait to be accepted
  i64 error = 0;           // pending: the next call has it
  bool broken = false;     // reset: what is sent has no way to go
  bool closed = false;     // by its process: what still comes is answered with a reset
};

struct Event {
  enum class Kind : u8 { wake, start, arrive, end, reset, knock, answer, stranger };

  u64 at_ns;
  u64 order;  // of two at one time, the first made comes first
  Kind kind;
  u32 whom;  // process or socket
  u64 what;  // bytes; a wait's number; a kind of stranger
};

class Network {
 public:
  void clear();

  u64 now_ns = 0;

  u32 make();  // a fresh socket
  Socket& operator[](u32 socket) { return *sockets_[socket]; }
  const Socket& operator[](u32 socket) const { return *sockets_[socket]; }

  void post(u64 at_ns, Event::Kind kind, u32 whom, u64 what = 0);
  u64 next_ns() const { return events_.empty() ? kNever : events_.top().at_ns; }
  Event take();

  // What a process does.
  bool listen(u32 socket, u16 port);  // false: the port is taken
  void connect(u32 socket, u16 port, u64 delay_ns);
  void connect_to_itself(u32 socket, u16 port);
  u64 room(u32 socket);
  void send(u32 socket, const u8* first, u64 bytes, u64 delay_ns);
  u64 receive(u32 socket, u8* to, u64 bytes);
  void end(u32 socket);    // no more is sent
  void close(u32 socket);  // unread bytes turn it into a reset
  void reset(u32 socket);  // both sides lose the connection
  void cut(u32 socket);    // both directions fall silent

  // What happens to the network by itself; returns the socket whose owner should look, or nobody.
  u32 happen(const Event& event);

  // A connection from outside to a listener: some bytes, then an end or nothing.
  u32 knock(u32 listener, const u8* first, u64 bytes, bool ends);

 private:
  u32 knocked(u32 socket);
  void refuse(u32 socket);
  u32 listener_at(u16 port) const;
  struct Later {
    bool operator()(const Event& left, const Event& right) const {
      return left.at_ns != right.at_ns ? left.at_ns > right.at_ns : left.order > right.order;
    }
  };

  std::vector<std::unique_ptr<Socket>> sockets_;  // kept from run to run
  u32 used_ = 0;
  struct EventQueue : std::priority_queue<Event, std::vector<Event>, Later> {
    void clear() { c.clear(); }
  };
  EventQueue events_;
  u64 order_ = 0;
  u16 ephemeral_ = 0;
};

}  // namespace alpha::simulate
