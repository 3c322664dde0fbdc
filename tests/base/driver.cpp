// A freestanding executable that shows cpp/base to the tests: `decimal`, `text`, `memory`,
// `processor` or `clock`.
#include "base/memory.h"
#include "base/processor.h"
#include "base/text.h"
#include "socket/kernel.h"

namespace {

using namespace alpha;

template <u64 N>
void print(const Text<N>& text) {
  if (write_all(1, text.c_str(), text.size()) != 0) kernel::exit_process(9);
}

// Reads 8-byte patterns, little-endian; prints each as f64 and its low half as f32.
int decimal() {
  u64 bits = 0;
  while (read_all(0, &bits, sizeof(bits)) == sizeof(bits)) {
    Text<128> line;
    line.add(__builtin_bit_cast(f64, bits), " ", __builtin_bit_cast(f32, static_cast<u32>(bits)),
             "\n");
    print(line);
  }
  return 0;
}

int text() {
  const u8 bytes[] = {0x00, 0x9f, 0xff};
  const char odd[] = "a\"b\\c\n\x7f\xc3\xa9";
  Text<512> line;
  line.add("edge ", u64{0} - 1, "->", i64{-9223372036854775807 - 1}, ' ', -7, ' ', u16{65535}, ' ',
           Hex{bytes, 3}, ' ', Ipv4{0x7f000001}, ' ', Endpoint{0x0a0102ff, 4000}, ' ',
           Quoted{odd, sizeof(odd) - 1}, ' ', Seconds{30000000000}, ' ', Seconds{250000000}, ' ',
           Seconds{1}, "\n");
  print(line);
  Text<8> small;
  small.add("0123456789", 42);
  const bool ended = small.c_str()[small.size()] == 0;
  print(Text<64>().add(small.c_str(), " ", small.size(), ended ? " ended\n" : " open\n"));
  return 0;
}

// The four functions against bytes moved one by one, for every alignment and overlap within two
// vectors.
u8 ours[512], expected[512];

bool moved_right(u64 to, u64 from, u64 count) {
  for (u64 i = 0; i < sizeof(ours); ++i) ours[i] = expected[i] = static_cast<u8>(i * 37 + count);
  u8 copy[512];
  for (u64 i = 0; i < count; ++i) copy[i] = expected[from + i];
  for (u64 i = 0; i < count; ++i) expected[to + i] = copy[i];
  if (memmove(ours + to, ours + from, count) != ours + to) return false;
  for (u64 i = 0; i < sizeof(ours); ++i) {
    if (ours[i] != expected[i]) return false;
  }
  memset(ours, 0xa5, sizeof(ours));
  memcpy(ours + to, copy, count);
  for (u64 i = 0; i < sizeof(ours); ++i) {
    if (ours[i] != (i >= to && i < to + count ? copy[i - to] : 0xa5)) return false;
  }
  if (memcmp(ours + to, copy, count) != 0) return false;
  if (count == 0) return true;
  ours[to + count - 1] ^= 0x80;
  const bool less = ours[to + count - 1] < copy[count - 1];
  const int compared = memcmp(ours + to, copy, count);
  return compared != 0 && (compared < 0) == less;
}

int memory() {
  for (u64 count = 0; count < 200; ++count) {
    for (u64 to = 0; to < 34; ++to) {
      for (u64 from = 0; from < 34; from += 3) {
        if (moved_right(to, from, count)) continue;
        print(Text<64>().add("wrong: ", to, " ", from, " ", count, "\n"));
        return 1;
      }
    }
  }
  return 0;
}

int processor_line() {
  const Processor& has = processor();
  Text<64> line;
  line.add("sha ", int{has.sha}, " v3 ", int{has.v3}, " avx512 ", int{has.avx512});
  print(line.add(" vbmi ", int{has.vbmi}, "\n"));
  return 0;
}

u64 asked_ns() {
  kernel::Time time = {};
  kernel::call(kernel::Call::clock_gettime, 1, kernel::address(&time));
  return static_cast<u64>(time.seconds) * 1000000000u + static_cast<u64>(time.nanoseconds);
}

// Whether the clock is read without a system call, and whether both tell one time.
int clock() {
  const bool mapped = mapped_clock() != nullptr;
  bool agree = true;
  for (int i = 0; i < 1000; ++i) {
    const u64 before = asked_ns();
    const u64 told = monotonic_ns();
    agree = agree && before <= told && told <= asked_ns();
  }
  find_clock(nullptr, "");
  agree = agree && mapped_clock() == nullptr && asked_ns() <= monotonic_ns();
  print(Text<64>().add("mapped ", int{mapped}, " agree ", int{agree}, "\n"));
  return 0;
}

bool same(const char* left, const char* right) {
  return length(left) == length(right) && same_bytes(left, right, length(left));
}

}  // namespace

extern "C" int alpha_main(int argc, char** argv, char** envp) {
  if (argc != 2) return 64;
  if (same(argv[1], "decimal")) return decimal();
  if (same(argv[1], "text")) return text();
  if (same(argv[1], "memory")) return memory();
  if (same(argv[1], "processor")) return processor_line();
  if (same(argv[1], "clock")) return clock();
  if (same(argv[1], "environment")) {
    for (; *envp != nullptr; ++envp) print(Text<512>().add(static_cast<const char*>(*envp), "\n"));
    return 3;
  }
  return 64;
}
