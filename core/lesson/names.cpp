#include <array>

#include "core/lesson/lesson.h"

namespace nns::lesson {

std::span<const BuiltIn> built_in() {
  static constexpr std::array<BuiltIn, 12> kAll = {{
      {"conv1", "Where did conv1 go?", "What self.conv1 = … does, where net.conv1 is found, and what dir() knows."},
      {"setattr", "A Module in a dozen lines, and what they miss",
       "What a short __setattr__ drops, and what a missing super().__init__() raises."},
      {"ddp", "Why 'module' is not in ddp.__dict__", "A wrapper's model lies in a registry, and what asks for it."},
      {"dataparallel", "DataParallel: what reaches the model",
       "What replicas share, copy and lose on several devices."},
      {"overlap", "How DDP hides communication in backward", "Buckets, and when each of them is sent."},
      {"init", "Module.__init__, twice", "What a second __init__ wipes, the diamond, and what super() calls."},
      {"call", "What model(x) does beyond forward", "The order of all hooks, before, around and behind forward."},
      {"state", "Parameters, buffers and plain tensors", "What to(), state_dict() and optimisers see of a module."},
      {"variables", "One model, four variable classes", "What a compiler takes a module for, and by which rules."},
      {"sequential", "Why a hook stops Sequential from being unrolled",
       "What a compiler leaves out of a container, and when it may not."},
      {"guards", "What a guard protects, and what it misses",
       "What makes a compiled model be compiled again, and what goes unnoticed."},
      {"breaks", "Three graph breaks and their cures",
       "print, a branch on values, .item(), and what to write instead."},
  }};
  return kAll;
}

bool is_lesson(std::string_view name) { return name.ends_with(".md"); }

}  // namespace nns::lesson
