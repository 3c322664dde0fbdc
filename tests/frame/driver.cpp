// A freestanding executable that shows cpp/frame to the tests: `digests`, `seal` or `open` records
// from stdin.
#include "base/memory.h"
#include "frame/seal.h"
#include "socket/kernel.h"

namespace {

using namespace alpha;

u8 payload[1 << 20];

template <u64 N>
void print(const Text<N>& text) {
  if (write_all(1, text.c_str(), text.size()) != 0) kernel::exit_process(9);
}

bool take(void* to, u64 bytes) { return read_all(0, to, bytes) == static_cast<i64>(bytes); }

// Pieces of sizes that step over every border within blocks and leaves.
Digest in_pieces(u64 bytes) {
  Sha256 hash;
  hash.start();
  u64 step = 1;
  for (u64 at = 0; at < bytes; step = step * 3 % 1021 + 1) {
    const u64 count = step < bytes - at ? step : bytes - at;
    hash.update(payload + at, count);
    at += count;
  }
  return hash.finish();
}

Digest payload_in_pieces(u64 bytes) {
  PayloadHasher hasher;
  hasher.start();
  u64 step = 1;
  for (u64 at = 0; at < bytes; step = step * 7 % 40961 + 1) {
    at = step < bytes - at ? at + step : bytes;
    hasher.arrived(payload, at);
  }
  return hasher.finish(payload, bytes);
}

// A record is a 4-byte length, then that many bytes.
int digests() {
  u32 bytes = 0;
  while (take(&bytes, sizeof(bytes)) && bytes <= sizeof(payload) && take(payload, bytes)) {
    for (const HashForm& form : hash_forms()) {
      if (!form.available(processor())) continue;
      use_hash(form);
      const Digest all[] = {sha256(payload, bytes), in_pieces(bytes),
                            payload_digest(payload, bytes), payload_in_pieces(bytes)};
      Text<512> line;
      for (const Digest& digest : all) line.add(Hex{digest.byte, 32}, " ");
      line.add(form.name, "\n");
      print(line);
    }
  }
  choose_hash(processor());
  print(Text<64>().add("chosen ", hash_form().name, "\n"));
  return 0;
}

// Fields as eight 8-byte integers in layout order, little-endian, after the 32 bytes of the run.
struct Fields {
  u8 run[32];
  u64 sender, receiver, region, version, offset, extent, total, element;
};

Header header_of(const Fields& fields) {
  return make_header({.run = fields.run,
                      .sender = fields.sender,
                      .receiver = fields.receiver,
                      .region = fields.region,
                      .version = fields.version,
                      .offset = fields.offset,
                      .extent = fields.extent,
                      .total = fields.total,
                      .element = static_cast<Element>(fields.element)});
}

int seal_record() {
  Fields fields;
  if (!take(&fields, sizeof(fields)) || fields.extent > sizeof(payload)) return 2;
  if (!take(payload, fields.extent)) return 2;
  const Header header = header_of(fields);
  const Digest sealed = trailer(header, payload_digest(payload, fields.extent));
  const bool written = write_all(1, &header, sizeof(header)) == 0 &&
                       write_all(1, payload, fields.extent) == 0 &&
                       write_all(1, sealed.byte, 32) == 0;
  return written ? 0 : 9;
}

// Counts the compressions that the real form runs.
u64 blocks_hashed = 0;
const HashForm* real_form = nullptr;
void counting_blocks(u32* state, const u8* first, u64 count) {
  blocks_hashed += count;
  real_form->blocks(state, first, count);
}

// The trailers of frames without payload that leave on one edge, and what each cost.
int trailers() {
  real_form = &hash_form();
  HashForm counting = *real_form;
  counting.blocks = counting_blocks;
  use_hash(counting);
  HeaderState kept;
  const Digest payload_of_none = payload_digest(payload, 0);
  Fields fields;
  while (take(&fields, sizeof(fields))) {
    blocks_hashed = 0;
    const Digest sealed = trailer(header_of(fields), payload_of_none, kept);
    print(Text<128>().add(Hex{sealed.byte, 32}, " ", blocks_hashed, "\n"));
  }
  return 0;
}

// The expected fields, then a frame of the expected size.
int open_records() {
  Fields fields;
  while (take(&fields, sizeof(fields))) {
    Header found;
    u8 sealed[32];
    if (!take(&found, sizeof(found)) || !take(payload, fields.extent) || !take(sealed, 32))
      return 2;
    const Header expected = header_of(fields);
    const Field field = open_frame(expected, found, {payload, fields.extent}, sealed);
    Text<512> line;
    line.add(field_name(field), "|", exit_code(refusal_of(field)), "|");
    if (field != Field::none) describe_difference(line.sink(), field, expected, found);
    print(line.add("\n"));
  }
  return 0;
}

}  // namespace

extern "C" int alpha_main(int argc, char** argv, char**) {
  if (argc != 2) return 64;
  switch (argv[1][0]) {
    case 'd':
      return digests();
    case 's':
      return seal_record();
    case 't':
      return trailers();
    case 'o':
      return open_records();
    default:
      return 64;
  }
}
