#include "core/session/trace_log_document.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/capture/trace_log.h"
#include "core/checkpoint/tree_builder.h"
#include "core/session/capture_messages.h"

namespace nns::session {

namespace {

using checkpoint::NodeKind;

class TraceLogDocument final : public checkpoint::Checkpoint {
 public:
  checkpoint::ObjectDescription describe(std::uint32_t node) const override {
    checkpoint::ObjectDescription described;
    if (node < facts.size()) described.attributes = facts[node];
    return described;
  }
  std::vector<std::vector<checkpoint::AttributeRow>> facts;  ///< of each row
};

checkpoint::AttributeRow line(std::string name, std::string text) {
  checkpoint::AttributeRow row;
  row.place = checkpoint::AttributePlace::Item;
  row.name = std::move(name);
  row.text = std::move(text);
  return row;
}

std::string seconds_text(double seconds) {
  return seconds >= 1 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.3g} ms", seconds * 1000);
}

std::string count_text(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

class OpenTraceLogJob final : public Job {
 public:
  OpenTraceLogJob(std::uint64_t request, std::uint64_t source, std::string name, std::string url,
                  std::shared_ptr<SourceProvider> sources, TraceLogOpened opened)
      : Job(request, 0),
        number_(source),
        name_(std::move(name)),
        url_(std::move(url)),
        sources_(std::move(sources)),
        opened_(std::move(opened)) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& /*send*/) override {
    if (reader_ == nullptr) {
      auto found = open_file(*sources_, number_, name_, url_, "a log of TORCH_TRACE");
      if (!found) return JobStep::Waiting;
      NNS_TRY_ASSIGN(const SourceProvider::Opened opened, std::move(*found));
      source_ = opened.source;
      reader_ = std::make_unique<capture::TraceLogReader>(source_);
    }
    NNS_TRY_ASSIGN(const bool is_read, reader_->step(budget));
    if (!is_read) return JobStep::Working;
    const auto capture = std::make_shared<const capture::Capture>(reader_->take());
    NNS_TRY_ASSIGN(auto document, make_trace_log_document(name_.empty() ? source_->name() : name_, source_, *capture));
    NNS_TRY(opened_(std::move(document),
                    [id = request(), capture](std::uint32_t number) { return capture_message(id, number, *capture); }));
    return JobStep::Done;
  }
  Progress progress() const override {
    return {"Opening " + name_, reader_ == nullptr ? 0 : reader_->done(), reader_ == nullptr ? 0 : reader_->total()};
  }

 private:
  std::uint64_t number_;
  std::string name_;
  std::string url_;
  std::shared_ptr<SourceProvider> sources_;
  TraceLogOpened opened_;
  std::shared_ptr<base::ByteSource> source_;
  std::unique_ptr<capture::TraceLogReader> reader_;
};

}  // namespace

std::unique_ptr<Job> make_open_trace_log_job(std::uint64_t request, std::uint64_t source, std::string name,
                                             std::string url, std::shared_ptr<SourceProvider> sources,
                                             TraceLogOpened opened) {
  return std::make_unique<OpenTraceLogJob>(request, source, std::move(name), std::move(url), std::move(sources),
                                           std::move(opened));
}

base::Result<std::unique_ptr<checkpoint::Checkpoint>> make_trace_log_document(std::string title,
                                                                              std::shared_ptr<base::ByteSource> source,
                                                                              const capture::Capture& capture) {
  auto document = std::make_unique<TraceLogDocument>();
  document->format = "TORCH_TRACE log";
  document->title = title.substr(title.rfind('/') + 1);
  checkpoint::FileEntry& file = document->files.emplace_back();
  file.name = source->name();
  file.size = source->size();
  file.source = std::move(source);
  document->metadata.push_back({"lines", std::to_string(capture.lines)});
  for (const auto& [kind, count] : capture.records) document->metadata.push_back({"records." + kind, count});
  document->notes = capture.notes;
  checkpoint::TreeBuilder builder(document->tree.strings, NodeKind::Container);
  std::vector<std::vector<checkpoint::AttributeRow>> facts(1);
  const auto add = [&](std::uint32_t parent, std::string_view name, NodeKind kind, std::string_view preview) {
    const std::uint32_t row = builder.add(parent, name, kind);
    builder.set_preview(row, preview);
    facts.resize(row + 1);
    return row;
  };
  for (const capture::Frame& frame : capture.frames) {
    const std::string title_of_frame =
        frame.compile_id.empty() ? frame.name : fmt::format("[{}] {}", frame.compile_id, frame.name);
    const std::uint32_t row = add(0, title_of_frame, NodeKind::Container, frame.outcome);
    facts[0].push_back(line(title_of_frame, frame.outcome));
    for (const capture::Graph& graph : frame.graphs) {
      add(row, graph.stage, NodeKind::Value, count_text(graph.nodes.size(), "node"));
    }
    if (!frame.guards.empty()) add(row, "guards", NodeKind::Value, count_text(frame.guards.size(), "guard"));
    for (const capture::Break& cut : frame.breaks) add(row, "break", NodeKind::Value, cut.type);
    for (const capture::Reason& reason : frame.reasons) add(row, "recompiled", NodeKind::Value, reason.guard);
    for (const capture::Timing& timing : frame.timings) {
      facts[row].push_back(line(timing.name, seconds_text(timing.seconds)));
    }
    for (const auto& [key, value] : frame.facts) facts[row].push_back(line(key, value));
  }
  std::vector<std::uint32_t> rows;
  NNS_TRY(builder.finish(checkpoint::SiblingOrder::AsAdded, *document, &rows));
  document->facts.resize(rows.size());
  for (std::size_t i = 0; i < facts.size(); ++i) document->facts[rows[i]] = std::move(facts[i]);
  return std::unique_ptr<checkpoint::Checkpoint>(std::move(document));
}

}  // namespace nns::session
