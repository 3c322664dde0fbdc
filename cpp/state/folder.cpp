// Making a role's folder and trying whether it can be written, before any edge is opened.
#include "base/limits.h"
#include "base/memory.h"
#include "socket/kernel.h"
#include "state/generation.h"

namespace alpha {
namespace {

struct Path {
  char first[kPathBytesMax];
  u64 bytes = 0;
};

// use(path[0 .. end)), which ends there for as long as that takes.
template <class Use>
i64 up_to(Path& path, u64 end, const Use& use) {
  const char next = path.first[end];
  path.first[end] = 0;
  const i64 result = use(path.first);
  path.first[end] = next;
  return result;
}

// Flushes the entry of path[0 .. end) in the folder above it.
i64 flush_entry(Path& path, u64 end) {
  u64 above = end;
  while (above != 0 && path.first[above - 1] != '/') --above;
  if (above == 0) return sync_folder(kernel::kCurrentFolder, ".");
  return up_to(path, above,
               [](const char* folder) { return sync_folder(kernel::kCurrentFolder, folder); });
}

i64 make_component(Path& path, u64 end) {
  return up_to(path, end, [](const char* folder) {
    return kernel::make_folder_at(kernel::kCurrentFolder, folder, 0755);
  });
}

bool is_there(Path& path, u64 end) {
  const i64 fd = up_to(path, end, [](const char* folder) {
    return kernel::open_at(kernel::kCurrentFolder, folder,
                           kernel::kOpenRead | kernel::kOpenDirectory);
  });
  if (fd >= 0) kernel::close(static_cast<int>(fd));
  return fd >= 0;
}

// The same for a folder that was there: not by us, it may be in one that we may not read.
i64 flush_found(Path& path, u64 end) {
  const i64 flushed = flush_entry(path, end);
  return flushed == -kernel::kDenied ? 0 : flushed;
}

// Nothing is made in a folder whose entry was not flushed, so that a start that ended in between
// can have left only the last of them so.
i64 make_folders(Path& path) {
  u64 found = 0;  // where the folder above ends that was there already
  for (u64 i = 1; i <= path.bytes; ++i) {
    const bool last = i == path.bytes;
    if ((!last && path.first[i] != '/') || path.first[i - 1] == '/') continue;
    i64 made = -kernel::kExists;
    if (!is_there(path, i)) {
      const i64 flushed = found == 0 ? 0 : flush_found(path, found);
      if (flushed < 0) return flushed;
      made = make_component(path, i);
    }
    i64 flushed = 0;
    if (made >= 0) flushed = flush_entry(path, i);
    if (made == -kernel::kExists && last) flushed = flush_found(path, i);
    if (flushed < 0) return flushed;
    // One above may be closed to us and there all the same; then the last one decides.
    if (made < 0 && made != -kernel::kExists && last) return made;
    found = made == -kernel::kExists ? i : 0;
  }
  return 0;
}

}  // namespace

bool open_role_folder(StateFolder* folder, Failure* failure) {
  const Place here = {*folder, 0, ""};
  Text<40> name;
  name.add("/role-", folder->role);
  Path path = {};
  const u64 given = length(folder->path);
  if (given + name.size() + 1 > kPathBytesMax) {
    return fail_state(failure, FailureKind::admission, "--state: the path is too long");
  }
  copy_bytes(path.first, folder->path, given);
  copy_bytes(path.first + given, name.c_str(), name.size() + 1);
  path.bytes = given + name.size();
  const i64 made = make_folders(path);
  if (made < 0) return fail_call(failure, FailureKind::admission, "make", here, made);
  const i64 fd = kernel::open_at(kernel::kCurrentFolder, path.first,
                                 kernel::kOpenRead | kernel::kOpenDirectory);
  if (fd < 0) return fail_call(failure, FailureKind::admission, "open", here, fd);
  folder->fd = static_cast<int>(fd);
  // A file that nobody reads, made and removed: what a read-only or closed folder does not allow.
  const i64 tried =
      kernel::open_at(folder->fd, kPointerNextName, kernel::kOpenWrite | kernel::kOpenCreate, 0644);
  if (tried < 0) {
    return fail_call(failure, FailureKind::admission, "write", {*folder, 0, kPointerNextName},
                     tried);
  }
  kernel::close(static_cast<int>(tried));
  kernel::unlink_at(folder->fd, kPointerNextName);
  // A start that ended between its rename and its flush has left a pointer that loss of power takes
  // back.  Others will be told of it, so it must last first.
  const i64 flushed = kernel::fsync(folder->fd);
  return flushed >= 0 || fail_call(failure, FailureKind::admission, "flush", here, flushed);
}

}  // namespace alpha
