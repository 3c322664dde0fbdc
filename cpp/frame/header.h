// The 128 bytes that open every frame: layout, the expected header, and what differs from it.
#pragma once

#include "base/byte_order.h"
#include "base/element.h"
#include "base/failure.h"
#include "base/span.h"
#include "base/text.h"
#include "base/types.h"

namespace alpha {

struct Header {
  u8 magic[8];     // "ALPHAFR1": tells a stranger from a peer before anything else is looked at
  u8 run[32];      // identity of what is computed: learner, contract, membership, protocol
  Big64 sender;    // role that sends: a crossed cable is an edge refusal, not wrong numbers
  Big64 receiver;  // role that receives
  Big64 region;    // number of the communicating form in the protocol's preorder
  Big64 version;   // use of this form on this edge, from 1: a replay or a skipped use shows
  Big64 offset;    // where the payload starts inside the region, bytes
  Big64 extent;    // payload bytes of this frame; compared, never used as a length
  Big64 total;     // bytes of the whole region: both ends agree on it before any payload
  Big32 element;   // element type, so that equal sizes of different types are refused
  u8 zero[28];     // reserved, all zero: brings the header to two SHA-256 blocks
};

inline constexpr u64 kHeaderBytes = 128;
inline constexpr u64 kTrailerBytes = 32;

static_assert(sizeof(Header) == kHeaderBytes && alignof(Header) == 1, "no padding, any address");
static_assert(offsetof(Header, magic) == 0);
static_assert(offsetof(Header, run) == 8);
static_assert(offsetof(Header, sender) == 40);
static_assert(offsetof(Header, receiver) == 48);
static_assert(offsetof(Header, region) == 56);
static_assert(offsetof(Header, version) == 64);
static_assert(offsetof(Header, offset) == 72);
static_assert(offsetof(Header, extent) == 80);
static_assert(offsetof(Header, total) == 88);
static_assert(offsetof(Header, element) == 96);
static_assert(offsetof(Header, zero) == 100);

inline constexpr u8 kMagic[8] = {'A', 'L', 'P', 'H', 'A', 'F', 'R', '1'};

// The region number of opening and closing frames, and their versions.
inline constexpr u64 kEdgeRegion = ~u64{0};
inline constexpr u64 kOpeningVersion = 1;
inline constexpr u64 kClosingVersion = 2;

// What a header says beyond its magic.
struct FrameFields {
  const u8* run;  // 32 bytes
  u64 sender;
  u64 receiver;
  u64 region;
  u64 version;
  u64 offset;
  u64 extent;
  u64 total;
  Element element;
};

Header make_header(const FrameFields&);
Header opening_header(const u8* run, u64 sender, u64 receiver);
Header closing_header(const u8* run, u64 sender, u64 receiver);

// Fields in layout order, then what is checked after them.
enum class Field : u8 {
  none,
  magic,
  run,
  sender,
  receiver,
  region,
  version,
  offset,
  extent,
  total,
  element,
  zero,
  trailer,
  word
};

const char* field_name(Field);

// The refusal that a difference in this field is; none for Field::none.
FailureKind refusal_of(Field);

// The first field, in layout order, in which `found` is not what was expected.
Field first_difference(const Header& expected, const Header& found);

// Appends "expected version 4 offset 0, got version 3 offset 0": the value of `field` in both.
void describe_difference(const TextSink&, Field field, const Header& expected, const Header& found);

// The first position in `payload`, which starts at `offset` of its region, that no canonical word
// has (each word is 8 bytes: 0 or 1, then seven zero bytes); payload.count when all are canonical.
u64 first_noncanonical(Span<const u8> payload, u64 offset);

}  // namespace alpha
