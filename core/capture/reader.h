#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/capture/capture.h"

namespace nns::capture {

/// How much of a file is kept; what is beyond is counted and left out.
struct ReadLimits {
  std::uint64_t line_bytes = 32U << 20U;     ///< of a log: one record's first line; a longer one is damage
  std::uint64_t payload_bytes = 64U << 20U;  ///< of a log: one record
  std::size_t frames = 20'000;
  std::size_t guards = 20'000;    ///< of one frame
  std::size_t nodes = 1'000'000;  ///< of all graphs
  std::size_t kinds = 256;        ///< of records of a log
};

/// Reads a file that tells what a compiler made of modules, in slices.
class Reader {
 public:
  virtual ~Reader() = default;
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Goes on for about the budget; true: all was read. Errors: it is no such file, with the place; it cannot be read.
  virtual base::Result<bool> step(const base::Budget& budget) = 0;
  /// Must hold: step() gave true.
  virtual Capture take() = 0;
  virtual std::uint64_t done() const = 0;
  virtual std::uint64_t total() const = 0;
};

/// The reader of a package of torch.export (a zip file), else of a log of TORCH_TRACE. Errors: it cannot be read.
base::Result<std::unique_ptr<Reader>> reader_of(std::shared_ptr<base::ByteSource> source, ReadLimits limits = {});

}  // namespace nns::capture
