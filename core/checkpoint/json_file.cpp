#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/json_rows.h"
#include "core/checkpoint/json_text.h"
#include "core/checkpoint/model_config.h"
#include "core/checkpoint/shards.h"

namespace nns::checkpoint {

namespace {

/// Only what a model says of itself: its config.json, the arguments of its constructor.
class JsonDocument final : public Checkpoint {
 public:
  ObjectDescription describe(std::uint32_t node) const override {
    ObjectDescription description = describe_inferred(*this, node);
    description.inferred = false;  // the text says what everything is
    return description;
  }
};

/// A JSON object: the index of a model's shards if it has a weight_map, else a tree of its entries.
class JsonTask final : public OpenTask {
 public:
  JsonTask(std::shared_ptr<base::ByteSource> source, std::shared_ptr<FileSet> siblings)
      : text_(source),
        siblings_(std::move(siblings)),
        document_(std::make_unique<JsonDocument>()),
        builder_(document_->tree.strings, NodeKind::Container) {
    name_document(*document_, "json", source);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (shards_ != nullptr) return shards_->step(budget);
    if (rows_ == nullptr) {
      NNS_TRY_ASSIGN(const bool is_read, text_.step(budget));
      if (!is_read) return OpenState::Working;
      rows_ = std::make_unique<JsonRows>(text_.text(), text_.source()->name(), builder_, 0, "weight_map");
    }
    NNS_TRY_ASSIGN(const bool is_done, rows_->step(budget));
    if (!is_done) return OpenState::Working;
    if (rows_->stopped()) {
      shards_ = open_sharded_index(std::move(text_), std::move(siblings_));
      return OpenState::Working;
    }
    NNS_TRY(builder_.finish(SiblingOrder::AsAdded, *document_));
    if (title_of(text_.source()->name()) == kQuantizeConfigName) {
      document_->notes.emplace_back(
          "How the weights of a model are packed. The weights are other files: open them, or the folder, to see both.");
    }
    return OpenState::Done;
  }
  Progress progress() const override {
    if (shards_ != nullptr) return shards_->progress();
    return {rows_ == nullptr ? 0 : rows_->done(), text_.source()->size()};
  }
  std::unique_ptr<Checkpoint> take() override { return shards_ != nullptr ? shards_->take() : std::move(document_); }

 private:
  JsonText text_;
  std::shared_ptr<FileSet> siblings_;
  std::unique_ptr<JsonDocument> document_;
  TreeBuilder builder_;
  std::unique_ptr<JsonRows> rows_;
  std::unique_ptr<OpenTask> shards_;
};

}  // namespace

bool recognises_json(const Beginning& beginning) {
  const std::size_t at = beginning.text().find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && beginning.text()[at] == '{';
}

base::Result<std::unique_ptr<OpenTask>> open_json(std::shared_ptr<base::ByteSource> source,
                                                  std::shared_ptr<FileSet> siblings) {
  return std::unique_ptr<OpenTask>(std::make_unique<JsonTask>(std::move(source), std::move(siblings)));
}

}  // namespace nns::checkpoint
