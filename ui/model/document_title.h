#pragma once

#include <span>
#include <string>

#include "core/live/document_view.h"

namespace nns::model {

/// What `document` is called beside `others`: its title, and where others have the same one, as many of the folders in
/// front of it as tell them apart: "gpt2/model.safetensors". The title alone where nothing does, as for a file that is
/// open twice. `document` itself may be among the others.
std::string title_among(const live::DocumentView& document, std::span<const live::DocumentView* const> others);

}  // namespace nns::model
