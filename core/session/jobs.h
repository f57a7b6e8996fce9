#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/find_value.h"
#include "core/checkpoint/heat_tile.h"
#include "core/checkpoint/statistics.h"
#include "core/session/answers.h"
#include "core/session/host.h"

namespace nns::session {

enum class JobStep : std::uint8_t { Working, Waiting, Done };

/// Something that a request started and that takes longer than one slice.
class Job {
 public:
  using Send = std::function<void(live::Bytes)>;
  Job(std::uint64_t request, std::uint32_t document, std::uint32_t other = 0)
      : request_(request), document_(document), other_(other) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  std::uint64_t request() const { return request_; }
  /// The document that it works on; 0 while there is none yet.
  std::uint32_t document() const { return document_; }
  /// Whether it reads that document.
  bool works_on(std::uint32_t document) const { return document == document_ || document == other_; }

  /// Works for about the budget and sends what is ready. Errors end the job.
  virtual base::Result<JobStep> step(const base::Budget& budget, const Send& send) = 0;
  /// It will not go on: what it leaves behind is told. Nothing follows but its end.
  virtual void cancel(const Send& /*send*/) {}
  /// No step follows until it is let go. What can be told of what it has done up to here is told.
  virtual base::Result<void> hold(const Send& /*send*/) { return {}; }
  /// While it is held, whenever the host has heard something.
  virtual void rest(const Send& /*send*/) {}
  struct Progress {
    std::string text;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    friend bool operator==(const Progress&, const Progress&) = default;
  };
  virtual Progress progress() const = 0;

 private:
  std::uint64_t request_;
  std::uint32_t document_;
  std::uint32_t other_;
};

/// The file that a viewer named; nothing while it is on its way. `expected` says what it was to be.
/// Errors: a folder, and what the platform says.
std::optional<base::Result<SourceProvider::Opened>> open_file(SourceProvider& sources, std::uint64_t source,
                                                              const std::string& name, const std::string& url,
                                                              std::string expected);

/// Opens a source; `opened` gets the document once its header was read.
using Opened = std::function<base::Result<void>(std::unique_ptr<checkpoint::Checkpoint> document)>;
std::unique_ptr<Job> make_open_job(std::uint64_t request, std::uint64_t source, std::string name, std::string url,
                                   std::shared_ptr<SourceProvider> sources, Opened opened);
/// Ends in a TensorStatistics message, or, of a part of a tensor, in a ViewStatistics message.
std::unique_ptr<Job> make_statistics_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                         bool is_part);
/// Sends HeatTile messages, the last one exact; `for_file` only that. `other`: a second document that `source` reads.
std::unique_ptr<Job> make_tile_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                   const checkpoint::HeatRegion& region, bool for_file, std::uint32_t other = 0);
/// Sends what a scan of the files finds, together, as one Safety message. A file that cannot be read is a finding, too.
std::unique_ptr<Job> make_scan_job(std::uint64_t request, std::uint32_t document, const checkpoint::Checkpoint& file);

/// Ends in a ValueFound message.
std::unique_ptr<Job> make_find_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                   checkpoint::FindWhat what, std::uint64_t from);
/// Ends in a Values message of the region's values, whose width and height say nothing here.
std::unique_ptr<Job> make_values_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                     const checkpoint::HeatRegion& region);

/// Sends ModelStatistics messages of the tensors from `key.subject` on, which is at most their number.
std::unique_ptr<Job> make_model_statistics_job(const AnswerKey& key, checkpoint::Checkpoint& document);

}  // namespace nns::session
