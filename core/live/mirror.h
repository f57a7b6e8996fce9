#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/live/comparison_view.h"
#include "core/live/console_view.h"
#include "core/live/document_view.h"
#include "core/live/message.h"
#include "core/live/trace_view.h"
#include "core/live/training_view.h"

namespace nns::live {

/// A job that a request started, as last told.
struct JobView {
  std::uint64_t request = 0;
  wire::JobState state = wire::JobState::Running;
  std::string text;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::optional<base::Error> error;
  bool is_held = false;  ///< it stands still until it is told to go on
};

/// The viewer's copy of what hosts told: built from the stream alone. Only the app applies messages; panels read.
/// Threads: one.
class Mirror {
 public:
  /// Takes over one message. Answers about a document that is closed by now are dropped.
  /// Errors: damaged, or of a kind that only a host receives; the Mirror is unchanged then.
  /// Cost: one pass over a document's columns, which are then read in place.
  base::Result<void> apply(Bytes bytes);
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
  /// The tile that answered such a `request` for a file, or null: only the newest one is kept.
  const wire::HeatTile* file_tile(std::uint64_t request) const;
  /// The comparison of two documents, or parts of them, as far as it was told, or null. Kept until one of them is
  /// closed or changes.
  std::shared_ptr<const ComparisonView> comparison(const Compared& of) const;
  /// What answered the request about a part of a tensor, or null.
  const wire::TensorStatistics* view_statistics(std::uint64_t request) const;
  const wire::ValueFound* value_found(std::uint64_t request) const;
  const wire::Values* values(std::uint64_t request) const;
  /// What is known of the values of all tensors: one a tensor, in the file's order; shorter while it is computed, empty
  /// before. Kept until the document changes or is closed.
  std::span<const wire::TensorNumbers> numbers(std::uint32_t document) const;
  /// What a scan of the document's files found, or null.
  const wire::Safety* safety(std::uint32_t document) const;
  /// The piece that answered `request`, or null: only the newest one is kept.
  const wire::TensorFilePiece* file_piece(std::uint64_t request) const;
  /// What the document's program wrote, or null: nothing yet.
  const ConsoleView* console(std::uint32_t document) const;
  /// The newest recording of the document's program, or null: it was not recorded.
  const TraceView* trace(std::uint32_t document) const;
  /// The newest call of a module of the document's program that was told of, or null.
  const wire::CallSummary* call(std::uint32_t document) const;
  /// What the compiler made of the document's program, or what its log says, as told last; or null.
  const wire::Capture* capture(std::uint32_t document) const;
  /// The newest step of the ranks that the document's program made, or null.
  const wire::Ranks* ranks(std::uint32_t document) const;
  /// What answered `request` of complete_text(), or null.
  const wire::Completions* completions(std::uint64_t request) const;
  /// The trainings that were told of, by their documents; null: there is none of that number.
  const std::map<std::uint32_t, TrainingView>& trainings() const { return trainings_; }
  const TrainingView* training(std::uint32_t document) const;
  /// The recipes that the host can train, or null: it trains none.
  const wire::Recipes* recipes() const;
  /// The recordings that are shown, by their numbers.
  const std::map<std::uint32_t, Message>& recordings() const { return recordings_; }
  /// What this viewer may do with a host on the other side of a network; nullopt: it was not told.
  std::optional<bool> may_control() const { return may_control_; }
  /// Events that were left out of the stream, because this viewer was slow.
  std::uint64_t left_out() const { return left_out_; }
  /// The connection to a host was lost and is there again: what it tells from now on takes the place of what it told.
  void begin_again(std::uint32_t first);
  /// How often that happened: a host that is met again knows nothing of what was asked of it before.
  std::uint64_t beginnings() const { return beginnings_; }
  /// What answered `request` of check_source(), or null.
  const wire::SourceLooks* source_looks(std::uint64_t request) const;
  /// The text that the document's program runs, or null: it has none, or it has not come yet.
  const wire::ProgramSource* source(std::uint32_t document) const;
  /// The way through a program's recording, or null.
  const wire::Lesson* lesson(std::uint32_t document) const;
  /// A host is gone that told of the documents from `first` on, and will answer none of `requests`: they fail with
  /// `why`.
  void lose_host(std::uint32_t first, const std::set<std::uint64_t>& requests, const base::Error& why);

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  // The newest message of each key, for the keys that were last told.
  class Recent {
   public:
    explicit Recent(std::size_t most = 64) : most_(most) {}
    void keep(Key key, Message message);
    void forget_document(std::uint64_t document);
    const Message* find(Key key) const;

   private:
    std::size_t most_;
    std::map<Key, Message> by_key_;
    std::deque<Key> order_;
  };

  base::Result<void> apply_document(Message message);
  /// To the console of a program. Units: bytes.
  std::uint64_t written(std::uint32_t document) const;
  base::Result<void> apply_answer(Message message);
  base::Result<void> apply_comparison(Message message);
  base::Result<void> apply_live(Message message);
  void forget_answers(std::uint32_t document);

  std::uint64_t version_ = 0;
  std::optional<Message> hello_;
  std::vector<std::shared_ptr<const DocumentView>> documents_;
  std::vector<std::shared_ptr<ComparisonView>> comparisons_;
  std::map<std::uint64_t, JobView> jobs_;
  Recent details_;     // by document and row
  Recent facts_;       // by document and tensor
  Recent statistics_;  // by document and tensor
  Recent tiles_;       // by request
  Recent parts_;       // statistics, finds and values of parts, by request
  std::map<std::uint32_t, std::vector<wire::TensorNumbers>> numbers_;  // by document
  std::map<std::uint32_t, ConsoleView> consoles_;                      // by document
  std::map<std::uint32_t, TraceView> traces_;                          // by document
  Recent safety_;                                                      // by document
  std::map<std::uint32_t, TrainingView> trainings_;                    // by document
  std::map<std::uint32_t, Message> recordings_;
  std::uint64_t beginnings_ = 0;
  std::optional<Message> recipes_;
  std::optional<bool> may_control_;
  std::uint64_t left_out_ = 0;
  std::map<std::uint32_t, Message> program_sources_;  // by document
  std::map<std::uint32_t, Message> calls_;            // by document
  std::map<std::uint32_t, Message> captures_;         // by document
  std::map<std::uint32_t, Message> ranks_;            // by document
  std::map<std::uint32_t, Message> lessons_;          // by document
  Recent source_looks_{8};  // by request: one for each text that is on the screen, and each may be large
  std::optional<Message> file_piece_;
  std::optional<Message> file_tile_;
};

}  // namespace nns::live
