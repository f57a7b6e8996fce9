#include "core/recorder/stored_slots.h"

#include <algorithm>

namespace nns::recorder {

using python::Instruction;
using python::Opcode;

StoredSlots::StoredSlots(const python::Code& code) : runs_(code.instructions.size()) {
  const std::vector<Instruction>& instructions = code.instructions;
  std::vector<bool> is_place(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].op == Opcode::Statement) is_place[i] = true;
    if (instructions[i].op == Opcode::JumpBack) is_place[instructions[i].arg] = true;
  }
  std::vector<std::size_t> seen_from(instructions.size(), SIZE_MAX);
  std::vector<std::size_t> waiting;
  for (std::size_t place = 0; place < instructions.size(); ++place) {
    if (!is_place[place]) continue;
    Run& run = runs_[place];
    run.begin = static_cast<std::uint32_t>(slots_.size());
    const auto reach = [&](std::size_t at) {
      if (at >= instructions.size() || seen_from[at] == place) return;
      seen_from[at] = place;
      waiting.push_back(at);
    };
    reach(place);
    while (!waiting.empty()) {
      const std::size_t at = waiting.back();
      waiting.pop_back();
      const Instruction& instruction = instructions[at];
      // The next place begins here.
      if (at != place && instruction.op == Opcode::Statement) continue;
      if (instruction.op == Opcode::JumpBack) continue;
      if (instruction.op == Opcode::StoreFast || instruction.op == Opcode::DeleteFast) {
        slots_.push_back(instruction.arg);
      }
      if (python::jumps(instruction.op)) reach(instruction.arg);
      if (!python::ends(instruction.op)) reach(at + 1);
    }
    const auto begin = slots_.begin() + static_cast<std::ptrdiff_t>(run.begin);
    std::sort(begin, slots_.end());
    slots_.erase(std::unique(begin, slots_.end()), slots_.end());
    run.count = static_cast<std::uint32_t>(slots_.size() - run.begin);
  }
}

}  // namespace nns::recorder
