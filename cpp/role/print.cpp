// One message, one line, one write on descriptor 2.
#include "role/print.h"

#include "base/limits.h"
#include "base/text.h"
#include "socket/kernel.h"

namespace alpha {

namespace {

// Whether the line before was given up, so that the next ones need not wait as well.
bool unread = false;

// Whether descriptor 2 takes a line without a wait: a pipe's free page holds any.
bool takes(u64 timeout_ns) {
  kernel::Poll entry = {2, kernel::kWritable, 0};
  const i64 ready = kernel::poll(&entry, 1, timeout_ns);
  return ready > 0 || (ready < 0 && ready != -kernel::kInterrupted);
}

bool reader_comes() {
  if (takes(0)) return true;
  const u64 until_ns = monotonic_ns() + kPrintWaitNs;
  for (u64 now_ns = monotonic_ns(); !unread && now_ns < until_ns; now_ns = monotonic_ns()) {
    if (takes(until_ns - now_ns)) return true;
  }
  return false;
}

}  // namespace

void print_line(const char* line, u64 bytes) {
  unread = !reader_comes();
  if (unread) return;
  // What descriptor 2 does not take is lost: there is nowhere else to say so.
  [[maybe_unused]] const i64 written = write_all(2, line, bytes);
}

void print_message(u64 role, const char* text) {
  Text<700> line;
  line.add("alpha-build: role ", role, ": ", text, "\n");
  print_line(line.c_str(), line.size());
}

}  // namespace alpha
