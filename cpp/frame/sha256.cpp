// SHA-256: the portable compression, the choice among forms, and the parts that all forms share.
#include "frame/sha256.h"

#include "base/byte_order.h"
#include "base/memory.h"
#include "frame/sha256_constants.h"

#if defined(__x86_64__)
#include "frame/sha256_avx512.h"
#include "frame/sha256_x86_64.h"
#else
#include "frame/sha256_aarch64.h"
#endif

namespace alpha {

namespace {

constexpr u32 rotate(u32 value, int bits) { return (value >> bits) | (value << (32 - bits)); }

// Cold: small.  Every processor of the last years has one of the other forms.
__attribute__((noinline, cold)) void portable_blocks(u32* state, const u8* first, u64 count) {
  for (; count > 0; --count, first += 64) {
    u32 w[64];
    for (int i = 0; i < 16; ++i) w[i] = load_big32(first + 4 * i);
    for (int i = 16; i < 64; ++i) {
      const u32 s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const u32 s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    u32 a = state[0], b = state[1], c = state[2], d = state[3];
    u32 e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; ++i) {
      const u32 s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const u32 t1 = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[i] + w[i];
      const u32 s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const u32 t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

// The padding block that all whole leaves share.
struct LeafPadding {
  u8 byte[64] = {0x80};
  LeafPadding() { store_big64(byte + 56, kLeafBytes * 8); }
};

// One after another.
template <void (*kBlocks)(u32* state, const u8* first, u64 count)>
__attribute__((noinline, cold)) void serial_leaves(const u8* first, u64 count, Digest* digests) {
  const LeafPadding padding;
  for (; count > 0; --count, first += kLeafBytes) {
    u32 state[8];
    copy_bytes(state, kInitialState, sizeof(state));
    kBlocks(state, first, kLeafBytes / 64);
    kBlocks(state, padding.byte, 1);
    *digests++ = digest_of(state);
  }
}

__attribute__((noinline)) void instruction_blocks(u32* state, const u8* first, u64 count) {
  stream_blocks<1>(state, first, 0, count);
}

// As many streams as there are, then one leaf after another.
void instruction_leaves(const u8* first, u64 count, Digest* digests) {
  const LeafPadding padding;
  for (; count >= kStreams; count -= kStreams, first += kStreams * kLeafBytes) {
    u32 state[8 * kStreams];
    for (int m = 0; m < kStreams; ++m) {
      copy_bytes(state + 8 * m, kInitialState, sizeof(kInitialState));
    }
    stream_blocks<kStreams>(state, first, kLeafBytes, kLeafBytes / 64);
    stream_blocks<kStreams>(state, padding.byte, 0, 1);
    for (int m = 0; m < kStreams; ++m) *digests++ = digest_of(state + 8 * m);
  }
  serial_leaves<instruction_blocks>(first, count, digests);
}

#if defined(__x86_64__)
// Sixteen at once while there are; the rest in streams.
void wide_leaves(const u8* first, u64 count, Digest* digests) {
  const LeafPadding padding;
  for (; count >= kWideLanes; count -= kWideLanes, first += kWideLanes * kLeafBytes) {
    wide_messages(first, kLeafBytes, padding.byte, digests);
    digests += kWideLanes;
  }
  instruction_leaves(first, count, digests);
}
bool has_wide(const Processor& has) { return has.sha && has.vbmi; }
#endif

bool always(const Processor&) { return true; }
bool has_sha(const Processor& has) { return has.sha; }

constexpr HashForm kForms[] = {
    {"portable", always, portable_blocks, serial_leaves<portable_blocks>, 1},
    {kInstructionsName, has_sha, instruction_blocks, instruction_leaves, kStreams},
#if defined(__x86_64__)
    {"AVX-512", has_wide, instruction_blocks, wide_leaves, kWideLanes},
#endif
};

const HashForm* chosen = &kForms[0];

}  // namespace

// Not by store_big32: g++ makes a page of vector code of that loop.
Digest digest_of(const u32* state) {
  u32 words[8];
  for (u64 i = 0; i < 8; ++i) words[i] = __builtin_bswap32(state[i]);
  Digest digest;
  copy_bytes(digest.byte, words, sizeof(words));
  return digest;
}

bool operator==(const Digest& left, const Digest& right) {
  return same_bytes(left.byte, right.byte, sizeof(left.byte));
}

Span<const HashForm> hash_forms() { return {kForms, sizeof(kForms) / sizeof(kForms[0])}; }

void choose_hash(const Processor& has) {
  for (const HashForm& form : kForms) {
    if (form.available(has)) chosen = &form;
  }
}

void use_hash(const HashForm& form) { chosen = &form; }

const HashForm& hash_form() { return *chosen; }

void Sha256::start() {
  copy_bytes(state_, kInitialState, sizeof(state_));
  bytes_ = 0;
}

void Sha256::update(const void* first, u64 bytes) {
  const u8* from = static_cast<const u8*>(first);
  const u64 held = bytes_ % 64;
  bytes_ += bytes;
  if (held != 0) {
    const u64 taken = bytes < 64 - held ? bytes : 64 - held;
    copy_bytes(pending_ + held, from, taken);
    from += taken;
    bytes -= taken;
    if (held + taken < 64) return;
    chosen->blocks(state_, pending_, 1);
  }
  if (bytes >= 64) chosen->blocks(state_, from, bytes / 64);
  copy_bytes(pending_, from + bytes / 64 * 64, bytes % 64);
}

Digest Sha256::finish() {
  u8 padding[128] = {};
  const u64 held = bytes_ % 64;
  const u64 blocks = held < 56 ? 1 : 2;
  copy_bytes(padding, pending_, held);
  padding[held] = 0x80;
  store_big64(padding + 64 * blocks - 8, bytes_ * 8);
  chosen->blocks(state_, padding, blocks);
  return digest_of(state_);
}

Digest sha256(const void* first, u64 bytes) {
  Sha256 hash;
  hash.start();
  hash.update(first, bytes);
  return hash.finish();
}

}  // namespace alpha
