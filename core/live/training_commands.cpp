#include "core/live/training_commands.h"

#include "core/live/message.h"

namespace nns::live {

using flatbuffers::FlatBufferBuilder;

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<wire::Setting>>> create_settings(
    FlatBufferBuilder& builder, std::span<const std::pair<std::string, std::string>> settings) {
  std::vector<flatbuffers::Offset<wire::Setting>> told;
  for (const auto& [key, value] : settings) {
    const auto name = builder.CreateString(key);
    told.push_back(wire::CreateSetting(builder, name, builder.CreateString(value)));
  }
  return builder.CreateVector(told);
}

Bytes start_training(std::uint64_t request, const StartOfTraining& start) {
  FlatBufferBuilder builder(512);
  const auto settings = create_settings(builder, start.settings);
  const auto recipe = builder.CreateString(start.recipe);
  const auto name = builder.CreateString(start.name);
  const auto data_name = builder.CreateString(start.data_name);
  return finish_message(builder, wire::CreateStartTraining(builder, request, recipe, start.source, name, start.data,
                                                           data_name, settings, start.is_paused));
}

Bytes request_recipes(std::uint64_t request) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateRequestRecipes(builder, request));
}

Bytes control_training(std::uint64_t request, std::uint32_t document, wire::TrainingAction action,
                       std::uint32_t count) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateControlTraining(builder, request, document, action, count));
}

Bytes set_learning_rate(std::uint64_t request, std::uint32_t document, double value, std::uint32_t optimizer,
                        std::uint32_t group) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateSetLearningRate(builder, request, document, optimizer, group, value));
}

Bytes subscribe_training(std::uint64_t request, std::uint32_t document, const TrainingSubscription& subscription) {
  FlatBufferBuilder builder(256);
  const auto pattern = builder.CreateString(subscription.pattern);
  const auto modules = builder.CreateVector(subscription.modules);
  const auto tensors = builder.CreateVector(subscription.tensors);
  return finish_message(
      builder, wire::CreateSubscribeTraining(builder, request, document, subscription.id, pattern, modules, tensors,
                                             subscription.subjects, subscription.forms, subscription.every,
                                             subscription.most_per_second, subscription.width, subscription.height));
}

Bytes add_hook(std::uint64_t request, std::uint32_t document, std::uint32_t module, wire::HookPoint point) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateAddHook(builder, request, document, module, point));
}

Bytes remove_hook(std::uint64_t request, std::uint32_t document, std::uint32_t module, std::uint64_t id) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateRemoveHook(builder, request, document, module, id));
}

Bytes read_checkpoint(std::uint64_t request, std::uint32_t document, std::string_view name, std::uint64_t first) {
  FlatBufferBuilder builder(128);
  const auto wanted = builder.CreateString(name);
  return finish_message(builder, wire::CreateReadCheckpoint(builder, request, document, wanted, first));
}

Bytes unsubscribe_training(std::uint64_t request, std::uint32_t document, std::uint32_t id) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateUnsubscribeTraining(builder, request, document, id));
}

Bytes request_training(std::uint64_t request, std::uint32_t document) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateRequestTraining(builder, request, document));
}

}  // namespace nns::live
