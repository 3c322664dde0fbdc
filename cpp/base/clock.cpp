// Which of the symbols in the kernel's image is the clock.
#include "base/clock.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"

namespace alpha {

namespace {

// Parts of an ELF image for 64 bits that are read here; numbers are those of the format.
struct Segment {
  u32 type, flags;
  u64 offset, address, physical, file_bytes, memory_bytes, alignment;
};
struct Entry {
  u64 tag, value;
};
struct Symbol {
  u32 name;
  u8 info, other;
  u16 section;
  u64 value, bytes;
};
constexpr u32 kLoad = 1, kDynamic = 2;
constexpr u64 kHash = 4, kStrings = 5, kSymbols = 6, kGnuHash = 0x6ffffef5;

template <class T>
const T* at(const u8* first, u64 offset) {
  return reinterpret_cast<const T*>(first + offset);
}

struct Image {
  const u8* base = nullptr;  // address 0 of the image
  const u8* strings = nullptr;
  const Symbol* symbols = nullptr;
  const u32* hash = nullptr;
  const u32* gnu_hash = nullptr;
};

Image read_image(const u8* first) {
  constexpr u64 kSegmentsAt = 32, kSegmentCountAt = 56;
  const Segment* const segments = at<Segment>(first, *at<u64>(first, kSegmentsAt));
  const u16 count = *at<u16>(first, kSegmentCountAt);
  Image image;
  const Entry* entry = nullptr;
  for (u16 i = 0; i < count; ++i) {
    const Segment& segment = segments[i];
    if (segment.type == kLoad && image.base == nullptr) {
      image.base = first + segment.offset - segment.address;
    }
    if (segment.type == kDynamic) entry = at<Entry>(first, segment.offset);
  }
  if (image.base == nullptr || entry == nullptr) return {};
  for (; entry->tag != 0; ++entry) {
    const u8* const value = image.base + entry->value;
    if (entry->tag == kStrings) image.strings = value;
    if (entry->tag == kSymbols) image.symbols = at<Symbol>(value, 0);
    if (entry->tag == kHash) image.hash = at<u32>(value, 0);
    if (entry->tag == kGnuHash) image.gnu_hash = at<u32>(value, 0);
  }
  return image;
}

// One past the last symbol.  Newer kernels leave out the older of the two tables.
u32 symbol_count(const Image& image) {
  if (image.hash != nullptr) return image.hash[1];
  if (image.gnu_hash == nullptr) return 0;
  const u32 buckets = image.gnu_hash[0], first = image.gnu_hash[1], words = image.gnu_hash[2];
  const u32* const bucket = image.gnu_hash + 4 + 2 * words;
  const u32* const chain = bucket + buckets;
  u32 last = 0;
  for (u32 i = 0; i < buckets; ++i) last = bucket[i] > last ? bucket[i] : last;
  if (last < first) return 0;
  while (last < kClockSymbolsMax && (chain[last - first] & 1) == 0) ++last;
  return last + 1;
}

ReadClock found = nullptr;

}  // namespace

ReadClock mapped_clock() { return found; }

void find_clock(const u8* first, const char* name) {
  found = nullptr;
  if (first == nullptr) return;
  const Image image = read_image(first);
  if (image.strings == nullptr || image.symbols == nullptr) return;
  const u32 count = symbol_count(image);
  const u64 bytes = length(name) + 1;
  for (u32 i = 0; i < count && i < kClockSymbolsMax; ++i) {
    const Symbol& symbol = image.symbols[i];
    const char* const said = reinterpret_cast<const char*>(image.strings + symbol.name);
    if (symbol.section == 0 || length(said) + 1 != bytes || !same_bytes(said, name, bytes))
      continue;
    const u8* const code = image.base + symbol.value;
    found = reinterpret_cast<ReadClock>(reinterpret_cast<u64>(code));
    return;
  }
}

}  // namespace alpha
