// Files of a generation, see file.h.
#include "state/file.h"

#include "base/memory.h"
#include "socket/kernel.h"

namespace alpha {

OutputFile::OutputFile(int folder, const Place& place) : place_(place) {
  hash_.start();
  const i64 fd = kernel::open_at(
      folder, place.file, kernel::kOpenWrite | kernel::kOpenCreate | kernel::kOpenTruncate, 0644);
  if (fd < 0) {
    error_ = fd;
    doing_ = "create";
  } else {
    fd_ = static_cast<int>(fd);
  }
}

void OutputFile::write(const void* first, u64 bytes) {
  bytes_ += bytes;
  if (buffered_ + bytes > sizeof buffer_) flush();
  if (bytes > sizeof buffer_) {
    put(first, bytes);
  } else {
    copy_bytes(buffer_ + buffered_, first, bytes);
    buffered_ += bytes;
  }
}

void OutputFile::flush() {
  put(buffer_, buffered_);
  buffered_ = 0;
}

void OutputFile::put(const void* first, u64 bytes) {
  if (error_ != 0) return;
  hash_.update(first, bytes);
  const i64 written = write_all(fd_, first, bytes);
  if (written < 0) error_ = written;
}

void OutputFile::number(u64 value) {
  Text<24> digits;
  digits.add(value);
  write(digits.c_str(), digits.size());
}

void OutputFile::hex(const Digest& digest) {
  Text<72> digits;
  digits.add(Hex{digest.byte, sizeof digest.byte});
  write(digits.c_str(), digits.size());
}

// Character by character, so that no name is too long.
void OutputFile::quoted(const char* text_to_quote) {
  text("\"");
  for (const char* at = text_to_quote; *at != 0; ++at) {
    Text<16> one;
    one.add(Quoted{at, 1});
    write(one.c_str() + 1, one.size() - 2);
  }
  text("\"");
}

bool OutputFile::finish(Digest* sha256, Failure* failure) {
  flush();
  if (error_ == 0) {
    const i64 synced = kernel::fsync(fd_);
    if (synced < 0) {
      error_ = synced;
      doing_ = "flush";
    }
  }
  if (fd_ >= 0) {
    const i64 closed = kernel::close(fd_);
    // An interrupted one has closed all the same, and what was flushed is on the medium.
    if (error_ == 0 && closed < 0 && closed != -kernel::kInterrupted) error_ = closed;
  }
  if (error_ != 0) return fail_call(failure, FailureKind::checkpoint, doing_, place_, error_);
  *sha256 = hash_.finish();
  return true;
}

InputFile::~InputFile() {
  if (bytes_ != 0) kernel::unmap(first_, bytes_);
}

i64 InputFile::open(int folder, const char* name) {
  const i64 fd = kernel::open_at(folder, name, kernel::kOpenRead);
  if (fd < 0) return fd;
  const i64 bytes = kernel::file_bytes(static_cast<int>(fd));
  i64 result = bytes < 0 ? bytes : 0;
  if (bytes > 0) {
    const i64 mapped = kernel::map_file(static_cast<int>(fd), static_cast<u64>(bytes));
    if (mapped < 0 && mapped > -4096) {
      result = mapped;
    } else {
      first_ = reinterpret_cast<const char*>(mapped);
      bytes_ = static_cast<u64>(bytes);
    }
  }
  kernel::close(static_cast<int>(fd));
  return result;
}

}  // namespace alpha
