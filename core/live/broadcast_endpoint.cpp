#include "core/live/broadcast_endpoint.h"

#include <deque>
#include <map>
#include <utility>

#include "core/live/training_commands.h"

namespace nns::live {

namespace {

// Requests that wait for answers, of all viewers; of more the oldest are forgotten, and answered to nobody.
constexpr std::size_t kMostRequests = 16'384;
constexpr std::size_t kMostSubscriptions = 32;  // of one viewer
// Requests of viewers count from here: below are those of the program itself.
constexpr std::uint64_t kFirstRequest = std::uint64_t{1} << 32U;
constexpr flatbuffers::voffset_t kFirstField = 4;  // `request` of whatever has one, but for Document

bool has_request(wire::Body body) {
  switch (body) {
    case wire::Body::Job:
    case wire::Body::ObjectDetails:
    case wire::Body::TensorFacts:
    case wire::Body::TensorStatistics:
    case wire::Body::HeatTile:
    case wire::Body::DiffRows:
    case wire::Body::DiffValues:
    case wire::Body::ViewStatistics:
    case wire::Body::ValueFound:
    case wire::Body::Values:
    case wire::Body::ModelStatistics:
    case wire::Body::Safety:
    case wire::Body::TensorFilePiece:
    case wire::Body::Completions:
    case wire::Body::TrainingSubscribed:
    case wire::Body::RecordingState:
      return true;
    default:
      return command_kind(body) != CommandKind::None && body != wire::Body::CloseDocument;
  }
}

flatbuffers::Table* body_of(Bytes& bytes) {
  wire::Message* message = wire::GetMutableMessage(bytes.data());
  return static_cast<flatbuffers::Table*>(message->mutable_body());
}

Bytes job_failed(std::uint64_t request, std::string found) {
  flatbuffers::FlatBufferBuilder builder;
  const auto error =
      create_problem(builder, {.found = std::move(found), .expected = {}, .where = "stream", .offset = std::nullopt});
  const auto text = builder.CreateString("");
  return finish_message(builder, wire::CreateJob(builder, request, wire::JobState::Failed, text, 0, 0, error));
}

class BroadcastEndpoint final : public Endpoint {
 public:
  BroadcastEndpoint(Broadcast& stream, std::vector<Bytes> inputs)
      : stream_(stream), own_(std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end())) {}

  void send(Bytes bytes) override {
    const wire::Message& message = *wire::GetMessage(bytes.data());
    const wire::Body body = message.body_type();
    if (body == wire::Body::TrainingValues || body == wire::Body::TensorHistory) return send_subscribed(bytes);
    const std::uint64_t asked = request_of(message);
    // What the program itself asked for, and what nobody did, is for all.
    if (asked < kFirstRequest) return stream_.publish(std::move(bytes));
    flatbuffers::Table* table = body_of(bytes);
    const auto found = requests_.find(asked);
    if (found == requests_.end()) return;
    const auto [viewer, request] = found->second;
    table->SetField<std::uint64_t>(kFirstField, request, 0);
    if (const auto* job = message.body_as_Job(); job != nullptr && job->state() != wire::JobState::Running) {
      requests_.erase(found);
    }
    if (auto* subscribed = static_cast<wire::TrainingSubscribed*>(
            body == wire::Body::TrainingSubscribed ? wire::GetMutableMessage(bytes.data())->mutable_body() : nullptr)) {
      const auto subscription = subscriptions_.find(subscribed->id());
      if (subscription != subscriptions_.end()) subscribed->mutate_id(subscription->second.second);
    }
    stream_.answer(viewer, std::move(bytes));
  }

  std::optional<Bytes> receive() override {
    for (const std::uint64_t viewer : stream_.take_gone()) drop_subscriptions(viewer);
    if (!own_.empty()) {
      Bytes bytes = std::move(own_.front());
      own_.pop_front();
      return bytes;
    }
    while (std::optional<ViewerCommand> command = stream_.take_command()) {
      Bytes bytes(command->message.bytes());
      if (take(command->viewer, bytes)) return bytes;
    }
    return std::nullopt;
  }

  bool is_connected() const override { return true; }

 private:
  /// Gives a command the host's numbers. False: it is not for the host.
  bool take(std::uint64_t viewer, Bytes& bytes) {
    const wire::Body body = wire::GetMessage(bytes.data())->body_type();
    flatbuffers::Table* table = body_of(bytes);
    if (body == wire::Body::CloseDocument) return false;
    const auto request = table->GetField<std::uint64_t>(kFirstField, 0);
    if (body == wire::Body::Cancel) {
      for (const auto& [number, asked] : requests_) {
        if (asked == std::pair(viewer, request)) return table->SetField<std::uint64_t>(kFirstField, number, 0);
      }
      return false;
    }
    const bool opens =
        body == wire::Body::OpenSource || body == wire::Body::OpenSample || body == wire::Body::StartTraining;
    if (opens) return refuse(viewer, request, "a stream that many watch opens nothing for one of them");
    // Whoever comes is told everything already.
    if (body == wire::Body::RequestTraining) return false;
    if (body == wire::Body::SubscribeTraining || body == wire::Body::UnsubscribeTraining) {
      auto* subscribe =
          body == wire::Body::SubscribeTraining ? reinterpret_cast<wire::SubscribeTraining*>(table) : nullptr;
      auto* end = subscribe == nullptr ? reinterpret_cast<wire::UnsubscribeTraining*>(table) : nullptr;
      const std::uint32_t id = subscribe != nullptr ? subscribe->id() : end->id();
      const auto number = subscription_number(viewer, id, subscribe != nullptr);
      if (!number) return refuse(viewer, request, "more subscriptions than a viewer may have");
      const bool is_set = subscribe != nullptr ? subscribe->mutate_id(*number) : end->mutate_id(*number);
      // A number of 0 is not in the message, so that it cannot be written over.
      if (!is_set) return refuse(viewer, request, "a subscription with the number 0");
      if (subscribe != nullptr) documents_[*number] = subscribe->document();
      if (end != nullptr) {
        subscriptions_.erase(*number);
        documents_.erase(*number);
      }
    }
    const std::uint64_t number = next_request_++;
    if (!table->SetField<std::uint64_t>(kFirstField, number, 0)) {
      return refuse(viewer, request, "a command with the request number 0");
    }
    requests_.emplace(number, std::pair(viewer, request));
    if (requests_.size() > kMostRequests) requests_.erase(requests_.begin());
    return true;
  }

  bool refuse(std::uint64_t viewer, std::uint64_t request, std::string why) {
    stream_.answer(viewer, job_failed(request, std::move(why)));
    return false;
  }

  std::optional<std::uint32_t> subscription_number(std::uint64_t viewer, std::uint32_t id, bool makes) {
    std::size_t count = 0;
    for (const auto& [number, of] : subscriptions_) {
      if (of == std::pair(viewer, id)) return number;
      count += of.first == viewer ? 1U : 0U;
    }
    if (!makes || count >= kMostSubscriptions) return std::nullopt;
    subscriptions_.emplace(next_subscription_, std::pair(viewer, id));
    return next_subscription_++;
  }

  /// To the viewer whose subscription it is, under that viewer's number.
  void send_subscribed(Bytes& bytes) {
    wire::Message* message = wire::GetMutableMessage(bytes.data());
    auto* values = message->body_type() == wire::Body::TrainingValues
                       ? static_cast<wire::TrainingValues*>(message->mutable_body())
                       : nullptr;
    auto* history = values == nullptr ? static_cast<wire::TensorHistory*>(message->mutable_body()) : nullptr;
    const auto found = subscriptions_.find(values != nullptr ? values->id() : history->id());
    if (found == subscriptions_.end()) return;
    if (values != nullptr) {
      values->mutate_id(found->second.second);
    } else {
      history->mutate_id(found->second.second);
    }
    stream_.answer(found->second.first, std::move(bytes));
  }

  void drop_subscriptions(std::uint64_t viewer) {
    std::erase_if(requests_, [&](const auto& entry) { return entry.second.first == viewer; });
    for (auto found = subscriptions_.begin(); found != subscriptions_.end();) {
      if (found->second.first != viewer) {
        ++found;
        continue;
      }
      own_.push_back(unsubscribe_training(1, documents_[found->first], found->first));
      documents_.erase(found->first);
      found = subscriptions_.erase(found);
    }
  }

  Broadcast& stream_;
  std::deque<Bytes> own_;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> requests_;
  std::uint64_t next_request_ = kFirstRequest;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>> subscriptions_;
  std::uint32_t next_subscription_ = 1;
  std::map<std::uint32_t, std::uint32_t> documents_;  // of subscriptions
};

}  // namespace

std::uint64_t request_of(const wire::Message& message) {
  if (!has_request(message.body_type())) return 0;
  return static_cast<const flatbuffers::Table*>(message.body())->GetField<std::uint64_t>(kFirstField, 0);
}

std::unique_ptr<Endpoint> make_broadcast_endpoint(Broadcast& stream, std::vector<Bytes> inputs) {
  return std::make_unique<BroadcastEndpoint>(stream, std::move(inputs));
}

}  // namespace nns::live
