// Paths and messages of the state folder.
#include "state/place.h"

#include "socket/kernel.h"

namespace alpha {

void append(const TextSink& sink, const Place& place) {
  append(sink, place.folder.path);
  append(sink, "/role-");
  append(sink, place.folder.role);
  if (place.generation != 0) {
    append(sink, "/generation-");
    append(sink, place.generation);
  }
  if (place.file[0] != 0) {
    append(sink, "/");
    append(sink, place.file);
  }
}

Text<32> generation_name(u64 generation) {
  Text<32> name;
  name.add("generation-", generation);
  return name;
}

bool fail_state(Failure* failure, FailureKind kind, const char* text) {
  if (failure->kind == FailureKind::none) {
    failure->kind = kind;
    failure->text.clear();
    failure->text.add(text);
  }
  return false;
}

bool fail_call(Failure* failure, FailureKind kind, const char* doing, const Place& place,
               i64 error) {
  Text<500> text;
  text.add("cannot ", doing, " ", place, ": ", kernel::error_words(-error));
  return fail_state(failure, kind, text.c_str());
}

i64 sync_folder(int folder, const char* name) {
  const i64 fd = kernel::open_at(folder, name, kernel::kOpenRead | kernel::kOpenDirectory);
  if (fd < 0) return fd;
  const i64 synced = kernel::fsync(static_cast<int>(fd));
  kernel::close(static_cast<int>(fd));
  return synced;
}

}  // namespace alpha
