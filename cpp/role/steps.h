// How a generated file writes its schedule: one constexpr function a form, each naming the handler
// it needs.
//
// A slot passed by reference must be a named constant (`constexpr Slot kParent = 0;`), since the
// table keeps its address.  `place` is the user's file and line and the form's name, for refusals:
// "star.py:22 combine".
#pragma once

#include "role/tables.h"

namespace alpha {

// Handlers, one a communicating form (role/transfer_steps.cpp, combine_step.cpp, prefix_step.cpp,
// parts_steps.cpp, state_steps.cpp).
bool run_send(Participant&);
bool run_receive(Participant&);
bool run_combine(Participant&);
bool run_combine_prefix(Participant&);
bool run_exchange(Participant&);
bool run_combine_parts(Participant&);
bool run_gather(Participant&);
bool run_scatter(Participant&);
bool run_deliver(Participant&);
bool run_choose(Participant&);
bool run_start(Participant&);
bool run_until(Participant&);
bool run_publish(Participant&);
bool run_close(Participant&);

// A learner's local steps (role/learner.cpp).
bool learner_gradient(Participant&);
bool learner_update(Participant&);
bool learner_evaluate(Participant&);

namespace steps {

inline constexpr Slots kNoSlots = {};

constexpr u64 bytes(u64 count) { return count; }
constexpr u64 f32_bytes(u64 count) { return 4 * count; }
constexpr u64 f64_bytes(u64 count) { return 8 * count; }
constexpr u64 i32_bytes(u64 count) { return 4 * count; }
constexpr u64 i64_bytes(u64 count) { return 8 * count; }
constexpr u64 bf16_bytes(u64 count) { return 2 * count; }
constexpr u64 f16_bytes(u64 count) { return 2 * count; }
constexpr u64 word_bytes(u64 count) { return 8 * count; }

constexpr Step local(Work work, const char* place) {
  return {.op = Op::local, .place = place, .work = work};
}

constexpr Step send(const Region& region, const Slot& to, const char* place) {
  return {.op = Op::send, .place = place, .work = run_send, .region = &region, .to = {&to, 1}};
}

constexpr Step receive(const Region& region, Slot from, const char* place) {
  return {.op = Op::receive, .place = place, .work = run_receive, .region = &region, .from = from};
}

// `parent` is kNoSlot at the root; children in combining order.
constexpr Step combine_up(const Region& region, Slot parent, Slots children, const char* place) {
  return {.op = Op::combine,
          .place = place,
          .work = run_combine,
          .region = &region,
          .from = parent,
          .to = children};
}

constexpr Step combine_prefix(const Region& region, Slot parent, Slots children,
                              const char* place) {
  return {.op = Op::combine_prefix,
          .place = place,
          .work = run_combine_prefix,
          .region = &region,
          .from = parent,
          .to = children};
}

constexpr Step exchange(const Region& region, Slot peer, const char* place) {
  return {
      .op = Op::exchange, .place = place, .work = run_exchange, .region = &region, .from = peer};
}

// `peers` are all slots.
constexpr Step combine_parts(const Region& region, Slots peers, const char* place) {
  return {.op = Op::combine_parts,
          .place = place,
          .work = run_combine_parts,
          .region = &region,
          .to = peers};
}

constexpr Step gather(const Region& region, Slots sources, Slots to, const char* place) {
  return {.op = Op::gather,
          .place = place,
          .work = run_gather,
          .region = &region,
          .to = to,
          .sources = sources};
}

// `from` is kNoSlot at the origin.
constexpr Step scatter(const Region& region, Slot from, Slots to, const char* place) {
  return {.op = Op::scatter,
          .place = place,
          .work = run_scatter,
          .region = &region,
          .from = from,
          .to = to};
}

// `from` is kNoSlot at the origin.
constexpr Step deliver(const Region& region, Slot from, Slots to, const char* place) {
  return {.op = Op::deliver,
          .place = place,
          .work = run_deliver,
          .region = &region,
          .from = from,
          .to = to};
}

// `from` is kNoSlot at the authority; either arm may be empty.
constexpr Step choose(const Region& word, Slot from, Slots to, Span<const Step> then,
                      Span<const Step> otherwise, const char* place) {
  return {.op = Op::choose,
          .place = place,
          .work = run_choose,
          .region = &word,
          .from = from,
          .to = to,
          .body = then,
          .otherwise = otherwise};
}

constexpr Step repeat(u64 times, Span<const Step> body, const char* place) {
  return {.op = Op::repeat, .place = place, .count = times, .body = body};
}

constexpr Step every(u64 period, Span<const Step> body, const char* place) {
  return {.op = Op::every, .place = place, .count = period, .body = body};
}

constexpr Step start(const Region& region, Slot from, Slots to, const char* place) {
  return {.op = Op::start,
          .place = place,
          .work = run_start,
          .region = &region,
          .from = from,
          .to = to};
}

constexpr Step until(const Region& word, Slot from, Slots to, const char* place) {
  return {
      .op = Op::until, .place = place, .work = run_until, .region = &word, .from = from, .to = to};
}

constexpr Step publish(const Region& up, const Region& down, Slot parent, Slots children,
                       const char* place) {
  return {.op = Op::publish,
          .place = place,
          .work = run_publish,
          .region = &up,
          .from = parent,
          .to = children,
          .region_down = &down};
}

constexpr Step close(Slot edge, const char* place) {
  return {.op = Op::close, .place = place, .work = run_close, .from = edge};
}

// How often `op` stands in a schedule, loops and both arms entered once: what the projector
// counted, again.
constexpr u64 count(Span<const Step> schedule, Op op) {
  u64 found = 0;
  for (const Step& step : schedule) {
    found += (step.op == op ? 1 : 0) + count(step.body, op) + count(step.otherwise, op);
  }
  return found;
}

}  // namespace steps
}  // namespace alpha
