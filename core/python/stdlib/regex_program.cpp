#include "core/python/stdlib/regex_program.h"

#include <fmt/format.h>

#include <chrono>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/base/release.h"

namespace nns::python {
namespace {

using Clock = std::chrono::steady_clock;

// Numbers of the callouts that compile() puts around a pattern.
constexpr std::uint32_t kAtStart = 1;
constexpr std::uint32_t kAtEnd = 2;

// What is known of a search while it runs.
struct Search {
  Clock::time_point deadline;
  std::uint32_t starts = 0;
  std::uint32_t last_group = 0;
  bool is_late = false;
};

int on_callout(pcre2_callout_block_8* block, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (block->callout_number == kAtEnd) {
    search.last_group = block->capture_last;
    return 0;
  }
  // A clock costs more than a place where nothing matches.
  if ((++search.starts & 0xFFU) != 0 || Clock::now() < search.deadline) return 0;
  search.is_late = true;
  return PCRE2_ERROR_CALLOUT;
}

using CompileContext = std::unique_ptr<pcre2_compile_context_8, base::Release<pcre2_compile_context_free_8>>;

// The library keeps what a match needed for the next one: some hundred times the text, in the worst case.
constexpr std::size_t kLongText = std::size_t{1} << 16;

}  // namespace

struct RegexProgram::Parts {
  std::unique_ptr<pcre2_code_8, base::Release<pcre2_code_free_8>> code;
  std::unique_ptr<pcre2_match_context_8, base::Release<pcre2_match_context_free_8>> context;
  std::unique_ptr<pcre2_match_data_8, base::Release<pcre2_match_data_free_8>> data;
};

RegexProgram::RegexProgram(std::string text, const Options& options)
    : parts_(std::make_unique<Parts>()), text_(std::move(text)), options_(options) {}
RegexProgram::~RegexProgram() = default;

std::unique_ptr<RegexProgram> RegexProgram::compile(std::string_view pattern, const Options& options,
                                                    std::string& problem) {
  const CompileContext context(pcre2_compile_context_create_8(nullptr));
  pcre2_set_newline_8(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_compile_extra_options_8(context.get(), PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
  std::uint32_t flags = PCRE2_DOTALL | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | PCRE2_NEVER_BACKSLASH_C;
  if (options.is_text) flags |= PCRE2_UTF;
  if (options.ignores_case) flags |= PCRE2_CASELESS;
  const std::string whole = fmt::format("(?C{})(?:{})(?C{})", kAtStart, pattern, kAtEnd);
  int error = 0;
  std::size_t place = 0;
  std::unique_ptr<RegexProgram> made(new RegexProgram(std::string(pattern), options));
  Parts& parts = *made->parts_;
  parts.code.reset(
      pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(whole.data()), whole.size(), flags, &error, &place, context.get()));
  if (!parts.code) {
    PCRE2_UCHAR8 words[256] = {};
    pcre2_get_error_message_8(error, words, sizeof(words));
    problem = reinterpret_cast<const char*>(words);
    return nullptr;
  }
  parts.context.reset(pcre2_match_context_create_8(nullptr));
  pcre2_set_match_limit_8(parts.context.get(), kMostSteps);
  pcre2_set_heap_limit_8(parts.context.get(), kMostMemoryKib);
  return made;
}

RegexProgram::Status RegexProgram::match(std::string_view text, std::size_t start, Mode mode, bool not_empty,
                                         RegexFound& found) {
  Parts& parts = *parts_;
  if (!parts.data) parts.data.reset(pcre2_match_data_create_8(options_.group_count + 1, nullptr));
  Search search{.deadline = Clock::now() +
                            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kMostSeconds))};
  pcre2_set_callout_8(parts.context.get(), on_callout, &search);
  std::uint32_t flags = options_.is_text ? PCRE2_NO_UTF_CHECK : 0;
  if (mode != Mode::Search) flags |= PCRE2_ANCHORED;
  if (mode == Mode::FullMatch) flags |= PCRE2_ENDANCHORED;
  if (not_empty) flags |= PCRE2_NOTEMPTY_ATSTART;
  const char* bytes = text.data() == nullptr ? "" : text.data();
  const int status = pcre2_match_8(parts.code.get(), reinterpret_cast<PCRE2_SPTR8>(bytes), text.size(), start, flags,
                                   parts.data.get(), parts.context.get());
  // 0: a group is not told of, which only a pattern that nobody counted has.
  if (status >= 0) {
    const std::size_t* ends = pcre2_get_ovector_pointer_8(parts.data.get());
    found.groups.resize(options_.group_count + 1);
    for (std::size_t i = 0; i < found.groups.size(); ++i) {
      const bool is_set = ends[2 * i] != PCRE2_UNSET;
      found.groups[i] = is_set ? RegexSpan{ends[2 * i], ends[2 * i + 1]} : RegexSpan{};
    }
    found.last_group = search.last_group;
  }
  if (text.size() > kLongText || (status < 0 && status != PCRE2_ERROR_NOMATCH)) parts.data.reset();
  if (status >= 0) return Status::Found;
  if (status == PCRE2_ERROR_NOMATCH) return Status::NotFound;
  if (search.is_late) return Status::TooSlow;
  if (status == PCRE2_ERROR_HEAPLIMIT || status == PCRE2_ERROR_NOMEMORY) return Status::TooMuchMemory;
  return Status::TooManySteps;
}

}  // namespace nns::python
