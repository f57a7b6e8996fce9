#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/live/mirror.h"

namespace nns::model {

/// What a document holds of one dtype; tensors on one storage are counted once.
struct DtypeLine {
  std::string dtype;
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

struct FileLine {
  std::string name;
  std::string size;  ///< "2.2 GB", "missing", "a Git LFS pointer"
  bool present = true;
};

/// A global that a pickle names, as the safety panel shows it.
struct GlobalLine {
  std::string name;
  live::wire::Verdict verdict = live::wire::Verdict::Unknown;
  std::string verdict_text{};  ///< "dangerous", "unknown", "safe"
  std::string why{};           ///< "runs commands of the system"; may be empty
  std::string place{};         ///< "STACK_GLOBAL at byte 1,234 of archive/data.pkl: runs commands of the system"
  std::size_t offset_end = 0;  ///< of `place`, where "STACK_GLOBAL at byte 1,234" ends: what is never cut
};

struct SafetySummary {
  bool is_scanned = false;  ///< lines are what a scan of the files found; before, the globals that opening them met
  std::uint64_t dangerous = 0;
  std::uint64_t unknown = 0;
  std::uint64_t safe = 0;
  std::string headline;           ///< one sentence; empty where nothing was pickled
  std::vector<GlobalLine> lines;  ///< dangerous first, then unknown, then safe, each in the file's order
};

/// What the overview of a document shows. Plain data: make it once a version of the document.
struct DocumentSummary {
  std::string title;
  std::string format;
  std::uint64_t tensors = 0;
  std::uint64_t unknown = 0;                  ///< tensors of which only the name is known: not counted in what follows
  std::optional<std::uint64_t> told_bytes{};  ///< what an index says that all its tensors take
  std::uint64_t modules = 0;
  std::uint64_t parameters = 0;   ///< elements of distinct parameters
  std::uint64_t buffers = 0;      ///< elements of distinct buffers
  std::uint64_t others = 0;       ///< elements of distinct tensors that are neither
  std::uint64_t bytes = 0;        ///< of distinct storages
  std::uint64_t shared = 0;       ///< tensors whose storage is shown under an earlier name
  std::vector<DtypeLine> dtypes;  ///< most bytes first
  std::vector<FileLine> files;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> notes;
  SafetySummary safety;
};

/// "1.2 B", "≥ 1.2 B" where some tensors are unknown, "unknown" where all are.
std::string parameters_text(const DocumentSummary& summary);
/// The same of elements of buffers and of bytes; what an index tells of the bytes stands for what is not known.
std::string buffers_text(const DocumentSummary& summary);
std::string size_text(const DocumentSummary& summary);
/// "safetensors · 4 tensors · 12 parameters · 48 B", for the status bar.
std::string counts_text(const DocumentSummary& summary);

/// Cost: one pass over the tensors and rows.
DocumentSummary summarise(const live::DocumentView& document);
/// What a scan found, in place of DocumentSummary::safety.
SafetySummary judge_scan(const live::wire::Safety& safety);

}  // namespace nns::model
