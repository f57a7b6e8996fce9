#include <array>

#include "core/lesson/lesson.h"

namespace nns::lesson {

std::span<const BuiltIn> built_in() {
  static constexpr std::array<BuiltIn, 5> kAll = {{
      {"conv1", "Where did conv1 go?", "What `self.conv1 = …` does, where `net.conv1` is found, and what dir() knows."},
      {"ddp", "Why 'module' is not in ddp.__dict__", "A wrapper's model lies in a registry, and what asks for it."},
      {"init", "Module.__init__, twice", "What a second __init__ wipes, the diamond, and what super() calls."},
      {"call", "What model(x) does beyond forward", "The order of all hooks, before, around and behind forward."},
      {"state", "Parameters, buffers and plain tensors", "What to(), state_dict() and optimisers see of a module."},
  }};
  return kAll;
}

bool is_lesson(std::string_view name) { return name.ends_with(".md"); }

}  // namespace nns::lesson
