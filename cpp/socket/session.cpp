// The session's failure, its end, and the process around it.
#include "socket/session.h"

#include "socket/kernel.h"
#include "socket/stream.h"

namespace alpha {

bool Session::fail(FailureKind kind, const char* text) {
  if (failure.kind != FailureKind::none) return false;
  failure.kind = kind;
  failure.text.clear();
  failure.text.add(text);
  return false;
}

void abandon(Session& session) {
  for (Link& link : session.links) {
    close_descriptor(link.listener);
    close_descriptor(link.fd);
    release_ring(link.ring);
  }
}

namespace {

constexpr int kBrokenPipeSignal = 13;
constexpr int kFileSizeSignal = 25;
constexpr u32 kFirstOfParent = 3;
constexpr u64 kDescriptorsPolled = 256;

// Where close_range is missing (before Linux 5.9), those that a poll finds open: a call for each
// possible number would take longer than a role may take to announce its ports.
void close_inherited(u64 limit) {
  if (kernel::close_range(kFirstOfParent, ~u32{0}) >= 0) return;
  const u64 end = limit < kDescriptorsClosedMax ? limit : kDescriptorsClosedMax;
  kernel::Poll entries[kDescriptorsPolled];
  for (u64 first = kFirstOfParent; first < end; first += kDescriptorsPolled) {
    const u64 count = end - first < kDescriptorsPolled ? end - first : kDescriptorsPolled;
    for (u64 i = 0; i < count; ++i) entries[i] = {static_cast<i32>(first + i), 0, 0};
    const bool known = kernel::poll(entries, count, 0) >= 0;
    for (u64 i = 0; i < count; ++i) {
      if (known && (entries[i].happened & kernel::kNotOpen) != 0) continue;
      kernel::close(entries[i].fd);
    }
  }
}

}  // namespace

bool prepare_process(Session& session, u64 edges) {
  for (int fd = 0; fd < static_cast<int>(kFirstOfParent); ++fd) {
    if (kernel::descriptor_flags(fd) >= 0) continue;
    // The lowest free number is taken: this one.
    if (kernel::open_at(kernel::kCurrentFolder, "/dev/null", kernel::kOpenReadWrite) != fd) {
      return session.fail(FailureKind::admission, "cannot open /dev/null for a closed descriptor");
    }
  }
  kernel::Limit limit = {};
  kernel::descriptor_limit(nullptr, &limit);
  close_inherited(limit.soft);
  // Errors of the calls say the same, and by name.
  kernel::ignore_signal(kBrokenPipeSignal);
  kernel::ignore_signal(kFileSizeSignal);

  // A listener and a connection for each edge; where it is shared, two listeners, which close
  // before there are two connections.
  const u64 needed = 2 * edges + kDescriptorsSpare;
  if (limit.soft < needed && limit.hard > limit.soft) {
    limit.soft = limit.hard;
    kernel::descriptor_limit(&limit, nullptr);
    kernel::descriptor_limit(nullptr, &limit);
  }
  if (limit.soft >= needed) return true;
  Text<512> text;
  text.add("descriptors: ", needed, " needed, ", limit.soft, " allowed (ulimit -n)");
  return session.fail(FailureKind::admission, text.c_str());
}

}  // namespace alpha
