#pragma once

#include <imgui.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/host.h"
#include "tests/ui/null_host.h"
#include "ui/app/app.h"

namespace nns::tests {

/// The whole explorer in one thread and without a display: App, queue, Host; driven by keys and read through the tree
/// of controls, as a person with a screen reader would.
class Explorer {
 public:
  /// One host: it reads files, opens samples and runs programs. Two: as in the page, where one reads files and the
  /// other does the rest.
  enum class Hosts : std::uint8_t { One, Two };
  explicit Explorer(std::vector<session::Sample> samples = {}, float width = 1280, float height = 800,
                    Hosts hosts = Hosts::One);
  ~Explorer();
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  /// Draws frames; between them the host works for a moment.
  void frames(int count = 1);
  /// Only the app's part of a frame: for timing.
  void draw_frame();
  /// Until nothing is on its way any more, or the test has waited long enough. True if it is settled.
  bool settle();
  /// The second host ends, as a worker does that has no memory left, and another takes its place.
  void lose_programs();
  /// The host does nothing while this is set.
  void hold_host(bool held) { is_held_ = held; }

  void press(ImGuiKey key, ImGuiKey modifier = ImGuiKey_None);
  void press_chord(ImGuiKey first, ImGuiKey second, ImGuiKey key);
  void type(std::string_view text);
  void ask(std::uint32_t id, host::AccessAction::Kind kind, std::string text = {}, double value = 0);
  /// Opens bytes or a file as if they had been dropped.
  void drop(const std::string& name, std::shared_ptr<base::ByteSource> source, const std::string& place = {});
  /// From now on host::reopen_file() gives these bytes for `place`.
  host::PickedFile keep(const std::string& name, std::shared_ptr<base::ByteSource> source, const std::string& place);

  std::span<const host::AccessNode> controls() const { return app_->controls(); }
  /// The first control of that role whose name contains `name`; null if there is none.
  const host::AccessNode* find(host::Role role, std::string_view name = {}) const;
  std::size_t count(host::Role role) const;
  const host::AccessNode* focused() const;
  /// Presses Tab until a control of that role and name has the focus. False after a whole round.
  bool tab_to(host::Role role, std::string_view name);
  /// Everything that is on the screen, one control a line, for messages of failing tests.
  std::string screen_text() const;
  app::App& app() { return *app_; }

 private:
  void start_programs();
  class Sources;
  bool is_held_ = false;
  std::shared_ptr<Sources> sources_;
  std::unique_ptr<session::Host> host_;
  std::vector<session::Sample> samples_;
  class Relay;
  Relay* relay_ = nullptr;                   // the app's end of the second host; owned by the app
  std::unique_ptr<session::Host> programs_;  // the second host
  std::unique_ptr<app::App> app_;
};

/// A sample of `blocks` blocks, each with one linear layer: 2 x blocks + 2 modules; its file is in memory.
/// Each module has the registries of an nn.Module, and block 0 has two forward hooks.
session::Sample blocks_sample(std::uint32_t blocks);

}  // namespace nns::tests
