#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// One thing that a scan of a file found.
struct Finding {
  Verdict verdict = Verdict::Unknown;
  std::string name;          ///< of a global: "os.system"; empty for what is no global
  std::string opcode;        ///< "GLOBAL", "STACK_GLOBAL", "REDUCE"; empty for what is no pickle
  std::string member;        ///< "archive/data.pkl", "inner.zip!a.pkl"; empty for the file itself
  std::uint64_t offset = 0;  ///< bytes from the start of that member, unpacked, or of the file
  std::string why;           ///< empty where the verdict says it all
};

/// What loading a file could do.
struct ScanReport {
  /// At most so many findings are kept; more than so many are dangerous in themselves, and the last one says so.
  static constexpr std::size_t kMostFindings = 10'000;

  std::string format;  ///< "zip", "pickle", "safetensors", ...; empty: nothing that could be loaded was seen
  std::uint64_t pickles = 0;
  std::vector<Finding> findings;  ///< in the order of the file; each global at its first use in its pickle

  /// The worst of the findings.
  Verdict verdict() const;
  void add(Finding finding);
};

/// Looks through a file for everything that loading it could run: pickles bare or in archives, archives in archives,
/// and contradictions that let a file look different to a scanner than to a loader. Never executes anything, and never
/// believes a name: what something is, its bytes say.
/// What is looked at: each pickle of a file (a torch zip's storages are no pickles for any loader and are left out; so
/// are tensors of safetensors and GGUF), members of zip, tar, gzip and zlib, arrays of objects of NumPy, bytes inside
/// pickles that look like one of these, and the pickles in Base64 that Stable-Baselines has in JSON. What is not: text
/// that something else executes (TorchScript's code, templates, Keras layers of Python code). Cost: one pass over the
/// pickles; memory at most kMostUnpacked for packed members, and a few times the pickle.
class ScanTask {
 public:
  /// What packed members may unpack to before they are pickles, in one piece, and all together. Units: bytes.
  static constexpr std::uint64_t kMostUnpacked = std::uint64_t{256} << 20U;
  static constexpr std::uint64_t kMostUnpackedTogether = std::uint64_t{2} << 30U;
  /// Archives in archives.
  static constexpr int kMostDepth = 8;

  explicit ScanTask(std::shared_ptr<base::ByteSource> source);
  ~ScanTask();

  /// True when all was looked at. Errors: the file cannot be read, or is a Git LFS pointer; findings stay.
  base::Result<bool> step(const base::Budget& budget);
  /// Units: bytes of the file, about.
  std::uint64_t done() const;
  std::uint64_t total() const;
  const ScanReport& report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::checkpoint
