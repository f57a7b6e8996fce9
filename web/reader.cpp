#include "web/abilities.h"

namespace nns::web {

// The program that a visitor waits for reads files. What runs (sample models, programs) has another (web/engine.cpp),
// which the page loads when it is wanted; the viewer sends it there, so that nothing of it is linked here.
session::Abilities abilities() {
  return {.samples = session::sample_names(), .programs = nullptr, .first_document = 1};
}

}  // namespace nns::web
