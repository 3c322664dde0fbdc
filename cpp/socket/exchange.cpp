// The engine: every transfer of one step at once, in one thread, over sockets that never block.
#include "socket/exchange.h"

#include "base/assert.h"
#include "base/processor.h"
#include "socket/arrival.h"
#include "socket/budget.h"
#include "socket/departure.h"
#include "socket/digests.h"
#include "socket/edge_failure.h"
#include "socket/edge_stream.h"

namespace alpha {

namespace {

class Engine {
 public:
  Engine(Session& session, Span<Inbound> inbound, Span<Outbound> outbound, Advance advance)
      : session_(session),
        inbound_(inbound),
        outbound_(outbound),
        advance_(advance),
        digests_(session, inbound, outbound) {}

  bool run();

 private:
  bool claim_links();
  void release_links();
  bool walk();
  void send_pass();
  bool receive_pass();
  bool sending_failed(u16 slot);
  bool failed_sends();
  bool use_arrivals() { return advance_.call == nullptr || advance_.call(advance_.context); }
  bool complete() const;
  void record(u64 sender, u64 receiver, const Transfer& what) {
    session_.flight.record(what.place, now_ns_, sender, receiver, what.region, what.version,
                           what.total);
  }
  bool in_time();
  bool can_begin();
  template <class See>
  void for_each_wait(const See&);
  void sleep();
  bool look_again(u64 quiet_ns);
  bool exhausted(const Deadline&, u64 sender, u64 receiver, const Transfer&, u64 offset,
                 const char* what);
  Deadline arrival_deadline(const Inbound&) const;
  Deadline departure_deadline(const Outbound&) const;
  Link& link(u16 slot) { return session_.links[slot]; }
  const Link& link(u16 slot) const { return session_.links[slot]; }

  Session& session_;
  Span<Inbound> inbound_;
  Span<Outbound> outbound_;
  Advance advance_;
  SharedDigests digests_;
  u64 now_ns_ = 0;
  bool moved_ = false;   // this pass moved bytes: another before sleeping
  bool more_ = false;    // it left some that a socket would take at once
  bool framed_ = false;  // it completed a frame
};

// Each link serves one transfer a direction, and only while it is open.
bool Engine::claim_links() {
  ALPHA_ASSERT(inbound_.count <= kEdgesMax && outbound_.count <= kEdgesMax);
  for (const Inbound& in : inbound_) {
    ALPHA_ASSERT(in.slot < session_.links.count && !link(in.slot).in.busy);
    link(in.slot).in.busy = true;
    link(in.slot).in.armed = false;
    if (link(in.slot).fd < 0) {
      return fail_transfer(session_, FailureKind::truncated, link(in.slot).peer, session_.role,
                           in.what, "the edge is closed");
    }
  }
  for (const Outbound& out : outbound_) {
    ALPHA_ASSERT(out.slot < session_.links.count && !link(out.slot).out.busy);
    link(out.slot).out.busy = true;
    link(out.slot).out.armed = false;
    link(out.slot).out.error = 0;
    if (link(out.slot).fd < 0) {
      return fail_transfer(session_, FailureKind::truncated, session_.role, link(out.slot).peer,
                           out.what, "the edge is closed");
    }
  }
  return true;
}

void Engine::release_links() {
  for (const Inbound& in : inbound_) link(in.slot).in.busy = false;
  for (const Outbound& out : outbound_) link(out.slot).out.busy = false;
}

bool Engine::complete() const {
  for (const Inbound& in : inbound_) {
    if (!in.complete) return false;
  }
  for (const Outbound& out : outbound_) {
    if (!out.complete) return false;
  }
  return true;
}

void Engine::send_pass() {
  for (Outbound& out : outbound_) {
    Departure& departure = link(out.slot).out;
    if (departure.error != 0) continue;
    if (!departure.armed) {
      u64 extent = 0;
      if (!next_departure(session_, out, extent)) continue;
      arm_departure(session_, out, extent, now_ns_);
    }
    const Progress progress = pump_departure(session_, out, digests_, now_ns_);
    moved_ |= progress != Progress::none;
    more_ |= progress == Progress::more;
    framed_ |= progress == Progress::frame;
    if (out.complete) record(session_.role, link(out.slot).peer, out.what);
  }
}

bool Engine::receive_pass() {
  for (Inbound& in : inbound_) {
    if (!arm_arrival(session_, in, now_ns_)) continue;
    Arrival& arrival = link(in.slot).in;
    if (arrival.got == 0 && is_after(in)) arrival.since_ns = now_ns_;
    Digest payload;
    const u64 offset = in.arrived;
    const Progress progress = pump_arrival(session_, in, now_ns_, payload);
    if (progress == Progress::failed) return false;
    if (progress == Progress::none) {
      if (link(in.slot).out.error != 0) return sending_failed(in.slot);
      continue;
    }
    moved_ = true;
    if (progress != Progress::frame) continue;
    digests_.verified(in, offset, payload);
    if (in.complete) record(link(in.slot).peer, session_.role, in.what);
    framed_ = true;
  }
  return true;
}

bool Engine::sending_failed(u16 slot) {
  for (const Outbound& out : outbound_) {
    if (out.slot != slot) continue;
    fail_transfer(session_, failure_of(-link(slot).out.error), session_.role, link(slot).peer,
                  out.what, kernel::error_words(link(slot).out.error), " when sending version ",
                  out.what.version, " offset ", out.sent);
  }
  return false;
}

// A link on which sending failed and nothing is left to read (receive_pass looks at those that
// still are read).
bool Engine::failed_sends() {
  for (const Outbound& out : outbound_) {
    if (link(out.slot).out.error != 0 && !link(out.slot).in.armed) return sending_failed(out.slot);
  }
  return true;
}

Deadline Engine::arrival_deadline(const Inbound& in) const {
  const Arrival& arrival = link(in.slot).in;
  return arrival.got == 0
             ? deadline(session_, FailureKind::wait, arrival.since_ns, session_.budgets.wait_ns)
             : deadline(session_, FailureKind::frame_time, arrival.since_ns,
                        session_.budgets.frame_ns);
}

Deadline Engine::departure_deadline(const Outbound& out) const {
  const Departure& departure = link(out.slot).out;
  return departure.gone == 0
             ? deadline(session_, FailureKind::wait, departure.since_ns, session_.budgets.wait_ns)
             : deadline(session_, FailureKind::frame_time, departure.since_ns,
                        session_.budgets.frame_ns);
}

bool Engine::exhausted(const Deadline& until, u64 sender, u64 receiver, const Transfer& transfer,
                       u64 offset, const char* what) {
  return fail_transfer(session_, until.kind, sender, receiver, transfer, what, " version ",
                       transfer.version, " offset ", offset, " for ", Seconds{until.budget_ns});
}

bool Engine::in_time() {
  for (const Inbound& in : inbound_) {
    const Link& from = link(in.slot);
    if (!from.in.armed || !arrival_deadline(in).passed(now_ns_)) continue;
    return exhausted(arrival_deadline(in), from.peer, session_.role, in.what, in.arrived,
                     from.in.got == 0 ? "awaited" : "receiving");
  }
  for (const Outbound& out : outbound_) {
    const Link& to = link(out.slot);
    if (!to.out.armed || !departure_deadline(out).passed(now_ns_)) continue;
    return exhausted(departure_deadline(out), session_.role, to.peer, out.what, out.sent,
                     "sending");
  }
  return true;
}

// What is waited for: the edge, whether to read or to write, and how long at most.
template <class See>
void Engine::for_each_wait(const See& see) {
  for (const Inbound& in : inbound_) {
    if (link(in.slot).in.armed) see(link(in.slot), kernel::kReadable, arrival_deadline(in));
  }
  for (const Outbound& out : outbound_) {
    if (link(out.slot).out.armed) see(link(out.slot), kernel::kWritable, departure_deadline(out));
  }
}

// Until an edge that something waits for is ready, or the first deadline.
void Engine::sleep() {
  kernel::Poll entries[2 * kWaitEntries * kEdgesMax];
  u64 count = 0;
  u64 left_ns = ~u64{0};
  bool ready = false;
  for_each_wait([&](Link& link, u16 events, const Deadline& until) {
    count += begin_wait(link, events, entries + count);
    ready = ready || is_ready(link, events);
    if (until.left_ns(now_ns_) < left_ns) left_ns = until.left_ns(now_ns_);
  });
  // Otherwise advance() neither released what arrived nor made anything ready.
  ALPHA_ASSERT(count > 0);
  if (!ready) kernel::poll(entries, count, left_ns);
  count = 0;
  for_each_wait([&](Link& link, u16 events, const Deadline&) {
    count += end_wait(link, events, entries + count);
  });
}

// A ring is looked at without a call, for about two microseconds, and true when something is there;
// then the core is offered to others, unless this pass moved bytes: the peer may have been put on
// it.  Where participants have a core each it is kept for a while: who gets it may keep it for
// milliseconds.
bool Engine::look_again(u64 quiet_ns) {
  const u64 looks = session_.crowded ? 1 : kRingLooks;
  for (u64 look = 0; look < looks; ++look) {
    bool any = false;
    bool ready = false;
    for_each_wait([&](Link& link, u16 events, const Deadline&) {
      any = any || link.ring.memory != nullptr;
      ready = ready || is_ready(link, events);
    });
    if (ready) return true;
    if (!any) break;
    relax_core();
  }
  if (session_.crowded ? !moved_ : quiet_ns >= kKeptNs) kernel::yield_core();
  return false;
}

// Whether another pass can begin a frame: what this one left stands where the sockets stopped it.
bool Engine::can_begin() {
  for (const Inbound& in : inbound_) {
    if (!link(in.slot).in.armed && arm_arrival(session_, in, now_ns_)) return true;
  }
  for (const Outbound& out : outbound_) {
    const Departure& departure = link(out.slot).out;
    u64 extent = 0;
    if (!departure.armed && departure.error == 0 && next_departure(session_, out, extent))
      return true;
  }
  return false;
}

// Each pass moves bytes, or looks again for a bounded while, or sleeps no longer than to the first
// deadline, which ends the loop.
bool Engine::walk() {
  if (!use_arrivals()) return false;
  u64 spun_since_ns = 0;
  bool fresh = false;  // the clock was read a few microseconds ago
  while (!complete()) {
    if (!fresh) now_ns_ = monotonic_ns();
    fresh = false;
    moved_ = more_ = framed_ = false;
    send_pass();
    if (!receive_pass() || !failed_sends()) return false;
    if (framed_ && !use_arrivals()) return false;
    if (complete()) break;
    if (!in_time()) return false;
    if (moved_) spun_since_ns = now_ns_;
    if (more_ || (framed_ && can_begin())) continue;
    const u64 quiet_ns = now_ns_ - spun_since_ns;
    if (quiet_ns >= session_.spin_ns) {
      sleep();
    } else {
      fresh = look_again(quiet_ns);
    }
  }
  return true;
}

bool Engine::run() {
  const bool done = claim_links() && walk();
  release_links();
  return done;
}

}  // namespace

bool exchange(Session& session, Span<Inbound> inbound, Span<Outbound> outbound, Advance advance) {
  return Engine(session, inbound, outbound, advance).run();
}

}  // namespace alpha
