#include "tests/ui/explorer.h"

#include <fmt/format.h>

#include <map>
#include <thread>
#include <utility>

#include "core/base/byte_source.h"
#include "core/live/commands.h"
#include "core/session/python_program.h"
#include "core/session/trace_log_document.h"
#include "core/session/training_messages.h"
#include "tests/support/files.h"

namespace nns::tests {

using host::AccessAction;
using host::AccessNode;
using host::Role;

class Explorer::Sources final : public session::SourceProvider {
 public:
  std::uint64_t add(std::shared_ptr<base::ByteSource> source) {
    sources_[++last_] = {std::move(source), std::make_shared<MemoryFileSet>()};
    return last_;
  }
  std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string& name, const std::string&) override {
    const auto found = sources_.find(source);
    if (found != sources_.end()) return found->second;
    return base::Error{.found = "no such source", .expected = {}, .where = name, .offset = std::nullopt};
  }

 private:
  std::map<std::uint64_t, Opened> sources_;
  std::uint64_t last_ = 0;
};

// An end that outlives the host behind it.
class Explorer::Relay final : public live::Endpoint {
 public:
  void join(std::unique_ptr<live::Endpoint> end) { end_ = std::move(end); }
  void send(live::Bytes message) override { end_->send(std::move(message)); }
  std::optional<live::Bytes> receive() override { return end_->receive(); }
  bool is_connected() const override { return true; }

 private:
  std::unique_ptr<live::Endpoint> end_;
};

Explorer::Explorer(std::vector<session::Sample> samples, float width, float height, Hosts hosts)
    : sources_(std::make_shared<Sources>()), samples_(samples) {
  null_host() = {};
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(width, height);
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  auto [viewer_end, host_end] = live::make_queue({}, {});
  session::Abilities abilities = {.samples = std::move(samples), .programs = nullptr, .first_document = 1};
  std::unique_ptr<Relay> relay;
  if (hosts == Hosts::One) {
    abilities.programs = session::make_python_program;
    abilities.check_source = session::check_python_source;
    abilities.read_lesson = lesson::read_lesson;
    abilities.open_trace_log = session::make_open_trace_log_job;
    abilities.recipes = session::recipe_list;
  } else {
    relay = std::make_unique<Relay>();
    relay_ = relay.get();
    start_programs();
  }
  host_ = std::make_unique<session::Host>(std::move(host_end), sources_, std::move(abilities));
  app_ = std::make_unique<app::App>(std::move(viewer_end), std::move(relay));
  frames(3);
}

void Explorer::start_programs() {
  auto [viewer_end, host_end] = live::make_queue({}, {});
  relay_->join(std::move(viewer_end));
  programs_ = std::make_unique<session::Host>(std::move(host_end), sources_,
                                              session::Abilities{.samples = samples_,
                                                                 .programs = session::make_python_program,
                                                                 .first_document = live::kFirstProgramDocument,
                                                                 .check_source = session::check_python_source,
                                                                 .read_lesson = lesson::read_lesson,
                                                                 .open_trace_log = session::make_open_trace_log_job,
                                                                 .recipes = session::recipe_list});
}

void Explorer::lose_programs() {
  start_programs();
  app_->programs_stopped("What ran the programs stopped: there is not enough memory");
}

Explorer::~Explorer() {
  app_.reset();
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
  ImGui::DestroyContext();
}

void Explorer::draw_frame() {
  ImGui::GetIO().DeltaTime = 1.0F / 60;
  app_->frame();
  ImGui::Render();
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status == ImTextureStatus_WantCreate) texture->SetTexID(1);
    const bool is_over = texture->Status == ImTextureStatus_WantDestroy;
    if (is_over) texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(is_over ? ImTextureStatus_Destroyed : ImTextureStatus_OK);
  }
}

void Explorer::frames(int count) {
  for (int frame = 0; frame < count; ++frame) {
    draw_frame();
    if (!is_held_) host_->run(base::Budget(std::chrono::milliseconds(2)));
    if (!is_held_ && programs_ != nullptr) programs_->run(base::Budget(std::chrono::milliseconds(2)));
  }
}

bool Explorer::settle() {
  int quiet = 0;
  for (int frame = 0; frame < 5000 && quiet < 12; ++frame) {
    frames(1);
    quiet = app_->is_settled() ? quiet + 1 : 0;
  }
  return quiet >= 12;
}

void Explorer::press(ImGuiKey key, ImGuiKey modifier) {
  ImGuiIO& io = ImGui::GetIO();
  const auto hold = [&](bool down) {
    for (const ImGuiKey one : {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt, ImGuiMod_Super}) {
      if ((modifier & one) != 0) io.AddKeyEvent(one, down);
    }
  };
  hold(true);
  io.AddKeyEvent(key, true);
  frames(2);
  io.AddKeyEvent(key, false);
  hold(false);
  frames(2);
}

void Explorer::press_chord(ImGuiKey first, ImGuiKey second, ImGuiKey key) {
  ImGui::GetIO().AddKeyEvent(first, true);
  press(key, second);
  ImGui::GetIO().AddKeyEvent(first, false);
  frames(2);
}

void Explorer::type(std::string_view text) {
  for (const char character : text) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(character));
    frames(2);
  }
  frames(2);
}

void Explorer::ask(std::uint32_t id, AccessAction::Kind kind, std::string text, double value) {
  null_host().actions.push_back({id, kind, std::move(text), value});
  frames(3);
}

host::PickedFile Explorer::keep(const std::string& name, std::shared_ptr<base::ByteSource> source,
                                const std::string& place) {
  return null_host().kept[place] = {sources_->add(std::move(source)), name, place};
}

void Explorer::drop(const std::string& name, std::shared_ptr<base::ByteSource> source, const std::string& place) {
  null_host().dropped.push_back({sources_->add(std::move(source)), name, place});
  frames(2);
}

const AccessNode* Explorer::find(Role role, std::string_view name) const {
  for (const AccessNode& node : controls()) {
    if (node.role == role && node.name.find(name) != std::string::npos) return &node;
  }
  return nullptr;
}

std::size_t Explorer::count(Role role) const {
  std::size_t number = 0;
  for (const AccessNode& node : controls()) number += node.role == role ? 1U : 0U;
  return number;
}

const AccessNode* Explorer::focused() const {
  for (const AccessNode& node : controls()) {
    if (node.focused) return &node;
  }
  return nullptr;
}

bool Explorer::tab_to(Role role, std::string_view name) {
  for (int step = 0; step < 80; ++step) {
    const AccessNode* node = focused();
    if (node != nullptr && node->role == role && node->name.find(name) != std::string::npos) return true;
    press(ImGuiKey_Tab);
  }
  return false;
}

std::string Explorer::screen_text() const {
  std::string text;
  for (const AccessNode& node : controls()) {
    text += fmt::format("{}{} '{}' {}\n", node.focused ? "* " : "  ", role_name(node.role), node.name, node.value);
  }
  return text;
}

}  // namespace nns::tests
