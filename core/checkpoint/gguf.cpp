#include <fmt/format.h>

#include <string_view>

#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/gguf_header.h"
#include "core/checkpoint/swapped_source.h"

namespace nns::checkpoint {

namespace {

constexpr std::string_view kMagic = "GGUF";

class GgufCheckpoint final : public Checkpoint {
 public:
  std::vector<const GgmlType*> types;  // one a tensor
  bool big_endian = false;

  ObjectDescription describe(std::uint32_t node) const override { return describe_inferred(*this, node); }

  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override {
    const GgmlType& type = *types[tensor];
    NNS_TRY_ASSIGN(auto bytes, storage_bytes(tensors[tensor].storage));
    if (!type.is_plain()) return make_ggml_source(std::move(bytes), type, big_endian);
    if (!big_endian || type.block_bytes == 1) return bytes;
    return make_swapped_source(std::move(bytes), static_cast<std::uint8_t>(type.block_bytes));
  }
};

class GgufTask final : public OpenTask {
 public:
  explicit GgufTask(std::shared_ptr<base::ByteSource> source)
      : document_(std::make_unique<GgufCheckpoint>()), builder_(document_->tree.strings) {
    name_document(*document_, "gguf", source);
    header_ = std::make_unique<GgufHeader>(std::move(source), *document_, builder_);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (!is_read_) {
      NNS_TRY_ASSIGN(is_read_, header_->step(budget));
      if (!is_read_) return OpenState::Working;
      document_->types = header_->take_types();
      document_->big_endian = header_->big_endian();
      if (budget.spent()) return OpenState::Working;
    }
    NNS_TRY(builder_.finish(SiblingOrder::Natural, *document_));
    return OpenState::Done;
  }
  Progress progress() const override {
    if (document_ == nullptr) return {};
    return {header_->done(), header_->total()};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  std::unique_ptr<GgufCheckpoint> document_;
  TreeBuilder builder_;
  std::unique_ptr<GgufHeader> header_;
  bool is_read_ = false;
};

}  // namespace

bool recognises_gguf(const Beginning& beginning) {
  // What a download leaves that stopped at once; no file of another format is so short and begins like this.
  const bool is_cut = beginning.file_size > 0 && beginning.file_size < kMagic.size();
  return is_cut ? kMagic.starts_with(beginning.text()) : beginning.starts_with(kMagic);
}

base::Result<std::unique_ptr<OpenTask>> open_gguf(std::shared_ptr<base::ByteSource> source, std::shared_ptr<FileSet>) {
  if (source->size() < kMagic.size()) {
    return base::Error{fmt::format("the file is cut: it ends after \"{}\"",
                                   kMagic.substr(0, static_cast<std::size_t>(source->size()))),
                       "a whole GGUF file, which begins with \"GGUF\", a version and the number of its tensors",
                       source->name(), source->size()};
  }
  return std::unique_ptr<OpenTask>(std::make_unique<GgufTask>(std::move(source)));
}

}  // namespace nns::checkpoint
