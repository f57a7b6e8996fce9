#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ui/widgets/icon.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

enum class ButtonStyle : std::uint8_t {
  Primary,  ///< the one thing to do here
  Plain,    ///< a quiet box
  Ghost,    ///< no box until hovered
};

/// How wide the button is with its icon and label. Units: pixels.
float button_width(const Ui& ui, std::string_view label, bool has_icon);
/// A button with a label and perhaps an icon before it. True if it was pressed.
bool button(Ui& ui, const Rect& rect, std::string_view label, ButtonStyle style = ButtonStyle::Plain,
            std::optional<Icon> icon = std::nullopt, bool disabled = false, std::string_view tip = {});
/// A square button with a picture only; `name` is its accessible name and, with `keys`, its tooltip.
bool icon_button(Ui& ui, const Rect& rect, Icon icon, std::string_view name, std::string_view keys = {},
                 bool disabled = false);
/// Words that can be pressed, drawn in the accent colour.
bool link(Ui& ui, const Rect& rect, std::string_view label, Type type = Type::Body);

/// A round label that is on or off: a filter, a thing to stop at. `name` is its accessible name; `id` tells it from its
/// neighbours. True if it was pressed.
bool toggle(Ui& ui, std::string_view id, const Rect& rect, std::string_view label, std::string_view name, bool is_on,
            std::string_view tip = {});

/// A row of choices of which one is on. Gives the choice that was pressed.
std::optional<std::size_t> segmented(Ui& ui, const Rect& rect, std::string_view name,
                                     std::initializer_list<std::string_view> labels, std::size_t chosen);
float segmented_width(const Ui& ui, std::initializer_list<std::string_view> labels);

/// A small coloured label: dtype, ×32, kind of hook. Gives its width.
float chip_width(const Ui& ui, std::string_view label);
void paint_chip(const Ui& ui, float x, const Rect& row, std::string_view label, Colour colour);

}  // namespace nns::widgets
