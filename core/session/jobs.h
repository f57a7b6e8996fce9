#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
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
  Job(std::uint64_t request, std::uint32_t document) : request_(request), document_(document) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  std::uint64_t request() const { return request_; }
  /// The document that it works on; 0 while there is none yet.
  std::uint32_t document() const { return document_; }

  /// Works for about the budget and sends what is ready. Errors end the job.
  virtual base::Result<JobStep> step(const base::Budget& budget, const Send& send) = 0;
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
};

/// Opens a source; `opened` gets the document once its header was read.
using Opened = std::function<base::Result<void>(std::unique_ptr<checkpoint::Checkpoint> document)>;
std::unique_ptr<Job> make_open_job(std::uint64_t request, std::uint64_t source, std::string name, std::string url,
                                   std::shared_ptr<SourceProvider> sources, Opened opened);
/// Ends in a TensorStatistics message.
std::unique_ptr<Job> make_statistics_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source);
/// Sends HeatTile messages, the last one exact.
std::unique_ptr<Job> make_tile_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                   const checkpoint::HeatRegion& region);

}  // namespace nns::session
