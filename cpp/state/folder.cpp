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

// Makes the folder at path[0 .. end) and flushes its entry in the one above; one that is there is
// left alone.
i64 make_component(Path& path, u64 end) {
  const char kept = path.first[end];
  path.first[end] = 0;
  const i64 made = kernel::make_folder_at(kernel::kCurrentFolder, path.first, 0755);
  path.first[end] = kept;
  if (made < 0) return made == -kernel::kExists ? 0 : made;
  u64 above = end;
  while (above != 0 && path.first[above - 1] != '/') --above;
  if (above == 0) return sync_folder(kernel::kCurrentFolder, ".");
  const char next = path.first[above];
  path.first[above] = 0;
  const i64 synced = sync_folder(kernel::kCurrentFolder, path.first);
  path.first[above] = next;
  return synced;
}

i64 make_folders(Path& path) {
  for (u64 i = 1; i <= path.bytes; ++i) {
    if (i != path.bytes && path.first[i] != '/') continue;
    if (path.first[i - 1] == '/') continue;
    const i64 made = make_component(path, i);
    // Only the last one decides: one above may be closed to us and there all the same.
    if (made < 0 && i == path.bytes) return made;
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
  return true;
}

}  // namespace alpha
