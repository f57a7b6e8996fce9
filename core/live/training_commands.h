#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/live/bytes.h"
#include "core/live/protocol_generated.h"

/// The messages by which a viewer starts, steers and watches a training; as those of core/live/commands.h.
namespace nns::live {

/// Which recipe is to run, on what. Source 0 is none.
struct StartOfTraining {
  std::string recipe;  ///< one of Recipes; empty: the file `source`
  std::uint64_t source = 0;
  std::string name;  ///< of that file
  std::uint64_t data = 0;
  std::string data_name;
  std::vector<std::pair<std::string, std::string>> settings;
  bool is_paused = false;  ///< before its first step
};
Bytes start_training(std::uint64_t request, const StartOfTraining& start);
/// Asks for wire::Recipes.
Bytes request_recipes(std::uint64_t request);
/// Keys and values as a message has them.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<wire::Setting>>> create_settings(
    flatbuffers::FlatBufferBuilder& builder, std::span<const std::pair<std::string, std::string>> settings);
/// `count`: of wire::TrainingAction::Step.
Bytes control_training(std::uint64_t request, std::uint32_t document, wire::TrainingAction action,
                       std::uint32_t count = 1);
/// Every group of every optimiser unless they are named.
Bytes set_learning_rate(std::uint64_t request, std::uint32_t document, double value,
                        std::uint32_t optimizer = UINT32_MAX, std::uint32_t group = UINT32_MAX);

/// wire::SubscribeTraining, which says what each member means.
struct TrainingSubscription {
  std::uint32_t id = 0;
  std::string pattern;
  std::vector<std::uint32_t> modules;
  std::vector<std::uint32_t> tensors;
  wire::TrainingSubject subjects = wire::TrainingSubject::NONE;
  wire::TrainingForm forms = wire::TrainingForm::NONE;
  std::uint32_t every = 1;
  float most_per_second = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
Bytes subscribe_training(std::uint64_t request, std::uint32_t document, const TrainingSubscription& subscription);
/// Registers a hook on a module of the newest TrainingModules.
Bytes add_hook(std::uint64_t request, std::uint32_t document, std::uint32_t module, wire::HookPoint point);
/// Removes one that add_hook() registered.
Bytes remove_hook(std::uint64_t request, std::uint32_t document, std::uint32_t module, std::uint64_t id);
/// The newest checkpoint's bytes from `first` on.
Bytes read_checkpoint(std::uint64_t request, std::uint32_t document, std::string_view name, std::uint64_t first);
Bytes unsubscribe_training(std::uint64_t request, std::uint32_t document, std::uint32_t id);
Bytes request_training(std::uint64_t request, std::uint32_t document);

}  // namespace nns::live
