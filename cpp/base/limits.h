// Every bound of the runtime, each with its reason; docs/limits.md has them with those of Python.
#pragma once

#include "base/types.h"

namespace alpha {

// ---- what both ends of an edge must agree on ----

// A payload's leaves are hashed on their own, so that lanes have work: a memory page each.
inline constexpr u64 kLeafBytes = 4096;

// ---- one participant ----

// Two descriptors an edge and some spare stay under the usual hard limits; bounds the poll list.
inline constexpr u64 kEdgesMax = 1000;
// Candidates at an accept, the standard three, files of a checkpoint.
inline constexpr u64 kDescriptorsSpare = 16;
// Looked at where close_range is missing (before Linux 5.9): a bound for "unlimited".
inline constexpr u64 kDescriptorsClosedMax = 65536;
// A failure's sentence: two run identities in hexadecimal and the edge around them.
inline constexpr u64 kFailureTextBytes = 512;
// Steps that the flight record remembers: several rounds of any schedule that a person reads.
inline constexpr u64 kFlightSteps = 64;
// How long a line waits for a reader of descriptor 2: a pipe that nobody reads may not hold up a
// role, nor its end.
inline constexpr u64 kPrintWaitNs = 2'000'000'000;
// Linux's PATH_MAX.
inline constexpr u64 kPathBytesMax = 4096;

// ---- frames in and out ----

// A body up to this size comes with its header and trailer in one read, and waits in the link's
// staging: a word, a digest, a small gradient.
inline constexpr u64 kShortBodyBytes = 1024;
// What is hashed and then sent, or read and then hashed, while it is in the second-level cache.
inline constexpr u64 kPieceBytesMax = 256 * 1024;
// Children's frames that wait at once to be added in order: eight of 1 MiB keep a role of any
// fan-out within 24 MiB above its regions.
inline constexpr u64 kStagedFramesMax = 8;
// Places that payloads leave from whose digests are shared by edges; further ones are hashed for
// each edge.
inline constexpr u64 kSharedSourcesMax = 4;

// A ring of shared memory, one a direction of an edge: a frame of the default size goes in while
// the one before it is taken out; with half of it both ends wait for each other more often.
inline constexpr u64 kRingBytes = 1024 * 1024;

// Looking again, and offering the core to others after each look, costs less than a sleep and the
// waking up: with up to four participants a core a round of 4 bytes takes half to two thirds of the
// time, and less of the processor; with more, one of them has always something to do.  A round of
// 64 KiB among four on two cores waits up to 150 microseconds in places.
inline constexpr u64 kSpinNs = 200'000;
inline constexpr u64 kSpinRolesPerCore = 4;
// With a core for each participant, it is offered to others after so long only: a process of the
// lowest priority that gets it may keep it for milliseconds.
inline constexpr u64 kKeptNs = 50'000;
// Rings are looked at without a call, so many times before the core is offered to others: about two
// microseconds.
inline constexpr u64 kRingLooks = 64;
// Linux's NR_CPUS at its largest: the mask of allowed cores.
inline constexpr u64 kCoresMax = 8192;
// Symbols of the kernel's image that the clock is looked for among: it has a dozen.
inline constexpr u64 kClockSymbolsMax = 1024;

// ---- connecting and accepting ----

// Connections whose opening frames are read at once: strangers cannot hold up the peer, nor fill
// memory.
inline constexpr u64 kCandidatesMax = 4;
// Strangers may be queued before the peer.
inline constexpr int kBacklogMax = 64;
// Linux sends a lost first packet again after 1, 3, 7 ... seconds; a new try is not slower to find
// a peer that appeared.
inline constexpr u64 kHandshakeMaxNs = 3'000'000'000;
// Between tries to connect, doubled up to a bound that a person does not notice.
inline constexpr u64 kConnectPauseFirstNs = 1'000'000;
inline constexpr u64 kConnectPauseMaxNs = 100'000'000;
// After an accept that failed, for want of descriptors say.
inline constexpr u64 kAcceptPauseNs = 10'000'000;
// Strangers of one edge that are logged one by one; a scanner must not fill the log.
inline constexpr u64 kStrangersLogged = 32;
// Middle boxes drop idle flows after a minute; a dead host shows after 30 + 8 * 15 seconds.
inline constexpr int kKeepAliveIdleSeconds = 30;
inline constexpr int kKeepAliveIntervalSeconds = 15;
inline constexpr int kKeepAliveCount = 8;

}  // namespace alpha
