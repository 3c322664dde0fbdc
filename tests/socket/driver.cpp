// The socket layer as C functions, so that Python threads are participants and count what was
// hashed.
#include "base/memory.h"
#include "socket/exchange.h"
#include "socket/kernel.h"

namespace {

using namespace alpha;

// What a test lays out for one edge and one transfer (ctypes structures in runtime.py).
struct EdgeSpec {
  u64 peer;
  u32 listen_address, dial_address;
  u16 listen_port, dial_port;
  u32 shared;
};

struct TransferSpec {
  u64 slot, region, version, total, element;
  u8* base;
  u8* staging;
};

constexpr u64 kRoom = 64;

struct Participant {
  Session session;
  Link links[8];
  Digest digests[kRoom];
};

// How arrivals are used between two passes of the engine.
enum class Mode : int { plain, relay, add, swap, around };

struct Work {
  Mode mode;
  Span<Inbound> in;
  Span<Outbound> out;
  Span<u8*> into;  // for each inbound: where staged payloads go
};

void use_staged(Work& work, u64 i) {
  Inbound& in = work.in[i];
  const u64 fresh = in.arrived - in.released;
  u8* const to = work.into[i] + in.released;
  if (work.mode == Mode::plain) {
    copy_bytes(to, in.staging, fresh);
  } else {
    for (u64 at = 0; at < fresh; at += 4) {
      i32 left, right;
      copy_bytes(&left, to + at, 4);
      copy_bytes(&right, in.staging + at, 4);
      left += right;
      copy_bytes(to + at, &left, 4);
    }
  }
  in.released = in.arrived;
}

bool advance(void* context) {
  Work& work = *static_cast<Work*>(context);
  u64 least = ~u64{0};
  for (u64 i = 0; i < work.in.count; ++i) {
    Inbound& in = work.in[i];
    // In a swap both contributions leave from the place where they are added: ours must have gone
    // first.
    const bool gone = work.mode != Mode::swap || work.out[0].sent >= in.arrived;
    if (in.staging != nullptr && in.released != in.arrived && gone) use_staged(work, i);
    const u64 used = in.staging != nullptr ? in.released : in.arrived;
    if (used < least) least = used;
  }
  const bool dependent = work.mode == Mode::relay || work.mode == Mode::add;
  for (u64 i = 0; i < work.out.count; ++i) {
    Outbound& out = work.out[i];
    const bool waits = dependent || (work.mode == Mode::around && i != 0);
    out.ready = waits && least < out.what.total ? least : out.what.total;
  }
  return true;
}

Transfer transfer_of(const TransferSpec& spec) {
  return {spec.region, spec.version, spec.total, static_cast<Element>(spec.element)};
}

char log_text[8192];
u64 log_bytes = 0;
void log_line(const char* line, u64 bytes) {
  if (log_bytes + bytes >= sizeof(log_text)) return;
  copy_bytes(log_text + log_bytes, line, bytes);
  log_bytes += bytes;
}

// Counts the whole leaves that the real form hashes.
u64 leaves_hashed = 0;
const HashForm* real_form = nullptr;
void counting_leaves(const u8* first, u64 count, Digest* digests) {
  leaves_hashed += count;
  real_form->leaves(first, count, digests);
}
HashForm counting_form;

}  // namespace

extern "C" {

Participant* open_participant(u64 role, const u8* run, u64 frame_bytes, const u64* budgets,
                              const EdgeSpec* edges, u64 count, u64 room) {
  Participant* made = new Participant();
  Session& session = made->session;
  session.role = role;
  copy_bytes(session.run, run, 32);
  session.frame_bytes = frame_bytes;
  session.budgets = {budgets[0], budgets[1], budgets[2], budgets[3], budgets[4]};
  if (budgets[4] != 0) session.session_deadline_ns = monotonic_ns() + budgets[4];
  session.links = {made->links, count};
  session.digests = {made->digests, room};
  session.log = log_line;
  for (u64 i = 0; i < count; ++i) {
    Link& link = made->links[i];
    link.peer = edges[i].peer;
    link.lower = role < edges[i].peer;
    link.shared = edges[i].shared != 0;
    link.listen_address = edges[i].listen_address;
    link.dial_address = edges[i].dial_address;
    link.listen_port = edges[i].listen_port;
    link.dial_port = edges[i].dial_port;
  }
  return made;
}

void abandon_all(Participant* participant) { abandon(participant->session); }

void free_participant(Participant* participant) {
  abandon(participant->session);
  delete participant;
}

bool bind_all(Participant* participant) { return bind_listeners(participant->session); }
bool announce_to(Participant* participant, int fd) {
  return announce_ports(participant->session, fd);
}
bool hear_from(Participant* participant, int fd) { return hear_ports(participant->session, fd); }
bool connect_all(Participant* participant) { return connect_lower(participant->session); }
bool accept_all(Participant* participant) { return accept_higher(participant->session); }
bool close_slot(Participant* participant, u64 slot) {
  return close_edge(participant->session, static_cast<u16>(slot));
}
u64 port_of(Participant* participant, u64 slot) { return participant->links[slot].listen_port; }
i64 descriptor_of(Participant* participant, u64 slot) { return participant->links[slot].fd; }

// Buffers so small that a frame never fits into them.
void shrink_buffers(Participant* participant, i32 send_bytes, i32 receive_bytes) {
  for (const Link& link : participant->session.links) {
    kernel::set_option(link.fd, 1, 7, &send_bytes, sizeof(send_bytes));
    kernel::set_option(link.fd, 1, 8, &receive_bytes, sizeof(receive_bytes));
  }
}

bool exchange_all(Participant* participant, const TransferSpec* in_specs, u64 in_count,
                  const TransferSpec* out_specs, u64 out_count, int mode) {
  Inbound in[8] = {};
  Outbound out[8] = {};
  u8* into[8] = {};
  for (u64 i = 0; i < in_count; ++i) {
    in[i] = {.slot = static_cast<u16>(in_specs[i].slot),
             .what = transfer_of(in_specs[i]),
             .base = in_specs[i].base,
             .staging = in_specs[i].staging};
    into[i] = in_specs[i].base;
  }
  for (u64 i = 0; i < out_count; ++i) {
    out[i] = {.slot = static_cast<u16>(out_specs[i].slot),
              .what = transfer_of(out_specs[i]),
              .base = out_specs[i].base};
  }
  if (static_cast<Mode>(mode) == Mode::around) {
    // What comes in lands on what the first transfer sends, and goes on over the others.
    in[0].after = &out[0];
    out[0].replaced = true;
  }
  Work work = {static_cast<Mode>(mode), {in, in_count}, {out, out_count}, {into, in_count}};
  return exchange(participant->session, {in, in_count}, {out, out_count}, {advance, &work});
}

const char* failure_text(Participant* participant) {
  return participant->session.failure.text.c_str();
}
const char* failure_kind(Participant* participant) {
  return failure_name(participant->session.failure.kind);
}
int failure_code(Participant* participant) { return exit_code(participant->session.failure.kind); }

const char* take_log() {
  log_text[log_bytes] = 0;
  log_bytes = 0;
  return log_text;
}

void count_leaves() {
  detect_processor(0);
  if (real_form == nullptr) real_form = &hash_form();
  counting_form = *real_form;
  counting_form.leaves = counting_leaves;
  leaves_hashed = 0;
  use_hash(counting_form);
}
u64 counted_leaves() { return leaves_hashed; }

}  // extern "C"
