#include "core/checkpoint/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/checkpoint/json_text.h"
#include "core/checkpoint/json_walk.h"

namespace nns::checkpoint {

namespace {

/// The text of a value as people read it: strings without quotes, all else as it is, on one line.
base::Result<std::string> value_text(const JsonWalk& walk, std::string_view value) {
  if (value.starts_with('"')) return walk.read_string(value);
  std::string line;
  bool is_space = false;
  for (const char c : value) {
    if (c == '\n' || c == '\t' || c == '\r' || c == ' ') {
      is_space = true;
      continue;
    }
    if (is_space && !line.empty() && line.back() != '[' && line.back() != '{' && c != ']' && c != '}') line += ' ';
    is_space = false;
    line += c;
  }
  return line;
}

class ConfigReader {
 public:
  ConfigReader(std::string_view text, Checkpoint& document, std::string_view file)
      : document_(document), prefix_(file.substr(0, file.rfind('.'))) {
    walk_.start(text, std::string(file));
  }

  base::Result<void> read() {
    JsonCursor json(walk_.text());
    if (!json.skip_value()) return walk_.error(walk_.text(), json);
    json.skip_space();
    if (!json.at_end()) {
      return walk_.error(walk_.text().data() + json.at(), "the text goes on after its end", "only spaces");
    }
    NNS_TRY(add(prefix_, walk_.text()));
    // Several architectures, or none, say nothing of which one these weights are.
    if (architectures_.size() == 1 && document_.tree.size() != 0 && document_.tree.kind[0] == NodeKind::Module) {
      document_.tree.class_name[0] = document_.tree.strings.intern(architectures_.front());
      document_.tree.flags[0] = static_cast<std::uint8_t>(document_.tree.flags[0] & ~kClassInferred);
    }
    return {};
  }

 private:
  /// The nesting is at most 64: read() has looked.
  base::Result<void> add(const std::string& path, std::string_view text) {
    return walk_.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      const std::string place = fmt::format("{}.{}", path, key);
      if (value.starts_with('{') && value.size() > 2) return add(place, value);
      if (place == "config.architectures" && value.starts_with('[')) {
        NNS_TRY(walk_.each_item(value, [&](std::string_view item) -> base::Result<void> {
          if (!item.starts_with('"')) return {};
          NNS_TRY_ASSIGN(std::string name, walk_.read_string(item));
          architectures_.push_back(std::move(name));
          return {};
        }));
      }
      MetadataEntry entry{place, {}};
      NNS_TRY_ASSIGN(entry.value, value_text(walk_, value));
      document_.metadata.push_back(std::move(entry));
      return {};
    });
  }

  JsonWalk walk_;
  Checkpoint& document_;
  std::string prefix_;  // of the entries' keys
  std::vector<std::string> architectures_;
};

/// Whether a tensor has the name that GPTQ and AWQ give to packed integers.
bool has_packed_integers(const ModuleTree& tree) {
  for (std::uint32_t row = 0; row < tree.size(); ++row) {
    if (tree.tensor[row] != kNone && tree.strings.view(tree.name[row]) == "qweight") return true;
  }
  return false;
}

bool tells_quantization(const Checkpoint& document) {
  return std::any_of(document.metadata.begin(), document.metadata.end(),
                     [](const MetadataEntry& entry) { return entry.key.starts_with("config.quantization_config."); });
}

class ConfiguredTask final : public OpenTask {
 public:
  ConfiguredTask(std::unique_ptr<OpenTask> task, std::shared_ptr<FileSet> siblings)
      : task_(std::move(task)), siblings_(std::move(siblings)) {}

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (document_ == nullptr) {
      NNS_TRY_ASSIGN(const OpenState state, task_->step(budget));
      if (state != OpenState::Done) return state;
      document_ = task_->take();
    }
    for (; !file_.empty(); file_ = next_file()) {
      NNS_TRY_ASSIGN(const OpenState state, read_file(budget));
      if (state != OpenState::Done) return state;
    }
    return OpenState::Done;
  }
  Progress progress() const override { return task_->progress(); }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  /// The file behind file_ that is wanted, too; empty: none.
  std::string_view next_file() const {
    const bool is_wanted =
        file_ == kConfigName && !tells_quantization(*document_) && has_packed_integers(document_->tree);
    return is_wanted ? kQuantizeConfigName : std::string_view();
  }

  base::Result<OpenState> read_file(const base::Budget& budget) {
    if (text_ == nullptr) {
      auto source = siblings_->open(file_);
      if (!source) return OpenState::WaitingForFiles;
      if (!source->ok()) return OpenState::Done;  // most checkpoints have none
      text_ = std::make_unique<JsonText>(std::move(*source).value());
    }
    const auto is_read = text_->step(budget);
    if (is_read.ok() && !*is_read) return OpenState::Working;
    const std::size_t before = document_->metadata.size();
    const auto added =
        is_read.ok() ? add_config(text_->text(), *document_, file_) : base::Result<void>(is_read.error());
    if (!added.ok()) {
      document_->metadata.resize(before);
      document_->notes.push_back(
          fmt::format("{} is beside this file and cannot be read: {}", file_, added.error().message()));
    } else {
      document_->files.push_back({std::string(file_), text_->source()->size(), text_->source()});
    }
    text_ = nullptr;
    return OpenState::Done;
  }

  std::unique_ptr<OpenTask> task_;
  std::shared_ptr<FileSet> siblings_;
  std::unique_ptr<Checkpoint> document_;
  std::string_view file_ = kConfigName;  // that is read now
  std::unique_ptr<JsonText> text_;
};

}  // namespace

base::Result<void> add_config(std::string_view text, Checkpoint& document, std::string_view file) {
  return ConfigReader(text, document, file).read();
}

std::unique_ptr<OpenTask> with_config(std::unique_ptr<OpenTask> task, std::shared_ptr<FileSet> siblings) {
  return std::make_unique<ConfiguredTask>(std::move(task), std::move(siblings));
}

}  // namespace nns::checkpoint
