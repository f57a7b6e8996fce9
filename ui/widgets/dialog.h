#pragma once

#include <string>

#include "ui/widgets/ui.h"

namespace nns::widgets {

/// A box over everything else, which is darkened and out of reach meanwhile. It is open for as long as this lives.
/// `window`: a name of its own ("##keys"); `box`: where it stands in `area`; `name`: as assistive technology says it.
class Dialog {
 public:
  Dialog(Ui& ui, const Rect& area, const char* window, const Rect& box, std::string name);
  ~Dialog();
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;

  /// The mouse was pressed beside it. The last question of its frame.
  bool is_pressed_outside() const;

 private:
  Ui& ui_;
  Rect box_;
};

}  // namespace nns::widgets
