// What must hold of the disks after every life, and after any of them lost power: one whole state,
// the one that the root names, and a role that completed has published it.
#include <algorithm>
#include <cstring>

#include "simulate/world.h"
#include "state/place.h"

namespace alpha::simulate {

namespace {

constexpr u64 kHexBytes = 64;

std::string hex(const Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const u8 byte : digest.byte) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

const std::vector<u8>* World::file_of(u32 role, const std::string& path) const {
  const Disk& disk = machine_.disks[role];
  const u32 file = disk.find(0, "state/role-" + std::to_string(role) + "/" + path);
  return file == kNoFile || disk[file].folder ? nullptr : &disk[file].bytes;
}

// "G HEX\n", read apart from the code that is judged; 0 and "" where nothing is published.
bool World::published_of(u32 role, u64* generation, std::string* manifest) const {
  *generation = 0;
  manifest->clear();
  const std::vector<u8>* const pointer = file_of(role, kPointerName);
  if (pointer == nullptr) return true;
  const std::string text(pointer->begin(), pointer->end());
  const u64 space = text.find(' ');
  if (space == 0 || space > 6 || text.size() != space + 1 + kHexBytes + 1) return false;
  for (u64 i = 0; i < space; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    *generation = *generation * 10 + static_cast<u64>(text[i] - '0');
  }
  *manifest = text.substr(space + 1, kHexBytes);
  return *generation != 0 && text.back() == '\n';
}

// The life whose bytes a generation's shard holds, or 0: it is not there, or not whole.
u64 World::life_of(u32 role, u64 generation) const {
  const std::string folder = "generation-" + std::to_string(generation) + "/";
  const std::vector<u8>* const shard = file_of(role, folder + kShardName);
  for (u64 life = 1; shard != nullptr && life <= life_; ++life) {
    if (*shard == shard_of(role, life)) return life;
  }
  return 0;
}

// The root's generation is whole at every role, made in one life, each manifest named by its
// parent's.
std::string World::judge_whole(u32 role, u64 generation, u64 life, const std::string& named) const {
  const std::string folder = "generation-" + std::to_string(generation) + "/";
  const std::vector<u8>* const manifest = file_of(role, folder + kManifestName);
  if (manifest == nullptr || hex(sha256(manifest->data(), manifest->size())) != named) {
    return wrong(role, "has not the manifest that was committed");
  }
  if (life_of(role, generation) != life) return wrong(role, "has not the state that was committed");
  const std::string text(manifest->begin(), manifest->end());
  for (const u32 child : children_of(role)) {
    const std::string key = "{\"role\": " + std::to_string(child) + ", \"manifest\": \"";
    const u64 at = text.find(key);
    if (at == std::string::npos) return wrong(role, "has a manifest without a child's");
    const std::string found =
        judge_whole(child, generation, life, text.substr(at + key.size(), kHexBytes));
    if (!found.empty()) return found;
  }
  return {};
}

std::string World::judge_disks(const std::vector<End>& ends) {
  u64 committed = 0;
  std::string named;
  if (!published_of(0, &committed, &named)) return wrong(0, "has a torn pointer");
  if (committed < completed_) return wrong(0, "has lost what was committed");
  const u64 before = completed_;
  for (u32 role = 0; role < tables_.size(); ++role) {
    u64 own = 0;
    std::string manifest;
    if (!published_of(role, &own, &manifest)) return wrong(role, "has a torn pointer");
    if (own > committed) return wrong(role, "publishes what the root did not");
    if (own != 0 && life_of(role, own) == 0) return wrong(role, "publishes what is not whole");
    if (ends[role].state == Process::State::ended && ends[role].code == 0) {
      if (own <= before) return wrong(role, "completes without a published state");
      completed_ = committed;
    }
  }
  return committed == 0 ? std::string() : judge_whole(0, committed, life_of(0, committed), named);
}

}  // namespace alpha::simulate
