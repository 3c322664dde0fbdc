// Files of a generation: written through once, hashed on the way, flushed before anybody names
// them; read whole.
#pragma once

#include "state/place.h"

namespace alpha {

// One file that is being written.  The first error stays; finish() says it.
class OutputFile {
 public:
  // Creates or empties `place.file` in the folder open at `folder`.
  OutputFile(int folder, const Place& place);

  void write(const void* first, u64 bytes);  // buffered when short
  void text(const char* text) { write(text, length(text)); }
  void number(u64 value);
  void hex(const Digest& digest);
  void quoted(const char* text);  // as a JSON string

  // Flushes to the medium and closes; sets the failure (80) when anything went wrong.
  [[nodiscard]] bool finish(Digest* sha256, Failure* failure);
  u64 bytes() const { return bytes_; }

 private:
  void flush();
  void put(const void* first, u64 bytes);

  const Place place_;
  int fd_ = -1;
  i64 error_ = 0;
  const char* doing_ = "write";
  u64 bytes_ = 0;
  Sha256 hash_;
  u64 buffered_ = 0;
  u8 buffer_[4096];
};

// A whole file, mapped; closes on destruction.
class InputFile {
 public:
  InputFile() = default;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // Minus an error number, or 0.
  [[nodiscard]] i64 open(int folder, const char* name);
  const char* first() const { return first_; }
  u64 bytes() const { return bytes_; }

 private:
  const char* first_ = "";
  u64 bytes_ = 0;
};

}  // namespace alpha
