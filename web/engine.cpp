#include <cstdint>

#include "core/live/commands.h"
#include "web/abilities.h"

namespace nns::web {

session::Abilities abilities() {
  session::Abilities all = session::all_abilities();
  all.first_document = live::kFirstProgramDocument;
  // A tab has 2 GB at most, and the program needs most of them.
  all.trace_limits.bytes = std::uint64_t{256} << 20U;
  return all;
}

}  // namespace nns::web
