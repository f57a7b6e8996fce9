#pragma once

#include "core/session/host.h"

namespace nns::web {

/// What the worker's program can open: the page has two, each with a body of its own.
session::Abilities abilities();

}  // namespace nns::web
