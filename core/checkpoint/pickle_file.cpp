#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/format.h"
#include "core/checkpoint/pickled_checkpoint.h"
#include "core/checkpoint/torch_objects.h"
#include "core/checkpoint/torch_tree.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

constexpr std::size_t kMaxPickles = 100'000;
constexpr std::size_t kPickleReadStep = 4U << 20U;

/// A bare pickle, or several one after the other: the globals with verdicts, and the values as far as they can be read.
class PickleTask final : public OpenTask {
 public:
  explicit PickleTask(std::shared_ptr<base::ByteSource> source)
      : document_(std::make_unique<PickledCheckpoint>()), builder_(document_->tree.strings, NodeKind::Container) {
    name_document(*document_, "pickle or unknown", source);
    document_->source = std::move(source);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (document_->machine == nullptr) {
      NNS_TRY_ASSIGN(const bool complete, read_bytes(budget));
      if (!complete) return OpenState::Working;
    }
    if (tree_ == nullptr) {
      NNS_TRY_ASSIGN(const bool complete, read_pickles(budget));
      if (!complete) return OpenState::Working;
      document_->globals = document_->machine->globals();
      objects_ = std::make_unique<TorchObjects>(*document_, "", false);
      tree_ = std::make_unique<TorchTree>(*document_, builder_, *objects_);
      if (results_.size() == 1) {
        NNS_TRY(tree_->start(results_[0], 0, {}));
        ++started_;
      }
    }
    while (true) {
      NNS_TRY_ASSIGN(const bool complete, tree_->step(budget));
      if (!complete) return OpenState::Working;
      if (started_ == results_.size()) break;
      const std::string name = fmt::format("{}", started_);
      NNS_TRY(tree_->start(results_[started_], builder_.add(0, name, NodeKind::Value), name));
      ++started_;
    }
    NNS_TRY(lay_out(*document_, builder_, tree_.get()));
    return OpenState::Done;
  }

  Progress progress() const override {
    if (document_ == nullptr || document_->machine == nullptr) return {};
    return {document_->machine->position(), document_->machine->size()};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  base::Result<bool> read_bytes(const base::Budget& budget) {
    base::ByteSource& source = *document_->source;
    ZipBytes& pickle = document_->pickle;
    if (source.size() > kMaxPickle) {
      return base::Error{fmt::format("a pickle of {} bytes", source.size()), fmt::format("at most {}", kMaxPickle),
                         source.name(), 0};
    }
    if (const auto view = pickle.owned.empty() ? source.view(0, source.size()) : std::nullopt) {
      pickle.bytes = *view;
    } else {
      const auto size = static_cast<std::size_t>(source.size());
      while (pickle.owned.size() < size) {
        const std::size_t done = pickle.owned.size();
        pickle.owned.resize(std::min(size, done + kPickleReadStep));
        NNS_TRY(source.read(done, std::span(pickle.owned).subspan(done)));
        if (pickle.owned.size() < size && budget.spent()) return false;
      }
      pickle.bytes = pickle.owned;
    }
    document_->machine = std::make_unique<PickleMachine>(
        std::string_view(reinterpret_cast<const char*>(pickle.bytes.data()), pickle.bytes.size()), source.name(), "");
    return true;
  }

  base::Result<bool> read_pickles(const base::Budget& budget) {
    PickleMachine& machine = *document_->machine;
    while (true) {
      const std::size_t begin = machine_begin_;
      auto done = machine.step(budget);
      if (!done.ok()) {
        // Something was read: show it, and say where it breaks.
        if (results_.empty() && machine.globals().empty()) return std::move(done).error();
        document_->notes.push_back(
            results_.empty()
                ? "The pickle is broken; only the globals before that place are listed: " + done.error().message()
                : fmt::format("After {} whole {}, what follows at byte {} is no pickle: {}", results_.size(),
                              results_.size() == 1 ? "pickle" : "pickles", begin, done.error().message()));
        return true;
      }
      if (!*done) return false;
      results_.push_back(machine.result());
      machine_begin_ = machine.position();
      if (machine.position() == machine.size()) return true;
      if (results_.size() == kMaxPickles) {
        document_->notes.push_back(fmt::format("Only the first {} pickles of this file were read.", kMaxPickles));
        return true;
      }
      machine.restart();
    }
  }

  std::unique_ptr<PickledCheckpoint> document_;
  TreeBuilder builder_;
  std::vector<PickleId> results_;
  std::size_t machine_begin_ = 0;
  std::size_t started_ = 0;
  std::unique_ptr<TorchObjects> objects_;
  std::unique_ptr<TorchTree> tree_;
};

}  // namespace

bool recognises_pickle(const Beginning& beginning) {
  if (beginning.bytes.empty()) return false;
  const std::string_view text = beginning.text();
  if (text.size() >= 2 && text[0] == '\x80') return static_cast<unsigned char>(text[1]) <= 5;
  // Protocols 0 and 1 have no magic; these opcodes push the first value.
  return std::string_view("(])}cILFSVNKMJGUTXi").find(text[0]) != std::string_view::npos;
}

base::Result<std::unique_ptr<OpenTask>> open_pickle(std::shared_ptr<base::ByteSource> source,
                                                    std::shared_ptr<FileSet>) {
  return std::unique_ptr<OpenTask>(std::make_unique<PickleTask>(std::move(source)));
}

}  // namespace nns::checkpoint
