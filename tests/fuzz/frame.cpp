// Opening a frame that lies in memory: any bytes are either the expected frame or differ in a field
// that can be named.
#include <cstring>
#include <string>

#include "base/failure.h"
#include "frame/seal.h"
#include "fuzz.h"

using namespace alpha;

namespace {

constexpr u64 kExtent = 24;

Header expected_header(Element element) {
  u8 run[32];
  for (u8 i = 0; i < 32; ++i) run[i] = i;
  return make_header({.run = run,
                      .sender = 3,
                      .receiver = 1,
                      .region = 7,
                      .version = 4,
                      .offset = 4096,
                      .extent = kExtent,
                      .total = 8192,
                      .element = element});
}

// The page's order, written again from the layout alone.
Field by_hand(const u8* expected, const u8* found) {
  constexpr struct {
    Field field;
    int first, end;
  } kLayout[] = {{Field::magic, 0, 8},      {Field::run, 8, 40},     {Field::sender, 40, 48},
                 {Field::receiver, 48, 56}, {Field::region, 56, 64}, {Field::version, 64, 72},
                 {Field::offset, 72, 80},   {Field::extent, 80, 88}, {Field::total, 88, 96},
                 {Field::element, 96, 100}, {Field::zero, 100, 128}};
  for (const auto& row : kLayout) {
    for (int i = row.first; i < row.end; ++i) {
      if (expected[i] != found[i]) return row.field;
    }
  }
  return Field::none;
}

}  // namespace

// Input: one byte for the element, the header, the payload, the trailer, as much as there is.
extern "C" int LLVMFuzzerTestOneInput(const u8* data, size_t bytes) {
  struct {
    u8 header[kHeaderBytes], payload[kExtent], trailer[kTrailerBytes];
  } found = {};
  const bool words = bytes != 0 && data[0] % 2 == 1;
  if (bytes > 1) std::memcpy(&found, data + 1, bytes - 1 < sizeof found ? bytes - 1 : sizeof found);
  const Header expected = expected_header(words ? Element::word : Element::f32);
  Header header;
  std::memcpy(&header, found.header, sizeof header);
  const Field field = open_frame(expected, header, {found.payload, kExtent}, found.trailer);
  const Field first = by_hand(expected.magic, found.header);
  REQUIRE(first_difference(expected, header) == first);
  if (first != Field::none) REQUIRE(field == first);
  if (field == Field::none) {
    const Digest right = trailer(expected, payload_digest(found.payload, kExtent));
    REQUIRE(std::memcmp(right.byte, found.trailer, kTrailerBytes) == 0);
    return 0;
  }
  REQUIRE(exit_code(refusal_of(field)) >= 70 && exit_code(refusal_of(field)) <= 73);
  Text<96> text;  // shorter than some descriptions, which are then cut off
  describe_difference(text.sink(), field, expected, header);
  REQUIRE(!text.empty() && std::string(text.c_str()).size() == text.size());
  return 0;
}
