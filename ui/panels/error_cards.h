#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "ui/panels/intent.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct ErrorCard {
  std::uint64_t number = 0;
  std::string title;  ///< "model.safetensors was not opened"
  base::Error error;
};
struct Toast {
  std::string text;
  double shown_at = 0;  ///< seconds, as ImGui::GetTime()
};

/// Errors that nobody put away yet, newest below, over the lower right corner: what is wrong, where, what was expected.
std::optional<Intent> draw_error_cards(widgets::Ui& ui, const widgets::Rect& area, std::span<const ErrorCard> cards);
/// A short message at the bottom that goes by itself. False once it is gone.
bool draw_toast(widgets::Ui& ui, const widgets::Rect& area, const Toast& toast);

}  // namespace nns::panels
