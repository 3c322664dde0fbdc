// One role at work: its memory, its edges, and the walk over its schedule.
//
// A generated local operation sees buffer(), word(), round() and fail_local(); the rest serves the
// handlers of the communicating steps, each in a file of its own, and the learner.
#pragma once

#include "role/arena.h"
#include "role/stamp.h"
#include "role/tables.h"
#include "socket/exchange.h"
#include "socket/session.h"

namespace alpha {

struct LearnerMemory;    // role/learner.h
struct CanonicalMemory;  // role/canonical.h

class Participant {
 public:
  Participant(const Role& role, const Stamp& stamp, const char* state_folder);

  // ---- for local operations ----
  template <class T>
  Span<T> buffer(u64 index) {
    return {reinterpret_cast<T*>(buffers[index]), role.buffers[index].bytes / sizeof(T)};
  }
  // On a mesh: this role's own part of a buffer.
  template <class T>
  Span<T> part(u64 index) {
    const Span<T> whole = buffer<T>(index);
    const Range own = part_of(whole.size(), position());
    return {whole.data() + own.begin, own.end - own.begin};
  }
  u64& word(u64 index) { return *reinterpret_cast<u64*>(buffers[index]); }
  // Passes of the innermost repeat that are done.
  u64 round() const { return round_; }
  // The pass in hand is the innermost repeat's last.
  void end_repeat() { ending_ = true; }
  // Ends the run with exit 79; the place of the step in hand is put before the text.  Returns
  // false.
  bool fail_local(const char* text);

  // ---- start and walk ----
  // Maps all memory, gives buffers their initial values, fills the session; a learner's state
  // folder is looked at.
  [[nodiscard]] bool prepare();
  [[nodiscard]] bool run_schedule() { return walk(role.schedule); }

  // ---- for handlers ----
  const Step& step() const { return *step_; }
  [[nodiscard]] bool walk(Span<const Step> steps);
  // The step after the one in hand, null where its table ends; a handler that runs both at once
  // takes it, so that the walk does not.
  const Step* following() const { return following_; }
  void take_following() { taken_ = true; }
  // Names the next use of a region, never past the compiled bound (else a version refusal).
  [[nodiscard]] bool arm(const Region& region, u64 total, Transfer* transfer);
  u8* base(const Region& region) { return buffers[region.buffer]; }
  bool fail(FailureKind kind, const char* text) { return session.fail(kind, text); }
  // Position among the members of a mesh, this role's and a peer's, and which of `count` elements,
  // or which bytes of a region, a position's part is: parts differ by at most one element, larger
  // ones first.
  u64 position() const;
  u64 peer_position(Slot slot) const;
  Range part_of(u64 count, u64 position) const;
  Range part_in_bytes(const Region& region, u64 position) const;

  template <class T>
  const T* stamped(u64 offset) const {
    return reinterpret_cast<const T*>(reinterpret_cast<const u8*>(&stamp) + offset);
  }

  const Role& role;
  const Stamp& stamp;
  const char* state_folder;
  const char* executable = "";  // the path by which this program was started
  Session session;
  Arena arena;
  u8** buffers = nullptr;          // one a Role::buffers
  u8** twins = nullptr;            // a second memory for buffers that a pair exchanges, else null
  u8* parts = nullptr;             // what a mesh's peers contribute to a part, one after the other
  void** contributions = nullptr;  // one a member, where there are parts
  u64* versions = nullptr;         // one a Role::regions: the last one used
  Inbound* inbound = nullptr;      // one an edge
  Outbound* outbound = nullptr;    // one an edge
  u8* staging = nullptr;  // one frame an edge up to a bound, where there is a combine in order tree
  CanonicalMemory* canonical = nullptr;  // order canonical only
  LearnerMemory* learner = nullptr;      // learner roles only
  Text<160> result;                      // what the last line says after `complete`

 private:
  [[nodiscard]] bool layout();
  void fill_session();
  void fill_buffers();
  [[nodiscard]] bool repeat(const Step& step);

  const Step* step_ = nullptr;
  const Step* following_ = nullptr;
  bool taken_ = false;
  u64 round_ = 0;
  u64 rounds_ = 0;
  bool ending_ = false;
};

// Calls see(step) for each step of a schedule, loops and both arms entered once.
template <class See>
void for_each_step(Span<const Step> schedule, const See& see) {
  for (const Step& step : schedule) {
    see(step);
    for_each_step(step.body, see);
    for_each_step(step.otherwise, see);
  }
}

}  // namespace alpha
