#include "ui/app/checkpoint_export.h"

#include <optional>
#include <string>

#include "ui/model/training_summary.h"

namespace nns::app {

namespace {

constexpr std::uint64_t kMostPendingBytes = 32U << 20U;

class CheckpointFile final : public exports::Export {
 public:
  CheckpointFile(Requests& requests, const live::Mirror& mirror, std::uint32_t document)
      : requests_(requests), mirror_(mirror), document_(document) {}

  double progress() const override {
    return total_ == 0 ? 0 : static_cast<double>(next_) / static_cast<double>(total_);
  }

  base::Result<bool> step(host::SaveFile& file, const base::Budget&) override {
    if (file.pending() > kMostPendingBytes) return false;
    const live::TrainingView* const training = mirror_.training(document_);
    if (training == nullptr || training->state() == nullptr) return gone();
    if (!asked_) {
      known_ = count(*training);
      if (model::is_over(training->state()->state())) {
        asked_ = 0;
        known_ = 0;
      } else {
        asked_ = requests_.control_training(document_, live::wire::TrainingAction::Checkpoint);
      }
    }
    if (const auto failed = failure(*asked_)) return *failed;
    if (name_.empty()) {
      if (count(*training) <= known_) {
        if (model::is_over(training->state()->state())) return gone();
        return false;
      }
      const auto& all = *training->checkpoints()->checkpoints();
      name_ = live::text_of(all.Get(all.size() - 1)->name());
    }
    if (!request_) request_ = requests_.read_checkpoint(document_, name_, next_);
    if (const auto failed = failure(*request_)) return *failed;
    const live::wire::TensorFilePiece* piece = mirror_.file_piece(*request_);
    if (piece == nullptr) return false;
    file.write({reinterpret_cast<const char*>(piece->bytes()->data()), piece->bytes()->size()});
    next_ = piece->next();
    total_ = piece->total();
    request_.reset();
    return next_ >= total_;
  }

 private:
  static std::uint32_t count(const live::TrainingView& training) {
    return training.checkpoints() == nullptr ? 0 : training.checkpoints()->checkpoints()->size();
  }
  static base::Error gone() {
    return {.found = "the run took no checkpoint",
            .expected = "one that goes on to its next step",
            .where = {},
            .offset = std::nullopt};
  }
  std::optional<base::Error> failure(std::uint64_t request) const {
    const auto job = mirror_.jobs().find(request);
    return job != mirror_.jobs().end() ? job->second.error : std::nullopt;
  }

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  std::optional<std::uint64_t> asked_, request_;
  std::uint32_t known_ = 0;
  std::string name_;
  std::uint64_t next_ = 0, total_ = 0;
};

}  // namespace

std::unique_ptr<exports::Export> export_checkpoint(Requests& requests, const live::Mirror& mirror,
                                                   std::uint32_t document) {
  return std::make_unique<CheckpointFile>(requests, mirror, document);
}

}  // namespace nns::app
