#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/live/message.h"

/// Messages of a training as a host tells them, for tests.
namespace nns::tests {

namespace wire = live::wire;

inline live::Message message_of(live::Bytes bytes) {
  auto message = live::Message::verify(std::move(bytes));
  if (!message.ok()) ADD_FAILURE() << message.error().message();
  return std::move(message).value();
}

/// A loss that falls and is uneven, the same for every run.
inline double loss_at(std::uint64_t step) {
  const double x = static_cast<double>(step);
  return 2.3 * std::exp(-x / 400) + 0.2 + 0.06 * std::sin(x * 12.9898) * std::cos(x * 3.1);
}

inline live::Bytes steps_message(std::uint32_t document, std::uint64_t first, std::size_t count, bool restart = false,
                                 std::uint64_t left_out = 0, const std::vector<double>& more_rates = {}) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::uint64_t> step;
  std::vector<std::uint64_t> ns;
  std::vector<double> seconds;
  std::vector<double> loss;
  std::vector<double> rate;
  std::vector<std::uint32_t> samples(count, 64);
  for (std::size_t i = 0; i < count; ++i) {
    step.push_back(first + i);
    ns.push_back(2'000'000);
    seconds.push_back(static_cast<double>(first + i) * 0.01);
    loss.push_back(loss_at(first + i));
    rate.push_back(0.001 * (first + i < 1000 ? 1.0 : 0.1));
  }
  const auto a = builder.CreateVector(step);
  const auto b = builder.CreateVector(seconds);
  const auto c = builder.CreateVector(loss);
  const auto d = builder.CreateVector(rate);
  const auto e = builder.CreateVector(samples);
  const auto f = builder.CreateVector(ns);
  const auto g = builder.CreateVector(more_rates);
  const auto told =
      wire::CreateTrainingSteps(builder, document, restart, left_out, a, b, c, d, e, f, f, f, f, f, f, b, g);
  return live::finish_message(builder, told);
}

inline live::Bytes training_message(std::uint32_t document, wire::TrainingState state, std::uint64_t steps) {
  flatbuffers::FlatBufferBuilder builder;
  const auto title = builder.CreateString("mlp on spirals");
  const auto recipe = builder.CreateString("spirals");
  const auto device = builder.CreateString("cpu");
  const auto folder = builder.CreateString("runs/spirals-1");
  const std::vector<flatbuffers::Offset<wire::Setting>> settings = {
      wire::CreateSetting(builder, builder.CreateString("lr"), builder.CreateString("0.001"))};
  const auto all = builder.CreateVector(settings);
  const auto rates = builder.CreateVector(std::vector<double>{0.001});
  const auto of = builder.CreateVector(std::vector<std::uint32_t>{0});
  wire::TrainingBuilder told(builder);
  told.add_document(document);
  told.add_title(title);
  told.add_recipe(recipe);
  told.add_state(state);
  told.add_device(device);
  told.add_run_folder(folder);
  told.add_settings(all);
  told.add_seconds(static_cast<double>(steps) * 0.01);
  told.add_steps(steps);
  told.add_total_steps(5000);
  told.add_epoch(static_cast<double>(steps) / 500);
  told.add_total_epochs(10);
  told.add_steps_per_second(98.5);
  told.add_samples_per_second(6304);
  told.add_loss(steps > 0 ? loss_at(steps - 1) : std::nan(""));
  told.add_learning_rates(rates);
  told.add_learning_rate_of(of);
  told.add_watch_share(0.008F);
  told.add_bytes(3'400'000);
  told.add_peak_bytes(5'100'000);
  return live::finish_message(builder, told.Finish());
}

/// A chain of `count` modules below one model, each with one tensor.
inline live::Bytes modules_message(std::uint32_t document, std::uint32_t version, std::uint32_t count) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> module;
  std::vector<std::string> path;
  std::vector<std::string> class_name;
  std::vector<std::string> tensor;
  std::vector<std::string> shape;
  for (std::uint32_t i = 0; i < count; ++i) {
    parent.push_back(i == 0 ? UINT32_MAX : 0);
    path.push_back(i == 0 ? "" : "layers." + std::to_string(i - 1));
    class_name.emplace_back(i == 0 ? "Sequential" : "Linear");
    module.push_back(i);
    tensor.push_back(i == 0 ? "scale" : path.back() + ".weight");
    shape.emplace_back("(16, 16)");
  }
  const auto a = builder.CreateVector(parent);
  const auto b = builder.CreateVectorOfStrings(path);
  const auto c = builder.CreateVectorOfStrings(class_name);
  const auto d = builder.CreateVector(module);
  const auto e = builder.CreateVectorOfStrings(tensor);
  const auto f = builder.CreateVectorOfStrings(shape);
  const auto g = builder.CreateVector(std::vector<std::uint64_t>(count, 256));
  const auto h = builder.CreateVector(std::vector<std::uint8_t>(count, 1));
  const auto i = builder.CreateVector(std::vector<std::uint32_t>(count, 0));
  const auto told = wire::CreateTrainingModules(builder, document, version, a, b, c, d, e, f, g, h, i);
  return live::finish_message(builder, told);
}

inline live::Bytes numbers_message(std::uint32_t document, std::uint32_t version, std::uint64_t step, std::uint32_t of,
                                   double std_value,
                                   wire::TrainingSubject subject = wire::TrainingSubject::Activations) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<wire::Moments> moments = {
      wire::Moments(256, 0, 0, 0, 0.01, std_value, -1, 1, 1, 16 * std_value, of, static_cast<std::uint32_t>(subject))};
  const auto all = builder.CreateVectorOfStructs(moments);
  const auto times = builder.CreateVectorOfStructs(std::vector<wire::ModuleTimes>{});
  return live::finish_message(builder, wire::CreateTrainingNumbers(builder, document, version, step, times, all));
}

inline live::Bytes log_message(std::uint32_t document, std::size_t lines) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<wire::LogLine>> all;
  for (std::size_t i = 0; i < lines; ++i) {
    const auto text = builder.CreateString("epoch " + std::to_string(i) + " loss 0.1");
    all.push_back(wire::CreateLogLine(builder, i, static_cast<double>(i), wire::LogLevel::Info, text));
  }
  const auto column = builder.CreateVector(all);
  return live::finish_message(builder, wire::CreateTrainingLog(builder, document, false, 0, column));
}

}  // namespace nns::tests
