#pragma once

#include <memory>
#include <string_view>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/exports/heat_picture.h"
#include "ui/exports/tensor_values.h"

/// Exports of a tensor whose values a host has: the same from the window and from the command line.
/// Lifetime of all: shorter than `requests` and `mirror`.
namespace nns::app {

/// The values of a part as .npy, or as CSV.
std::unique_ptr<exports::Export> export_values(Requests& requests, const live::Mirror& mirror, std::uint32_t document,
                                               std::uint32_t tensor, base::TensorSlice slice, bool as_text);
/// The heat map of a part, or of a difference.
std::unique_ptr<exports::Picture> export_heat_map(Requests& requests, const live::Mirror& mirror,
                                                  exports::HeatSubject subject, const exports::PictureLook& look);

}  // namespace nns::app
