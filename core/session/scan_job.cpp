#include <fmt/format.h>

#include "core/checkpoint/scan.h"
#include "core/session/jobs.h"

namespace nns::session {

namespace {

namespace wire = live::wire;
using checkpoint::Finding;

class ScanJob final : public Job {
 public:
  ScanJob(std::uint64_t request, std::uint32_t document, const checkpoint::Checkpoint& file)
      : Job(request, document), name_(file.title) {
    // What was read as one of these holds no code, and has been looked at from its first byte to its last.
    if (file.format.rfind("safetensors", 0) == 0 || file.format == "gguf") return;
    for (const auto& entry : file.files) {
      if (entry.source != nullptr) sources_.push_back(entry.source);
    }
  }

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    while (next_ < sources_.size()) {
      if (task_ == nullptr) task_ = std::make_unique<checkpoint::ScanTask>(sources_[next_]);
      const auto done = task_->step(budget);
      if (done.ok() && !*done) return JobStep::Working;
      for (Finding finding : task_->report().findings) report_.add(std::move(finding));
      if (!done.ok()) {
        report_.add({checkpoint::Verdict::Unknown,
                     {},
                     {},
                     {},
                     done.error().offset.value_or(0),
                     "could not be scanned: " + done.error().message()});
      }
      report_.pickles += task_->report().pickles;
      task_ = nullptr;
      ++next_;
      if (budget.spent()) return JobStep::Working;
    }
    send(message());
    return JobStep::Done;
  }

  Progress progress() const override {
    return {fmt::format("Scanning {}", name_), task_ == nullptr ? 0 : task_->done(),
            task_ == nullptr ? 0 : task_->total()};
  }

 private:
  live::Bytes message() const {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<wire::Finding>> findings;
    for (const Finding& finding : report_.findings) {
      const auto name = builder.CreateString(finding.name);
      const auto opcode = builder.CreateString(finding.opcode);
      const auto member = builder.CreateString(finding.member);
      const auto why = builder.CreateString(finding.why);
      findings.push_back(wire::CreateFinding(builder, static_cast<wire::Verdict>(finding.verdict), name, opcode, member,
                                             finding.offset, why));
    }
    const auto column = builder.CreateVector(findings);
    return live::finish_message(builder, wire::CreateSafety(builder, request(), document(), report_.pickles, column));
  }

  std::string name_;
  std::vector<std::shared_ptr<base::ByteSource>> sources_;
  std::size_t next_ = 0;
  std::unique_ptr<checkpoint::ScanTask> task_;
  checkpoint::ScanReport report_;
};

}  // namespace

std::unique_ptr<Job> make_scan_job(std::uint64_t request, std::uint32_t document, const checkpoint::Checkpoint& file) {
  return std::make_unique<ScanJob>(request, document, file);
}

}  // namespace nns::session
