// An edge's bytes through memory that both of its ends have mapped: a ring for each direction.
//
// The layout is that of docs/endpoint.md.  What the other side writes there may change at any
// moment and say anything: counts are checked each time that they are read, and bytes are copied
// out before anybody looks at them.
#pragma once

#include "base/limits.h"
#include "base/types.h"
#include "socket/kernel.h"

namespace alpha {

// What one side tells the other, each on cache lines of its own; only `asleep` is written by both.
struct RingSide {
  alignas(128) u64 written;  // bytes that this side ever put into its ring
  alignas(128) u64 taken;    // bytes that it ever took from the other's
  alignas(128) u32 asleep;   // 1: it waits for its bell; whoever makes this 0 rings it
};

struct RingMemory {
  RingSide side[2];  // the lower role's, the higher one's
  u8 zero[4096 - 2 * sizeof(RingSide)];
  u8 bytes[2][kRingBytes];  // what the lower role sends, and the higher one
};
static_assert(sizeof(RingSide) == 384);
static_assert(sizeof(RingMemory) == 4096 + 2 * kRingBytes);
static_assert((kRingBytes & (kRingBytes - 1)) == 0);

// One end of it, as this participant knows it; the counts in memory are only told, never believed.
struct Ring {
  RingMemory* memory = nullptr;  // null: the edge's bytes go over its connection
  int bell = -1;                 // a packet wakes the other side up; before there is one, where it
                                 // is listened for
  u8 own = 0;                    // which side is ours
  bool left = false;             // from now on we send over the connection
  bool over = false;             // what follows the ring's bytes comes over the connection
  u64 written = 0, taken = 0;    // by us
  u64 given_back = 0;            // the other side's `taken` when it was last looked at
  u64 offered = 0;               // its `written`, likewise
};

// A count that a side cannot have reached, or has gone back from, minus what kernel calls return
// for it.
inline constexpr i64 kRingBroken = kernel::kOverflow;

// Bytes that are there to be taken, at most kRingBytes; or minus kRingBroken.
i64 waiting_in(Ring&);
// Bytes that there is room for; likewise.
i64 room_in(Ring&);

// Bytes moved, 0 when there are none or is no room, or minus kRingBroken.
i64 take_from(Ring&, void* to, u64 bytes);
i64 put_into(Ring&, const kernel::Piece* pieces, u64 count);

// Around a sleep: from the first on the other side rings when it puts or takes; what it did before
// must be looked at after it.
void expect_bell(Ring&);
void forget_bell(Ring&);
void hear_bell(Ring&);  // after it has rung, or its other end is gone

// Memory for both sides, and its descriptor, to be passed on; or minus an error number.
i64 make_ring(Ring&);
// Maps what came from the other side.  What is wrong with it, or null.
const char* map_ring(Ring&, int fd);
void release_ring(Ring&);

}  // namespace alpha
