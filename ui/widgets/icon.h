#pragma once

#include <cstdint>

#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Pictures drawn as strokes, so that they are crisp at every scale and need no icon font.
enum class Icon : std::uint8_t {
  Folder,
  Link,
  Search,
  Close,
  Sun,
  Moon,
  Contrast,
  Help,
  Plus,
  Minus,
  ChevronRight,
  ChevronLeft,
  ChevronDown,
  ArrowLeft,
  ArrowRight,
  Check,
  Warning,
  Danger,
  Unknown,
  Info,
  Copy,
  Drop,
  Fit,
  Shield,
  Layers,
  SideBar,
  Module,
  Parameter,
  Buffer,
  Tensor,
  Container,
  Value,
  Hook,
};

/// Draws `icon` in the middle of `rect`, `units` design units large.
void paint_icon(const Ui& ui, Icon icon, const Rect& rect, Colour colour, float units = 16);

}  // namespace nns::widgets
