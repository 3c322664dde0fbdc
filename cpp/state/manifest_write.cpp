// Preparing a generation: shard and manifest, each flushed before it is named anywhere.
#include "frame/seal.h"
#include "socket/kernel.h"
#include "state/file.h"
#include "state/manifest.h"

namespace alpha {
namespace {

// A generation's folder, open while something is written into it.
class GenerationFolder {
 public:
  GenerationFolder(const StateFolder& folder, u64 generation, Failure* failure) {
    const Text<32> name = generation_name(generation);
    const Place place = {folder, generation, ""};
    const i64 made = kernel::make_folder_at(folder.fd, name.c_str(), 0755);
    if (made < 0 && made != -kernel::kExists) {
      fail_call(failure, FailureKind::checkpoint, "make", place, made);
      return;
    }
    const i64 fd =
        kernel::open_at(folder.fd, name.c_str(), kernel::kOpenRead | kernel::kOpenDirectory);
    if (fd < 0) fail_call(failure, FailureKind::checkpoint, "open", place, fd);
    fd_ = static_cast<int>(fd);
  }
  GenerationFolder(const GenerationFolder&) = delete;
  GenerationFolder& operator=(const GenerationFolder&) = delete;
  ~GenerationFolder() {
    if (fd_ >= 0) kernel::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

Digest state_hash(Span<const TensorRecord> tensors, Span<const Span<const u8>> pieces) {
  Sha256 hash;
  hash.start();
  for (u64 i = 0; i < tensors.size(); ++i) {
    hash.update(pieces[i].data(), pieces[i].size());
    hash.update(tensors[i].digest.byte, sizeof(Digest));
  }
  hash.update(pieces[tensors.size()].data(), pieces[tensors.size()].size());
  return hash.finish();
}

void write_digest(OutputFile& file, const char* key, const Digest& digest) {
  file.text(key);
  file.text("\"");
  file.hex(digest);
  file.text("\"");
}

void write_tensor(OutputFile& file, const TensorRecord& tensor) {
  file.text("    {\"name\": ");
  file.quoted(tensor.name);
  file.text(", \"dtype\": ");
  file.quoted(tensor.dtype);
  file.text(", \"shape\": [");
  for (u64 i = 0; i < tensor.shape.size(); ++i) {
    if (i != 0) file.text(", ");
    file.number(tensor.shape[i]);
  }
  write_digest(file, "], \"digest\": ", tensor.digest);
  file.text("}");
}

void write_tensors(OutputFile& file, Span<const TensorRecord> tensors) {
  file.text(",\n  \"tensors\": [");
  for (u64 i = 0; i < tensors.size(); ++i) {
    file.text(i == 0 ? "\n" : ",\n");
    write_tensor(file, tensors[i]);
  }
  file.text(tensors.empty() ? "]" : "\n  ]");
}

void write_children(OutputFile& file, Span<const ChildManifest> children) {
  file.text(",\n  \"children\": [");
  for (u64 i = 0; i < children.size(); ++i) {
    file.text(i == 0 ? "\n    {\"role\": " : ",\n    {\"role\": ");
    file.number(children[i].role);
    write_digest(file, ", \"manifest\": ", children[i].digest);
    file.text("}");
  }
  file.text(children.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

Digest digest_of(const u8* bytes) {
  Digest digest;
  for (u64 i = 0; i < sizeof digest.byte; ++i) digest.byte[i] = bytes[i];
  return digest;
}

}  // namespace

bool write_shard(const StateFolder& folder, u64 generation, Span<const u8> header,
                 Span<TensorRecord> tensors, Span<const Span<const u8>> state_hash_pieces,
                 ShardRecord* shard, Failure* failure) {
  const GenerationFolder in(folder, generation, failure);
  if (in.fd() < 0) return false;
  OutputFile file(in.fd(), {folder, generation, kShardName});
  file.write(header.data(), header.size());
  for (TensorRecord& tensor : tensors) {
    file.write(tensor.data, tensor.bytes);
    tensor.digest = payload_digest(tensor.data, tensor.bytes);
  }
  shard->bytes = file.bytes();
  shard->state = state_hash(tensors, state_hash_pieces);
  return file.finish(&shard->sha256, failure);
}

bool write_manifest(const StateFolder& folder, const ManifestRecord& record, Digest* digest,
                    Failure* failure) {
  const GenerationFolder in(folder, record.generation, failure);
  if (in.fd() < 0) return false;
  OutputFile file(in.fd(), {folder, record.generation, kManifestName});
  file.text("{\n  \"format\": 1,\n  \"role\": ");
  file.number(folder.role);
  file.text(",\n  \"generation\": ");
  file.number(record.generation);
  file.text(",\n  \"round\": ");
  file.number(record.round);
  write_digest(file, ",\n  \"run\": ", digest_of(record.run));
  write_digest(file, ",\n  \"state_identity\": ", folder.state_identity);
  write_digest(file, ",\n  \"state\": ", record.shard.state);
  file.text(",\n  \"shard\": {\"file\": ");
  file.quoted(kShardName);
  file.text(", \"bytes\": ");
  file.number(record.shard.bytes);
  write_digest(file, ", \"sha256\": ", record.shard.sha256);
  file.text("}");
  write_tensors(file, record.tensors);
  write_children(file, record.children);
  if (!file.finish(digest, failure)) return false;
  i64 synced = kernel::fsync(in.fd());
  if (synced >= 0) synced = sync_folder(folder.fd, ".");
  return synced >= 0 || fail_call(failure, FailureKind::checkpoint, "flush",
                                  {folder, record.generation, ""}, synced);
}

}  // namespace alpha
