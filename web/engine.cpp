#include <cstdint>

#include "core/live/commands.h"
#include "core/session/python_program.h"
#include "web/abilities.h"
#include "web/host/memory_use.h"

namespace nns::web {

session::Abilities abilities() {
  session::Abilities all = session::all_abilities();
  all.first_document = live::kFirstProgramDocument;
  // A tab may hold 4 GB, and the program needs most of them.
  all.trace_limits.bytes = std::uint64_t{256} << 20U;
  // Before the browser refuses more, which would end the worker, the program is told.
  all.programs = [](session::ProgramOrigin origin) {
    origin.memory = {std::uint64_t{3} << 30U, memory_in_use};
    return session::make_python_program(std::move(origin));
  };
  return all;
}

}  // namespace nns::web
