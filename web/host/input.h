#pragma once

#include <string>

/// What a person does, as web/page/input.mjs tells it, put into Dear ImGui's queue of input.
/// Must hold: a Dear ImGui context is current.
namespace nns::web {

/// Tells Dear ImGui what this platform can do. `is_mac`: shortcuts are with Command.
void start_input(bool is_mac);
/// Units: CSS pixels; far outside when the pointer left the page.
void move_pointer(float x, float y);
/// 0 left, 1 right, 2 middle, 3 back, 4 forward.
void press_button(int button, bool down);
/// Units: five lines of text, to the right and down.
void turn_wheel(float right, float down);
/// `code`: as KeyboardEvent.code names it. Keys that the picture does not know are left out.
void press_key(const std::string& code, bool down);
void set_modifiers(bool ctrl, bool shift, bool alt, bool meta);
void type_text(const std::string& text);
void set_focus(bool focused);
/// Shows the cursor that the last frame asked for.
void show_cursor();

}  // namespace nns::web
