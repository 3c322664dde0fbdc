// A program that reads its stamp: one line a field on descriptor 1, for tests of stamping.
#include "role/stamp.h"
#include "socket/kernel.h"

namespace {

using namespace alpha;

void print(const char* name, u64 value) {
  char text[64];
  u64 size = 0;
  while (name[size] != 0) {
    text[size] = name[size];
    ++size;
  }
  text[size++] = ' ';
  char digits[20];
  u64 count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count != 0) text[size++] = digits[--count];
  text[size++] = '\n';
  kernel::write(1, text, size);
}

template <class T>
const T* at(const Stamp& stamp, u64 offset) {
  return reinterpret_cast<const T*>(reinterpret_cast<const u8*>(&stamp) + offset);
}

void print_share(const Stamp& stamp, const Share& share) {
  print("own.begin", share.own.begin);
  print("own.end", share.own.end);
  print("own_blocks.end", share.own_blocks.end);
  print("blocks", share.blocks);
  if (share.edge_ranges != 0) print("edge.end", at<Range>(stamp, share.edge_ranges)[0].end);
}

}  // namespace

extern "C" int alpha_main(int, char**, char**) {
  const Stamp* where = reinterpret_cast<const Stamp*>(kStampAddress);
  asm("" : "+r"(where));
  const Stamp& stamp = *where;
  print("bytes", stamp.bytes);
  print("run", stamp.run[31]);
  print("role", stamp.role);
  print("edges", stamp.edges);
  const EdgeRow* const rows = at<EdgeRow>(stamp, stamp.edge_rows);
  for (u64 i = 0; i < stamp.edges; ++i) {
    print("peer", rows[i].peer);
    print("shared", rows[i].shared);
    print("listen", rows[i].listen_address);
    print("dial", rows[i].dial_address);
    print("listen_port", rows[i].listen_port);
    print("dial_port", rows[i].dial_port);
  }
  print("connect", stamp.connect_ns);
  print("session", stamp.session_ns);
  print("state_identity", stamp.state_identity[0]);
  print("rounds_cycle", stamp.rounds_cycle);
  print("short_batch", stamp.short_batch);
  print("block", stamp.block);
  print("evaluation_block", stamp.evaluation_block);
  print("denominator", static_cast<u64>(at<f64>(stamp, stamp.denominators)[1]));
  print("evaluation_denominator", stamp.evaluation_denominator);
  for (const Share& share : stamp.share) print_share(stamp, share);
  print("initial_state", *at<u8>(stamp, at<u64>(stamp, stamp.initial_state)[1]));
  print("constants", stamp.constants);
  print("samples", *at<u8>(stamp, at<u64>(stamp, stamp.samples)[0]));
  print("host_roles", stamp.host_roles);
  const u64* const evaluation = at<u64>(stamp, stamp.evaluation);
  print("evaluation", stamp.sample_file == 0 ? *at<u8>(stamp, evaluation[0]) : evaluation[1]);
  print("sample_file", stamp.sample_file == 0 ? 0 : *at<u8>(stamp, stamp.sample_file));
  print("sample_file_bytes", stamp.sample_file_bytes);
  print("sample_file_sha256", stamp.sample_file_sha256[0]);
  print("sample_file_holds", stamp.sample_file_holds);
  return static_cast<int>(stamp.role);
}
