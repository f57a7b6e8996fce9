#include "core/checkpoint/shard_index.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::checkpoint {

namespace {

constexpr std::size_t kNamesPerLook = 1024;
constexpr std::size_t kMaxShards = 65'536;

/// Whether a shard's name stays in the folder of the index.
bool stays_in_folder(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
      name.find(':') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    return false;
  }
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part == "..") return false;
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return true;
}

}  // namespace

base::Error ShardIndexReader::error(std::size_t at, std::string found, std::string expected) const {
  return {std::move(found), std::move(expected), where_, at};
}

base::Result<bool> ShardIndexReader::step(const base::Budget& budget) {
  if (!started_ && !cursor_.expect('{')) return json_error(cursor_, where_);
  started_ = true;
  while (true) {
    if (in_map_) {
      NNS_TRY_ASSIGN(const bool complete, read_weight_map(budget));
      if (!complete) return false;
      in_map_ = false;
    }
    if (cursor_.accept('}')) break;
    if (!first_key_ && !cursor_.expect(',')) return json_error(cursor_, where_);
    first_key_ = false;
    cursor_.skip_space();
    const std::size_t at = cursor_.at();
    std::string_view key;
    if (!cursor_.string(key)) return json_error(cursor_, where_);
    if (key == "weight_map") {
      if (saw_map_) return error(at, "weight_map appears twice", "one");
      saw_map_ = true;
      if (!cursor_.expect(':') || !cursor_.expect('{')) return json_error(cursor_, where_);
      in_map_ = true;
    } else if (key == "metadata") {
      if (!cursor_.expect(':')) return json_error(cursor_, where_);
      NNS_TRY(read_metadata());
    } else if (!cursor_.expect(':') || !cursor_.skip_value()) {
      return json_error(cursor_, where_);
    }
  }
  cursor_.skip_space();
  if (!cursor_.at_end()) return error(cursor_.at(), "the text goes on after its last '}'", "only spaces");
  return true;
}

base::Result<void> ShardIndexReader::read_metadata() {
  cursor_.skip_space();
  if (cursor_.at() < text_.size() && text_[cursor_.at()] != '{') {
    if (!cursor_.skip_value()) return json_error(cursor_, where_);
    return {};
  }
  if (!cursor_.expect('{')) return json_error(cursor_, where_);
  for (bool is_first = true; !cursor_.accept('}'); is_first = false) {
    if (!is_first && !cursor_.expect(',')) return json_error(cursor_, where_);
    std::string_view text;
    MetadataEntry entry;
    if (!cursor_.string(text)) return json_error(cursor_, where_);
    entry.key = text;
    if (!cursor_.expect(':')) return json_error(cursor_, where_);
    cursor_.skip_space();
    const bool is_string = cursor_.at() < text_.size() && text_[cursor_.at()] == '"';
    if (!(is_string ? cursor_.string(text) : cursor_.skip_value(&text))) return json_error(cursor_, where_);
    entry.value = text;
    document_.metadata.push_back(std::move(entry));
  }
  return {};
}

base::Result<bool> ShardIndexReader::read_weight_map(const base::Budget& budget) {
  for (std::size_t since_look = 0; !cursor_.accept('}'); ++since_look) {
    if (since_look == kNamesPerLook) {
      if (budget.spent()) return false;
      since_look = 0;
    }
    if (!index_.entries.empty() && !cursor_.expect(',')) return json_error(cursor_, where_);
    cursor_.skip_space();
    std::string_view text;
    if (!cursor_.string(text)) return json_error(cursor_, where_);
    ShardIndex::Entry entry{};
    entry.name = document_.names.append(text);
    if (!cursor_.expect(':')) return json_error(cursor_, where_);
    cursor_.skip_space();
    const std::size_t at = cursor_.at();
    if (!cursor_.string(text)) return json_error(cursor_, where_);
    NNS_TRY_ASSIGN(entry.shard, shard_number(at, text));
    index_.entries.push_back(entry);
  }
  return true;
}

base::Result<std::uint32_t> ShardIndexReader::shard_number(std::size_t at, std::string_view name) {
  std::string key(name);
  const auto known = shard_numbers_.find(key);
  if (known != shard_numbers_.end()) return known->second;
  if (!stays_in_folder(name)) {
    return error(at, fmt::format("shard \"{}\" lies outside the folder of the index", name.substr(0, 200)),
                 "a plain file name");
  }
  if (index_.shards.size() == kMaxShards) return error(at, fmt::format("more than {} shards", kMaxShards), "fewer");
  const auto number = static_cast<std::uint32_t>(index_.shards.size());
  index_.shards.push_back(key);
  shard_numbers_.emplace(std::move(key), number);
  return number;
}

}  // namespace nns::checkpoint
