#include "core/session/recording_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/live/training_view.h"

namespace nns::session {

namespace {

namespace wire = live::wire;

class OpenRecordingJob final : public Job {
 public:
  OpenRecordingJob(std::uint64_t request, std::uint64_t source, std::string name, std::string url,
                   std::shared_ptr<SourceProvider> sources, RecordingOpened opened)
      : Job(request, 0),
        source_(source),
        name_(std::move(name)),
        url_(std::move(url)),
        sources_(std::move(sources)),
        opened_(std::move(opened)) {}

  base::Result<JobStep> step(const base::Budget& /*budget*/, const Send& /*send*/) override {
    auto found = open_file(*sources_, source_, name_, url_, "a recording");
    if (!found) return JobStep::Waiting;
    NNS_TRY_ASSIGN(const SourceProvider::Opened opened, std::move(*found));
    const std::uint64_t bytes = opened.source->size();
    NNS_TRY_ASSIGN(auto recording, live::Recording::open(opened.source));
    NNS_TRY(opened_(std::move(recording), name_, bytes));
    return JobStep::Done;
  }
  Progress progress() const override { return {.text = "Opening " + name_, .done = 0, .total = 0}; }

 private:
  std::uint64_t source_;
  std::string name_;
  std::string url_;
  std::shared_ptr<SourceProvider> sources_;
  RecordingOpened opened_;
};

/// The state of a recording at `event`, whose last message was told at `at_us`.
live::Bytes state_message(std::uint64_t request, std::uint32_t number, const OpenRecording& shown, std::uint64_t event,
                          std::uint64_t at_us) {
  flatbuffers::FlatBufferBuilder builder;
  const auto title = builder.CreateString(shown.title);
  flatbuffers::Offset<wire::Problem> damage;
  if (shown.recording->damage()) damage = live::create_problem(builder, *shown.recording->damage());
  return live::finish_message(
      builder, wire::CreateRecordingState(builder, request, number, title, event, shown.recording->events(), at_us,
                                          std::max(at_us, shown.recording->duration_us()), shown.bytes, damage));
}

/// Puts `number` where a message of a training says its document. Must hold: it is one, and verified.
void rename_document(live::Bytes& bytes, std::uint32_t number) {
  constexpr flatbuffers::voffset_t kDocument = 4;  // the first field of each of them
  auto* table = static_cast<flatbuffers::Table*>(wire::GetMutableMessage(bytes.data())->mutable_body());
  table->SetField<std::uint32_t>(kDocument, number, 0);
}

}  // namespace

bool is_recording_name(std::string_view name) { return name.ends_with(".nnscope"); }

std::unique_ptr<Job> make_open_recording_job(std::uint64_t request, std::uint64_t source, std::string name,
                                             std::string url, std::shared_ptr<SourceProvider> sources,
                                             RecordingOpened opened) {
  return std::make_unique<OpenRecordingJob>(request, source, std::move(name), std::move(url), std::move(sources),
                                            std::move(opened));
}

base::Result<void> tell_recording(std::uint64_t request, std::uint32_t number, OpenRecording& shown,
                                  std::uint64_t event, const Job::Send& send) {
  live::Recording& recording = *shown.recording;
  event = std::min(event, recording.events());
  NNS_TRY_ASSIGN(std::vector<live::RecordedMessage> messages, recording.seek(event));
  // One training is shown: that of the stream's first document.
  std::optional<std::uint32_t> document;
  std::vector<live::Bytes> told;
  std::uint64_t at_us = 0;
  for (live::RecordedMessage& recorded : messages) {
    at_us = recorded.at_us;
    auto message = live::Message::verify(std::move(recorded.bytes));
    if (!message.ok()) continue;  // of a later version of the protocol
    const auto of = live::TrainingView::document_of(*message);
    if (!of || (document && *document != *of)) continue;
    document = of;
    live::Bytes bytes(message->bytes());
    rename_document(bytes, number);
    told.push_back(std::move(bytes));
  }
  send(state_message(request, number, shown, event, at_us));
  for (live::Bytes& bytes : told) send(std::move(bytes));
  return {};
}

}  // namespace nns::session
