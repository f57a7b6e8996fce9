#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/byte_sink.h"

namespace nns::train {

/// CRC-32C (Castagnoli, reflected) of `bytes`.
std::uint32_t crc32c(std::span<const std::byte> bytes);

/// Writes TensorBoard's event files: TFRecord frames (length, its masked CRC-32C, data, its masked CRC-32C) around
/// messages of tensorflow/core/util/event.proto, of which the few fields that scalars need are encoded here: wall_time,
/// step, file_version, summary.value{tag, simple_value} and session_log, which tells readers to forget later steps.
class TensorBoardFile {
 public:
  /// `sink`: an empty file called "events.out.tfevents.…".
  explicit TensorBoardFile(std::unique_ptr<base::ByteSink> sink) : sink_(std::move(sink)) {}

  /// The first event. Units: Unix seconds.
  base::Result<void> begin(double wall_time);
  /// Points of older files from this step on hold no more.
  base::Result<void> restart(double wall_time, std::uint64_t step);
  base::Result<void> add(double wall_time, std::uint64_t step, std::string_view tag, double value);

 private:
  base::Result<void> write(std::string_view event);
  std::unique_ptr<base::ByteSink> sink_;
};

}  // namespace nns::train
