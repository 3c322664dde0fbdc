// Samples that lie beside the executable, see sample_file.h.
//
// They are read once, whole, into the role's own memory, and hashed there: what becomes of the file
// afterwards alters nothing.
#include "role/sample_file.h"

#include "base/memory.h"
#include "socket/kernel.h"

namespace alpha {
namespace {

// The executable's folder, with the slash after it; nothing for the current one.
Chars folder_of(const char* executable) {
  u64 count = length(executable);
  while (count != 0 && executable[count - 1] != '/') --count;
  return {executable, count};
}

struct SampleFile {
  Participant& participant;
  const char* name;
  u64 bytes;

  // "samples NAME: <why>, in FOLDER": digests come before the folder, which may be long.
  template <class... Parts>
  bool refuse(const Parts&... why) const {
    const Chars folder = folder_of(participant.executable);
    Text<kFailureTextBytes> text;
    text.add("samples ", name, ": ", why..., ", in ");
    text.add(folder.count == 0 ? Chars{".", 1} : folder);
    return participant.fail(FailureKind::admission, text.c_str());
  }

  bool refuse_call(const char* doing, i64 error) const {
    return refuse("cannot ", doing, ": ", kernel::error_words(-error));
  }

  bool read(int fd, u8* to) const {
    const i64 found = kernel::file_bytes(fd);
    if (found < 0) return refuse("is no regular file");
    if (static_cast<u64>(found) != bytes) {
      return refuse("has ", found, " bytes, this role was made with ", bytes);
    }
    const i64 moved = kernel::seek(fd, 0);
    if (moved < 0) return refuse_call("read", moved);
    const i64 taken = read_all(fd, to, bytes);
    if (taken < 0) return refuse_call("read", taken);
    return static_cast<u64>(taken) == bytes || refuse("became shorter while it was read");
  }

  bool compare(const u8* read) const {
    const Digest found = sha256(read, bytes);
    const u8* const expected = participant.stamp.sample_file_sha256;
    return same_bytes(found.byte, expected, sizeof found.byte) ||
           refuse("SHA-256 is ", Hex{found.byte, sizeof found.byte}, ", this role was made with ",
                  Hex{expected, sizeof found.byte});
  }
};

}  // namespace

bool read_sample_file(Participant& participant, u8* to) {
  const Stamp& stamp = participant.stamp;
  const SampleFile file = {participant, participant.stamped<char>(stamp.sample_file),
                           stamp.sample_file_bytes};
  Text<kPathBytesMax> path;
  path.add(folder_of(participant.executable), file.name);
  // Not blocking: a pipe in the file's place would have it wait for a writer.
  const i64 fd = kernel::open_at(kernel::kCurrentFolder, path.c_str(),
                                 kernel::kOpenRead | kernel::kOpenNonBlocking);
  if (fd < 0) return file.refuse_call("open", fd);
  const bool whole = file.read(static_cast<int>(fd), to);
  kernel::close(static_cast<int>(fd));
  return whole && file.compare(to);
}

}  // namespace alpha
