#include "core/live/commands.h"
#include "web/abilities.h"

namespace nns::web {

session::Abilities abilities() {
  session::Abilities all = session::all_abilities();
  all.first_document = live::kFirstProgramDocument;
  return all;
}

}  // namespace nns::web
