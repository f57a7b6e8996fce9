#include "core/lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/utf8.h"

namespace nns::lesson {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostStops = 256;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Takes the first word.
std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = trim(text.substr(word.size()));
  return word;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view where) : rest_(text), where_(where) {}

  base::Result<Lesson> read() {
    if (rest_.size() > kMostBytes) return error("a lesson of more than 1 MiB", "a shorter one");
    if (base::find_invalid_utf8(rest_)) return error("text that is not UTF-8", "UTF-8");
    while (!rest_.empty()) NNS_TRY(read_line());
    if (in_program_) return error("a block of Python without an end", "a line with ``` behind it");
    if (lesson_.title.empty()) return error("no title", "a line \"# TITLE\" at the beginning");
    if (!has_program_) return error("no program", "a block that begins with ```python");
    for (Stop& stop : lesson_.stops) {
      NNS_TRY(finish(stop));
    }
    return std::move(lesson_);
  }

 private:
  base::Error error(std::string found, std::string expected) const {
    return {.found = std::move(found),
            .expected = std::move(expected),
            .where = line_ == 0 ? std::string(where_) : fmt::format("{}, line {}", where_, line_),
            .offset = std::nullopt};
  }

  base::Result<void> read_line() {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (in_program_) {
      if (trim(line) == "```") {
        in_program_ = false;
      } else {
        lesson_.program.append(line).append("\n");
      }
      return {};
    }
    if (trim(line).starts_with("```")) {
      if (trim(trim(line).substr(3)) != "python") return error("a block that is no Python", "```python");
      if (has_program_) return error("a second program", "one block of Python");
      if (lesson_.stops.empty()) return error("a program before the title", "a line \"# TITLE\" first");
      in_program_ = has_program_ = true;
      return {};
    }
    if (line.starts_with("## ")) return begin_stop(trim(line.substr(3)));
    if (line.starts_with("# ")) {
      if (!lesson_.stops.empty()) return error("a second title", "one line with # and others with ##");
      lesson_.title = trim(line.substr(2));
      if (lesson_.title.empty()) return error("an empty title", "# TITLE");
      return begin_stop(lesson_.title);
    }
    if (trim(line).empty()) {
      is_paragraph_over_ = true;
      return {};
    }
    if (lesson_.stops.empty()) return error("text before the title", "a line \"# TITLE\" first");
    for (const std::string_view key : {"stop:", "show:", "hide:", "question:", "answer:"}) {
      if (line.starts_with(key)) return read_key(key.substr(0, key.size() - 1), trim(line.substr(key.size())));
    }
    Stop& stop = lesson_.stops.back();
    // Lines of one paragraph are one line.
    if (!stop.text.empty()) stop.text += std::exchange(is_paragraph_over_, false) ? "\n\n" : " ";
    is_paragraph_over_ = false;
    stop.text += trim(line);
    return {};
  }

  base::Result<void> begin_stop(std::string_view title) {
    if (lesson_.stops.size() == kMostStops) return error("too many stops", fmt::format("at most {}", kMostStops));
    if (title.empty()) return error("a stop without a title", "## TITLE");
    Stop& stop = lesson_.stops.emplace_back();
    stop.title = title;
    line_of_stop_.push_back(line_);
    code_of_stop_.emplace_back();
    is_paragraph_over_ = false;
    return {};
  }

  base::Result<void> read_key(std::string_view key, std::string_view value) {
    Stop& stop = lesson_.stops.back();
    if (value.empty()) return error(fmt::format("{}: without a value", key), "one behind the colon");
    if (key == "question") {
      stop.question = value;
    } else if (key == "answer") {
      stop.answer = value.size() > 2 && value.starts_with('`') && value.ends_with('`')
                        ? value.substr(1, value.size() - 2)
                        : value;
    } else if (key == "stop") {
      return read_place(stop, value);
    } else if (key == "show") {
      return read_view(stop, value);
    } else {
      return read_hidden(value);
    }
    return {};
  }

  base::Result<void> read_place(Stop& stop, std::string_view value) {
    constexpr std::string_view kExpected =
        "start, end, line NUMBER, line `CODE`, registry, hook, call, exception or attribute; behind it which one of "
        "them";
    constexpr std::pair<std::string_view, Place> kPlaces[] = {
        {"start", Place::Start},         {"end", Place::End},
        {"line", Place::Line},           {"registry", Place::Registry},
        {"hook", Place::Hook},           {"call", Place::Call},
        {"exception", Place::Exception}, {"attribute", Place::Attribute}};
    const std::string_view whole = value;
    const std::string_view word = take_word(value);
    const auto* const found =
        std::find_if(std::begin(kPlaces), std::end(kPlaces), [&](const auto& known) { return known.first == word; });
    if (found == std::end(kPlaces)) return error(fmt::format("stop: {}", whole), std::string(kExpected));
    stop.place = found->second;
    if (stop.place == Place::Line) {
      if (value.starts_with('`')) {
        const std::size_t end = value.find('`', 1);
        if (end == std::string_view::npos) return error("a ` without its end", "line `CODE`");
        // The program may stand further below.
        code_of_stop_.back() = trim(value.substr(1, end - 1));
        value = trim(value.substr(end + 1));
      } else {
        const std::string_view number = take_word(value);
        NNS_TRY_ASSIGN(stop.line, read_number(number));
      }
    }
    if (value.empty()) return {};
    if (stop.place == Place::Start || stop.place == Place::End)
      return error(fmt::format("stop: {}", whole), fmt::format("stop: {}", word));
    NNS_TRY_ASSIGN(stop.count, read_number(value));
    return {};
  }

  base::Result<std::uint32_t> read_number(std::string_view text) const {
    std::uint32_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size() || number == 0)
      return error(fmt::format("\"{}\"", text), "a number from 1");
    return number;
  }

  base::Result<void> read_view(Stop& stop, std::string_view value) {
    constexpr std::pair<std::string_view, View> kViews[] = {{"objects", View::Objects},   {"modules", View::Modules},
                                                            {"replicas", View::Replicas}, {"ranks", View::Ranks},
                                                            {"chosen", View::Chosen},     {"lookup", View::Lookup}};
    const std::string_view word = take_word(value);
    const auto* const found =
        std::find_if(std::begin(kViews), std::end(kViews), [&](const auto& known) { return known.first == word; });
    if (found == std::end(kViews)) {
      return error(fmt::format("show: {}", word), "objects, modules, replicas, ranks, chosen NAME or lookup NAME");
    }
    stop.view = found->second;
    const bool is_of_variable = stop.view == View::Chosen || stop.view == View::Lookup;
    if (is_of_variable && value.empty()) {
      return error(fmt::format("show: {}", word), fmt::format("show: {} NAME, a variable", word));
    }
    stop.name = value;
    return {};
  }

  base::Result<void> read_hidden(std::string_view value) {
    while (!value.empty()) {
      std::string_view word = take_word(value);
      if (word.ends_with(',')) word.remove_suffix(1);
      if (word == "controls") {
        lesson_.hides |= kControls;
      } else if (word == "stack") {
        lesson_.hides |= kStack;
      } else if (word == "objects") {
        lesson_.hides |= kObjects;
      } else if (word == "output") {
        lesson_.hides |= kOutput;
      } else {
        return error(fmt::format("hide: {}", word), "controls, stack, objects, output");
      }
    }
    return {};
  }

  base::Result<void> finish(Stop& stop) {
    const auto at = static_cast<std::size_t>(&stop - lesson_.stops.data());
    line_ = line_of_stop_[at];
    if (stop.question.empty() != stop.answer.empty())
      return error(stop.question.empty() ? "an answer without a question" : "a question without an answer",
                   "question: and answer:");
    if (stop.place != Place::Line) return {};
    const std::string_view code = code_of_stop_[at];
    std::uint32_t number = 0;
    std::string_view rest = lesson_.program;
    while (!rest.empty()) {
      ++number;
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const bool is_it = code.empty() ? number == stop.line : trim(rest.substr(0, end)) == code;
      if (is_it) {
        stop.line = number;
        return {};
      }
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    return error(code.empty() ? fmt::format("a stop at line {}, and the program has {}", stop.line, number)
                              : fmt::format("a stop at `{}`, which is no line of the program", code),
                 "a line of the program, without the blanks before it");
  }

  std::string_view rest_, where_;
  std::size_t line_ = 0;
  Lesson lesson_;
  std::vector<std::size_t> line_of_stop_;
  std::vector<std::string_view> code_of_stop_;
  bool in_program_ = false, has_program_ = false, is_paragraph_over_ = false;
};

}  // namespace

base::Result<Lesson> read_lesson(std::string_view text, std::string_view where) { return Reader(text, where).read(); }

}  // namespace nns::lesson
