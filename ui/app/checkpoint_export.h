#pragma once

#include <memory>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/exports/export.h"

namespace nns::app {

/// A checkpoint of a run that no disk keeps, as a file: it is asked for, taken between two steps, and fetched; of a run
/// that is over, the last one. Lifetime: shorter than `requests` and `mirror`.
std::unique_ptr<exports::Export> export_checkpoint(Requests& requests, const live::Mirror& mirror,
                                                   std::uint32_t document);

}  // namespace nns::app
