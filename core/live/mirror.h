#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/live/message.h"

namespace nns::live {

/// A document as the stream last told it; keeps the message and reads its columns in place.
class DocumentView {
 public:
  explicit DocumentView(Message message);

  const wire::Document& get() const { return *document_; }
  std::uint32_t id() const { return document_->id(); }
  std::uint32_t version() const { return document_->version(); }

  std::uint32_t row_count() const { return row_count_; }
  std::uint32_t parent(std::uint32_t row) const { return parent_[row]; }
  std::uint32_t end(std::uint32_t row) const { return end_[row]; }
  std::string_view name(std::uint32_t row) const { return text(name_[row]); }
  std::string_view class_name(std::uint32_t row) const { return text(class_name_[row]); }
  std::string_view preview(std::uint32_t row) const { return text(preview_[row]); }
  std::uint8_t kind(std::uint32_t row) const { return kind_[row]; }      ///< checkpoint::NodeKind
  std::uint8_t flags(std::uint32_t row) const { return flags_[row]; }    ///< checkpoint::NodeFlag
  std::uint32_t tensor(std::uint32_t row) const { return tensor_[row]; }
  std::uint64_t parameters(std::uint32_t row) const { return parameters_[row]; }
  std::uint64_t bytes(std::uint32_t row) const { return bytes_[row]; }
  std::uint32_t structure(std::uint32_t row) const { return structure_[row]; }
  std::string_view text(std::uint32_t string) const;

  std::uint32_t tensor_count() const { return tensor_count_; }
  std::string_view dtype_name(std::uint32_t tensor) const;
  std::span<const std::int64_t> shape(std::uint32_t tensor) const;
  std::span<const std::int64_t> stride(std::uint32_t tensor) const;
  /// "model.layers.0.weight": names from below the root down to `row`, joined by dots ("/" below a Container).
  std::string path(std::uint32_t row) const;

  /// Every index of every column lies inside what it points to; called once on receipt, so that the getters need no checks.
  /// Errors: names the first column that does not hold.
  static base::Result<std::shared_ptr<const DocumentView>> check(Message message);

 private:
  Message message_;
  const wire::Document* document_;
  std::uint32_t row_count_ = 0;
  std::uint32_t tensor_count_ = 0;
  const std::uint32_t* parent_ = nullptr;
  const std::uint32_t* end_ = nullptr;
  const std::uint32_t* name_ = nullptr;
  const std::uint32_t* class_name_ = nullptr;
  const std::uint32_t* preview_ = nullptr;
  const std::uint8_t* kind_ = nullptr;
  const std::uint8_t* flags_ = nullptr;
  const std::uint32_t* tensor_ = nullptr;
  const std::uint64_t* parameters_ = nullptr;
  const std::uint64_t* bytes_ = nullptr;
  const std::uint32_t* structure_ = nullptr;
};

/// A job that a request started, as last told.
struct JobView {
  std::uint64_t request = 0;
  wire::JobState state = wire::JobState_Running;
  std::string text;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::optional<base::Error> error;
};

/// The viewer's copy of what hosts told: built from the stream alone. Only the app applies messages; panels read.
/// Threads: one.
class Mirror {
 public:
  /// Takes over one message. Errors: damaged, or of a kind that only a host receives; the Mirror is unchanged then.
  base::Result<void> apply(std::vector<std::byte> bytes);
  /// Grows with every change; a view model that was computed at an older version is stale.
  std::uint64_t version() const { return version_; }

  /// Null until the host said hello.
  const wire::Hello* hello() const;
  /// In the order in which they were opened.
  const std::vector<std::shared_ptr<const DocumentView>>& documents() const { return documents_; }
  std::shared_ptr<const DocumentView> document(std::uint32_t id) const;
  /// Jobs by request; finished ones stay until forget_job().
  const std::map<std::uint64_t, JobView>& jobs() const { return jobs_; }
  void forget_job(std::uint64_t request) { jobs_.erase(request); }

  /// The newest answer for that row or tensor, or null. Kept for the most recent 64 of each kind.
  const wire::ObjectDetails* details(std::uint32_t document, std::uint32_t node) const;
  const wire::TensorFacts* facts(std::uint32_t document, std::uint32_t tensor) const;
  const wire::TensorStatistics* statistics(std::uint32_t document, std::uint32_t tensor) const;
  /// The newest tile that answered `request`, or null.
  const wire::HeatTile* tile(std::uint64_t request) const;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  struct Recent {
    std::map<Key, Message> by_key;
    std::deque<Key> order;
    void keep(Key key, Message message);
    const Message* find(Key key) const;
  };

  std::uint64_t version_ = 0;
  std::optional<Message> hello_;
  std::vector<std::shared_ptr<const DocumentView>> documents_;
  std::map<std::uint64_t, JobView> jobs_;
  Recent details_;
  Recent facts_;
  Recent statistics_;
  std::map<std::uint64_t, Message> tiles_;
};

}  // namespace nns::live
