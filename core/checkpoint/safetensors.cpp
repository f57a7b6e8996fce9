#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/safetensors_header.h"

namespace nns::checkpoint {

namespace {

class SafetensorsCheckpoint final : public Checkpoint {
 public:
  ObjectDescription describe(std::uint32_t node) const override { return describe_inferred(*this, node); }

  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override {
    return safetensors_values(*this, tensor, Checkpoint::value_bytes(tensor));
  }
};

class SafetensorsTask final : public OpenTask {
 public:
  explicit SafetensorsTask(std::shared_ptr<base::ByteSource> source)
      : document_(std::make_unique<SafetensorsCheckpoint>()), builder_(document_->tree.strings) {
    name_document(*document_, "safetensors", source);
    header_ = std::make_unique<SafetensorsHeader>(std::move(source), 0, *document_, builder_);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (!is_read_) {
      NNS_TRY_ASSIGN(is_read_, header_->step(budget));
      if (!is_read_ || budget.spent()) return OpenState::Working;
    }
    NNS_TRY(builder_.finish(SiblingOrder::Natural, *document_));
    return OpenState::Done;
  }
  Progress progress() const override { return {header_->done(), header_->total()}; }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  std::unique_ptr<SafetensorsCheckpoint> document_;
  TreeBuilder builder_;
  std::unique_ptr<SafetensorsHeader> header_;
  bool is_read_ = false;
};

}  // namespace

bool recognises_safetensors(const Beginning& beginning) {
  // A '{' after eight bytes; a length that cannot be is for the reader to refuse, with reason.
  return beginning.bytes.size() > 8 && beginning.text()[8] == '{';
}

base::Result<std::unique_ptr<OpenTask>> open_safetensors(std::shared_ptr<base::ByteSource> source,
                                                         std::shared_ptr<FileSet>) {
  return std::unique_ptr<OpenTask>(std::make_unique<SafetensorsTask>(std::move(source)));
}

}  // namespace nns::checkpoint
