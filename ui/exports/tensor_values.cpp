#include "ui/exports/tensor_values.h"

#include <optional>
#include <utility>

namespace nns::exports {

namespace {

constexpr std::uint64_t kPieceValues = 1U << 16U;
constexpr std::uint64_t kMostPendingValues = 8U << 20U;

class TensorValues final : public Export {
 public:
  TensorValues(const live::Mirror& mirror, std::uint32_t document, PieceAsker ask)
      : mirror_(mirror), document_(document), ask_(std::move(ask)) {}

  double progress() const override {
    return total_ == 0 ? 0 : static_cast<double>(next_) / static_cast<double>(total_);
  }

  base::Result<bool> step(host::SaveFile& file, const base::Budget&) override {
    if (file.pending() > kMostPendingValues) return false;
    if (mirror_.document(document_) == nullptr)
      return base::Error{"the document was closed", "it stays open until its tensor is saved", {}, std::nullopt};
    if (!request_) request_ = ask_(next_, kPieceValues);
    if (const auto job = mirror_.jobs().find(*request_); job != mirror_.jobs().end() && job->second.error)
      return *job->second.error;
    const live::wire::TensorFilePiece* piece = mirror_.file_piece(*request_);
    if (piece == nullptr) return false;
    file.write({reinterpret_cast<const char*>(piece->bytes()->data()), piece->bytes()->size()});
    next_ = piece->next();
    total_ = piece->total();
    request_.reset();
    if (next_ < total_) request_ = ask_(next_, kPieceValues);
    return next_ >= total_;
  }

 private:
  const live::Mirror& mirror_;
  std::uint32_t document_;
  PieceAsker ask_;
  std::optional<std::uint64_t> request_;
  std::uint64_t next_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

std::unique_ptr<Export> make_tensor_values(const live::Mirror& mirror, std::uint32_t document, PieceAsker ask) {
  return std::make_unique<TensorValues>(mirror, document, std::move(ask));
}

}  // namespace nns::exports
