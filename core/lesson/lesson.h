#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nns::lesson {

/// Where in a recording a stop lies: the `count`-th moment of that kind, counted from the beginning.
enum class Place : std::uint8_t { Start, End, Line, Registry, Hook, Call, Exception, Attribute };
/// What is shown of it beside source and stack.
enum class View : std::uint8_t { Objects, Chosen, Lookup, Modules, Replicas, Ranks };

/// What a lesson may hide of the studio.
enum Hidden : std::uint32_t { kControls = 1, kStack = 2, kObjects = 4, kOutput = 8 };

struct Stop {
  std::string title;
  std::string text;  ///< paragraphs, with an empty line between two
  Place place = Place::Start;
  std::uint32_t line = 0;  ///< of Place::Line, from 1
  std::uint32_t count = 1;
  View view = View::Objects;
  std::string name;      ///< the variable whose object is chosen; empty: none
  std::string question;  ///< empty: none
  std::string answer;    ///< an expression of Python; what it gives at the end of the program is the right answer
};

/// A program, and a way through what happens in it.
struct Lesson {
  std::string title;
  std::string program;  ///< source
  std::uint32_t hides = 0;
  std::vector<Stop> stops;  ///< the first is the introduction
};

/// Reads a lesson: Markdown with a title (`# …`), an introduction, one block of Python (```python), and stops (`## …`)
/// whose lines may begin with `stop:`, `show:`, `hide:`, `question:` and `answer:`. README.md says what each takes.
/// Errors: names the line and what would be right there. Limits: 1 MiB, 256 stops.
base::Result<Lesson> read_lesson(std::string_view text, std::string_view where);

using LessonReader = base::Result<Lesson> (*)(std::string_view text, std::string_view where);

/// Whether a file is a lesson, by its name.
bool is_lesson(std::string_view name);

/// The lessons that are built in.
struct BuiltIn {
  std::string_view name;
  std::string_view title;
  std::string_view about;  ///< one sentence
};
std::span<const BuiltIn> built_in();
/// The text of one; empty: there is none of that name.
std::string_view text_of_built_in(std::string_view name);

}  // namespace nns::lesson
