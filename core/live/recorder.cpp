#include "core/live/recorder.h"

#include <vector>

#include "core/live/broadcast.h"

namespace nns::live {

namespace {

// A keyframe is read whole by every seek; of a longer run the curve keeps its shape.
constexpr std::size_t kKeyframeSteps = 4096;

}  // namespace

base::Result<void> Recorder::add(std::uint64_t at_us, const Message& message) {
  // What is about the connection, not about what runs.
  if (message.as<wire::Rights>() != nullptr || message.as<wire::Hello>() != nullptr) return {};
  if (writer_.wants_keyframe()) NNS_TRY(add_keyframe(at_us));
  if (const auto document = TrainingView::document_of(message)) {
    // What a view refuses, viewers of the recording will refuse, too: it is no error of the recording.
    (void)trainings_.try_emplace(*document, *document).first->second.apply(message);
  } else if (const auto key = latest_key(message.get())) {
    newest_.insert_or_assign(*key, message);
  }
  return writer_.add(at_us, message.bytes());
}

base::Result<void> Recorder::add_keyframe(std::uint64_t at_us) {
  std::vector<Bytes> made;
  for (const auto& [document, training] : trainings_) {
    for (Bytes& bytes : training.snapshot(kKeyframeSteps)) made.push_back(std::move(bytes));
  }
  std::vector<std::span<const std::byte>> messages;
  for (const auto& [key, message] : newest_) messages.push_back(message.bytes());
  messages.insert(messages.end(), made.begin(), made.end());
  return writer_.add_keyframe(at_us, messages);
}

}  // namespace nns::live
