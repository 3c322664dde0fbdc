// SHA-256 (FIPS 180-4) behind one choice made at start: portable C++, SHA-NI or the AArch64
// instructions over several streams, AVX-512 over sixteen.
#pragma once

#include "base/limits.h"
#include "base/processor.h"
#include "base/span.h"
#include "base/types.h"

namespace alpha {

struct Digest {
  u8 byte[32] = {};
};

bool operator==(const Digest& left, const Digest& right);

// One way to compute it.  A form with several lanes differs in `leaves` only.
struct HashForm {
  const char* name;
  bool (*available)(const Processor&);
  // Runs the compression function over `count` blocks of 64 bytes.
  void (*blocks)(u32* state, const u8* first, u64 count);
  // Digests of `count` whole leaves that lie one after another.
  void (*leaves)(const u8* first, u64 count, Digest* digests);
  u64 lanes;  // leaves that it hashes at once: fewer take as long
};

// Every form that this build holds, slowest first; the first is always available.
Span<const HashForm> hash_forms();

// Takes the form that is fastest on this processor; before that call it is the portable one.  Every
// form gives the same digests.
void choose_hash(const Processor&);
void use_hash(const HashForm&);
const HashForm& hash_form();

// A digest of bytes that come piece by piece: start, update, finish.  All zero before start, so
// that a static one takes no room in the file.
class Sha256 {
 public:
  void start();
  void update(const void* first, u64 bytes);
  Digest finish();

 private:
  u32 state_[8] = {};
  u8 pending_[64] = {};
  u64 bytes_ = 0;
};

Digest sha256(const void* first, u64 bytes);

// What a state is as the digest that it ends in.
Digest digest_of(const u32* state);

}  // namespace alpha
