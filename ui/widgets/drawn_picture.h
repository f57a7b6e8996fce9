#pragma once

#include <imgui.h>

#include <string>

namespace nns::widgets {

/// Remembers what was drawn last, so that a frame which would show the same is not drawn again: most frames after an
/// input are made only to see whether something moves on, and each one that is drawn costs the whole way to the screen.
/// What a callback of a draw list draws must follow from its data alone; who draws from elsewhere puts a revision of
/// that into them.
class DrawnPicture {
 public:
  /// Whether `data` shows something else than the last time, which is then what is remembered.
  bool take(const ImDrawData& data);
  /// What is on the screen is not known, or gone: the next take() is true.
  void forget() { drawn_.clear(); }

 private:
  // Texts, because their bytes are copied as a block by every library; kept for their memory.
  std::string drawn_, next_;
};

}  // namespace nns::widgets
