#include "core/live/broadcast.h"

#include <algorithm>
#include <utility>

#include "core/base/hash.h"

namespace nns::live {

CommandKind command_kind(wire::Body body) {
  switch (body) {
    case wire::Body::OpenSource:
    case wire::Body::OpenSample:
    case wire::Body::CloseDocument:
    case wire::Body::Inspect:
    case wire::Body::InspectTensor:
    case wire::Body::RequestTile:
    case wire::Body::Cancel:
    case wire::Body::RequestDiff:
    case wire::Body::RequestDiffTile:
    case wire::Body::InspectView:
    case wire::Body::FindValue:
    case wire::Body::RequestValues:
    case wire::Body::RequestModelStatistics:
    case wire::Body::ScanDocument:
    case wire::Body::ReadTensorFile:
    case wire::Body::SeekRecording:
    case wire::Body::SubscribeTraining:
    case wire::Body::UnsubscribeTraining:
    case wire::Body::RequestTraining:
      return CommandKind::Look;
    // Completion may run code of the program's (an attribute's getter).
    case wire::Body::RunText:
    case wire::Body::CompleteText:
    case wire::Body::StartTraining:
    case wire::Body::RequestRecipes:
    case wire::Body::ControlTraining:
    case wire::Body::SetLearningRate:
    case wire::Body::AddHook:
    case wire::Body::RemoveHook:
    case wire::Body::ReadCheckpoint:
      return CommandKind::Control;
    default:
      return CommandKind::None;
  }
}

namespace {

/// To who sent a command that was not carried out. The protocol's commands begin with their request's number, but it is
/// not everywhere a request: 0 stands for the stream itself.
Bytes refused(std::string found, std::string expected) {
  flatbuffers::FlatBufferBuilder builder;
  const auto error = create_problem(
      builder, {.found = std::move(found), .expected = std::move(expected), .where = "stream", .offset = std::nullopt});
  const auto text = builder.CreateString("");
  const auto job = wire::CreateJob(builder, 0, wire::JobState::Failed, text, 0, 0, error);
  return finish_message(builder, job);
}

Bytes left_out(std::uint64_t count) {
  flatbuffers::FlatBufferBuilder builder;
  const auto told = wire::CreateEventsLeftOut(builder, count);
  return finish_message(builder, told);
}

Bytes rights(bool may_control) {
  flatbuffers::FlatBufferBuilder builder;
  const auto told = wire::CreateRights(builder, may_control);
  return finish_message(builder, told);
}

}  // namespace

// Each subscription has its own modules and rate: numbers of one must not take the place of another's.
static std::uint64_t contents_of(const wire::TrainingNumbers& numbers) {
  std::uint64_t hash = numbers.document();
  const auto add = [&hash](std::uint64_t value) { hash = base::hash_mix(hash, value); };
  for (const wire::Moments* one : *numbers.moments()) add(std::uint64_t{one->subject()} << 32U | one->of());
  for (const wire::ModuleTimes* one : *numbers.times()) add(~std::uint64_t{one->module_()});
  return hash;
}

std::optional<LatestKey> latest_key(const wire::Message& message) {
  const auto key = [&](std::uint64_t of) { return LatestKey{static_cast<std::uint64_t>(message.body_type()), of}; };
  const auto both = [](std::uint64_t a, std::uint64_t b) { return a << 32U | b; };
  switch (message.body_type()) {
    case wire::Body::Hello:
    case wire::Body::Recipes:
      return key(0);
    case wire::Body::Document:
      return key(message.body_as_Document()->id());
    case wire::Body::Training:
      return key(message.body_as_Training()->document());
    case wire::Body::TrainingModules:
      return key(message.body_as_TrainingModules()->document());
    case wire::Body::TrainingCheckpoints:
      return key(message.body_as_TrainingCheckpoints()->document());
    case wire::Body::TrainingAlert:
      return key(message.body_as_TrainingAlert()->document());
    case wire::Body::TrainingHooks:
      return key(message.body_as_TrainingHooks()->document());
    case wire::Body::TrainingTimeline:
      return key(message.body_as_TrainingTimeline()->document());
    case wire::Body::Ranks:
      return key(message.body_as_Ranks()->document());
    case wire::Body::TrainingNumbers:
      return key(contents_of(*message.body_as_TrainingNumbers()));
    case wire::Body::TrainingValues:
      return key(
          base::hash_mix(both(message.body_as_TrainingValues()->document(), message.body_as_TrainingValues()->id()),
                         both(message.body_as_TrainingValues()->of(), message.body_as_TrainingValues()->subject())));
    case wire::Body::TensorHistory:
      return key(both(message.body_as_TensorHistory()->document(), message.body_as_TensorHistory()->id()));
    case wire::Body::TrainingHistogram: {
      const wire::TrainingHistogram& told = *message.body_as_TrainingHistogram();
      return key(both(both(told.document(), 0) ^ told.subject() * 0x9E3779B97F4A7C15U, told.of()));
    }
    default:
      return std::nullopt;
  }
}

void Broadcast::publish(Bytes message) {
  // It was made here, so that it needs no check.
  const std::optional<LatestKey> key = latest_key(*wire::GetMessage(message.data()));
  publish(Told{share(std::move(message)), key});
}

void Broadcast::publish(Told told) {
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.put(std::move(told));
  }
  if (wake_) wake_();
}

void Broadcast::forget(LatestKey key) {
  const std::lock_guard lock(inbox_mutex_);
  forgotten_.push_back(key);
}

std::optional<ViewerCommand> Broadcast::take_command() {
  const std::lock_guard lock(inbox_mutex_);
  if (commands_.empty()) return std::nullopt;
  ViewerCommand command = std::move(commands_.front());
  commands_.pop_front();
  return command;
}

void Broadcast::answer(std::uint64_t viewer, Bytes message) {
  {
    const std::lock_guard lock(inbox_mutex_);
    answers_.emplace_back(viewer, share(std::move(message)));
  }
  if (wake_) wake_();
}

void Broadcast::remember(const Told& told) {
  if (const auto message = Message::verify_shared(told.bytes); message.ok()) {
    if (const auto document = TrainingView::document_of(*message)) {
      // What a view refuses is not remembered; viewers refuse it, too, and say so.
      (void)trainings_.try_emplace(*document, *document).first->second.apply(*message);
      return;
    }
    if (const auto* output = message->as<wire::ProgramOutput>()) {
      consoles_[output->document()].add(output->kind(), text_of(output->text()));
      return;
    }
    if (const auto* closed = message->as<wire::DocumentClosed>()) {
      trainings_.erase(closed->id());
      consoles_.erase(closed->id());
      newest_.erase({static_cast<std::uint64_t>(wire::Body::Document), closed->id()});
    }
  }
  if (told.key) {
    auto [found, is_new] = newest_.try_emplace(*told.key, next_place_, told.bytes);
    if (is_new) ++next_place_;
    found->second.second = told.bytes;
    return;
  }
  kept_bytes_ += told.bytes->size();
  kept_events_.push_back(told.bytes);
  while (!kept_events_.empty() &&
         (kept_events_.size() > limits_.kept_events || kept_bytes_ > limits_.kept_event_bytes)) {
    kept_bytes_ -= kept_events_.front()->size();
    kept_events_.pop_front();
  }
}

// An answer is never left out, and has a key of its own. But who subscribed to values and is slow gets the newest, and
// of a history some parts are left out as of events.
std::optional<LatestKey> Broadcast::key_of_answer(const Bytes& bytes) {
  const wire::Message& message = *wire::GetMessage(bytes.data());
  if (message.body_type() == wire::Body::TensorHistory) return std::nullopt;
  if (message.body_type() == wire::Body::TrainingValues) return LatestKey{UINT64_MAX - 2, latest_key(message)->second};
  return LatestKey{UINT64_MAX - 1, next_place_++};
}

void Broadcast::distribute() {
  std::vector<Told> told;
  std::vector<LatestKey> forgotten;
  std::deque<std::pair<std::uint64_t, SharedBytes>> answers;
  std::uint64_t missed = 0;
  {
    const std::lock_guard lock(inbox_mutex_);
    while (std::optional<Told> next = inbox_.take()) told.push_back(std::move(*next));
    missed = inbox_.take_left_out();
    forgotten.swap(forgotten_);
    answers.swap(answers_);
  }
  if (missed > 0) {
    const SharedBytes message = share(left_out(missed));
    for (auto& [number, viewer] : viewers_) viewer.lane.put({message, std::nullopt});
  }
  for (Told& one : told) {
    remember(one);
    for (auto& [number, viewer] : viewers_) viewer.lane.put(one);
  }
  for (const LatestKey& key : forgotten) newest_.erase(key);
  for (auto& [number, message] : answers) {
    if (const auto found = viewers_.find(number); found != viewers_.end()) {
      found->second.lane.put({message, key_of_answer(*message)});
    }
  }
}

std::vector<SharedBytes> Broadcast::snapshot_held() const {
  std::vector<std::pair<std::uint64_t, SharedBytes>> ordered;
  ordered.reserve(newest_.size());
  for (const auto& [key, value] : newest_) ordered.push_back(value);
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SharedBytes> messages;
  messages.reserve(ordered.size() + kept_events_.size());
  for (auto& [place, bytes] : ordered) messages.push_back(std::move(bytes));
  for (const auto& [document, console] : consoles_) {
    for (const ConsoleView::Piece& piece : console.pieces()) {
      flatbuffers::FlatBufferBuilder builder;
      const auto text = builder.CreateString(piece.text);
      const auto told = wire::CreateProgramOutput(builder, document, piece.kind, text);
      messages.push_back(share(finish_message(builder, told)));
    }
  }
  for (const auto& [document, training] : trainings_) {
    for (Bytes& message : training.snapshot(limits_.most_steps)) messages.push_back(share(std::move(message)));
  }
  messages.insert(messages.end(), kept_events_.begin(), kept_events_.end());
  return messages;
}

std::vector<SharedBytes> Broadcast::snapshot() {
  const std::lock_guard lock(viewers_mutex_);
  distribute();
  return snapshot_held();
}

std::optional<std::uint64_t> Broadcast::join(bool may_control) {
  const std::lock_guard lock(viewers_mutex_);
  distribute();
  if (viewers_.size() >= limits_.most_viewers) return std::nullopt;
  const std::uint64_t number = next_viewer_++;
  Viewer viewer{Lane(limits_.lane), may_control};
  // With keys of their own, so that a snapshot is never thinned.
  std::uint64_t place = 0;
  const auto put = [&](SharedBytes message) { viewer.lane.put({std::move(message), LatestKey{UINT64_MAX, place++}}); };
  put(share(rights(may_control)));
  for (SharedBytes& message : snapshot_held()) put(std::move(message));
  viewers_.emplace(number, std::move(viewer));
  watching_.store(viewers_.size(), std::memory_order_relaxed);
  return number;
}

void Broadcast::leave(std::uint64_t viewer) {
  const std::lock_guard lock(viewers_mutex_);
  if (viewers_.erase(viewer) > 0) gone_.push_back(viewer);
  watching_.store(viewers_.size(), std::memory_order_relaxed);
}

SharedBytes Broadcast::take(std::uint64_t number) {
  const std::lock_guard lock(viewers_mutex_);
  const auto found = viewers_.find(number);
  if (found == viewers_.end()) return nullptr;
  Lane& lane = found->second.lane;
  if (lane.empty()) distribute();
  if (const std::uint64_t missed = lane.take_left_out(); missed > 0) return share(left_out(missed));
  std::optional<Told> told = lane.take();
  return told ? std::move(told->bytes) : nullptr;
}

std::vector<std::uint64_t> Broadcast::ready() {
  const std::lock_guard lock(viewers_mutex_);
  distribute();
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, viewer] : viewers_) {
    if (!viewer.lane.empty()) numbers.push_back(number);
  }
  return numbers;
}

std::size_t Broadcast::waiting(std::uint64_t viewer) const {
  const std::lock_guard lock(viewers_mutex_);
  const auto found = viewers_.find(viewer);
  return found == viewers_.end() ? 0 : found->second.lane.size();
}

std::vector<std::uint64_t> Broadcast::take_gone() {
  const std::lock_guard lock(viewers_mutex_);
  return std::exchange(gone_, {});
}

std::size_t Broadcast::viewers() const {
  const std::lock_guard lock(viewers_mutex_);
  return viewers_.size();
}

base::Result<void> Broadcast::receive(std::uint64_t number, Bytes bytes) {
  NNS_TRY_ASSIGN(Message message, Message::verify(std::move(bytes)));
  const CommandKind kind = command_kind(message.get().body_type());
  if (kind == CommandKind::None) {
    return base::Error{
        .found = std::string("a message of kind ") + wire::EnumNameBody(message.get().body_type()) + " from a viewer",
        .expected = "a command",
        .where = "stream",
        .offset = std::nullopt};
  }
  bool may_control = false;
  {
    const std::lock_guard lock(viewers_mutex_);
    const auto found = viewers_.find(number);
    if (found == viewers_.end()) return {};
    may_control = found->second.may_control;
  }
  if (kind == CommandKind::Control && !may_control) {
    answer(number, refused("a command that changes what runs, from a viewer that may only watch",
                           "the address with the control token"));
    return {};
  }
  bool is_full = false;
  {
    const std::lock_guard lock(inbox_mutex_);
    is_full = commands_.size() >= limits_.most_commands;
    if (!is_full) commands_.push_back({number, std::move(message)});
  }
  if (is_full) {
    answer(number, refused("more commands than can be carried out", "commands at the pace of a person"));
  } else if (command_waits_) {
    command_waits_();
  }
  return {};
}

}  // namespace nns::live
