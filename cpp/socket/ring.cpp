// Bodies of the ring: counts that only grow, bytes copied in and out, bells.
#include "socket/ring.h"

#include "base/memory.h"
#include "socket/stream.h"

namespace alpha {

namespace {

constexpr i64 kSeals = kernel::kSealSeal | kernel::kSealShrink | kernel::kSealGrow;

RingSide& own_side(const Ring& ring) { return ring.memory->side[ring.own]; }
RingSide& other_side(const Ring& ring) { return ring.memory->side[1 - ring.own]; }

u64 read_count(const u64& count) { return __atomic_load_n(&count, __ATOMIC_ACQUIRE); }
void tell_count(u64& count, u64 value) { __atomic_store_n(&count, value, __ATOMIC_RELEASE); }

// Where in a ring a count is, and how many bytes lie in one piece from there.
struct Stretch {
  u64 at, bytes;
};
Stretch stretch(u64 count, u64 bytes) {
  const u64 at = count % kRingBytes;
  return {at, bytes < kRingBytes - at ? bytes : kRingBytes - at};
}

// After a count was told: the other side either sees it before it sleeps, or is seen asleep.
void ring_if_asleep(Ring& ring) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  u32& asleep = other_side(ring).asleep;
  if (__atomic_load_n(&asleep, __ATOMIC_RELAXED) == 0) return;
  if (__atomic_exchange_n(&asleep, 0, __ATOMIC_ACQ_REL) == 0) return;
  // A bell that takes no more has rung; one that is gone is noticed by its connection.
  const kernel::Piece once = {&asleep, 1};
  send_some(ring.bell, &once, 1);
}

i64 attach(Ring& ring, int fd) {
  const i64 mapped = kernel::map_shared(fd, sizeof(RingMemory));
  if (mapped < 0 && mapped > -4096) return mapped;
  ring.memory = reinterpret_cast<RingMemory*>(mapped);
  return 0;
}

}  // namespace

i64 waiting_in(Ring& ring) {
  const u64 offered = read_count(other_side(ring).written);
  // Not fewer than before, and not more than there was room for.
  if (offered - ring.offered > kRingBytes - (ring.offered - ring.taken)) return -kRingBroken;
  ring.offered = offered;
  return static_cast<i64>(offered - ring.taken);
}

i64 room_in(Ring& ring) {
  const u64 given_back = read_count(other_side(ring).taken);
  if (given_back - ring.given_back > ring.written - ring.given_back) return -kRingBroken;
  ring.given_back = given_back;
  return static_cast<i64>(kRingBytes - (ring.written - given_back));
}

i64 take_from(Ring& ring, void* to, u64 bytes) {
  const i64 there = waiting_in(ring);
  if (there <= 0) return there;
  if (static_cast<u64>(there) < bytes) bytes = static_cast<u64>(there);
  const u8* const from = ring.memory->bytes[1 - ring.own];
  const Stretch first = stretch(ring.taken, bytes);
  copy_bytes(to, from + first.at, first.bytes);
  copy_bytes(static_cast<u8*>(to) + first.bytes, from, bytes - first.bytes);
  ring.taken += bytes;
  tell_count(own_side(ring).taken, ring.taken);
  ring_if_asleep(ring);
  return static_cast<i64>(bytes);
}

i64 put_into(Ring& ring, const kernel::Piece* pieces, u64 count) {
  u64 wanted = 0;
  for (u64 i = 0; i < count; ++i) wanted += pieces[i].bytes;
  u64 room = kRingBytes - (ring.written - ring.given_back);
  if (room < wanted) {
    const i64 now = room_in(ring);
    if (now <= 0) return now;
    room = static_cast<u64>(now);
  }
  u8* const to = ring.memory->bytes[ring.own];
  const u64 before = ring.written;
  for (u64 i = 0; i < count && room > 0; ++i) {
    const u8* const from = static_cast<const u8*>(pieces[i].first);
    const u64 bytes = pieces[i].bytes < room ? pieces[i].bytes : room;
    const Stretch first = stretch(ring.written, bytes);
    copy_bytes(to + first.at, from, first.bytes);
    copy_bytes(to, from + first.bytes, bytes - first.bytes);
    ring.written += bytes;
    room -= bytes;
  }
  tell_count(own_side(ring).written, ring.written);
  ring_if_asleep(ring);
  return static_cast<i64>(ring.written - before);
}

void expect_bell(Ring& ring) {
  __atomic_store_n(&own_side(ring).asleep, 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void forget_bell(Ring& ring) { __atomic_store_n(&own_side(ring).asleep, 0, __ATOMIC_RELAXED); }

void hear_bell(Ring& ring) {
  u8 sound;
  const i64 got = receive_some(ring.bell, &sound, sizeof(sound));
  if (got <= 0 && got != -kernel::kAgain) close_descriptor(ring.bell);
}

i64 make_ring(Ring& ring) {
  const i64 created = kernel::create_memory("alpha-build ring");
  if (created < 0) return created;
  int fd = static_cast<int>(created);
  // Allocated now, so that want of memory is said here, and sealed, so that nobody can cut it short
  // under the other side.
  i64 result;
  do {
    result = kernel::allocate(fd, sizeof(RingMemory));
  } while (result == -kernel::kInterrupted);
  if (result >= 0) result = kernel::seal(fd, kSeals);
  if (result >= 0) result = attach(ring, fd);
  if (result >= 0) return fd;
  close_descriptor(fd);
  return result;
}

const char* map_ring(Ring& ring, int fd) {
  const i64 seals = kernel::seals(fd);
  if (seals < 0) return "not memory without a name";
  if ((seals & kSeals) != kSeals) return "not sealed";
  if (kernel::file_bytes(fd) != sizeof(RingMemory)) return "of another size";
  const i64 result = attach(ring, fd);
  return result < 0 ? kernel::error_words(-result) : nullptr;
}

void release_ring(Ring& ring) {
  close_descriptor(ring.bell);
  if (ring.memory != nullptr) kernel::unmap(ring.memory, sizeof(RingMemory));
  ring.memory = nullptr;
}

}  // namespace alpha
