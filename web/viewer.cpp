// The viewer on the page's main thread: entry points that web/page/main.mjs calls.
#include <backends/imgui_impl_opengl3.h>
#include <emscripten/emscripten.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "ui/app/app.h"
#include "ui/host/access_node.h"
#include "ui/host/host.h"
#include "ui/widgets/drawn_picture.h"
#include "ui/widgets/input_gate.h"
#include "web/host/input.h"
#include "web/host/page_state.h"
#include "web/host/post_endpoint.h"
#include "web/host/viewer_imports.h"

namespace {

/// The page's one viewer; the browser calls entry points without any context.
struct Viewer {
  /// To the host that reads files, to the one that runs programs, and to one that the page is attached to (null: none).
  /// Owned by the app.
  std::array<nns::web::PostEndpoint*, 3> endpoints = {};
  /// Of a host that went: what still comes from it goes here.
  nns::web::PostEndpoint nowhere{&nns_host_send_live};
  std::unique_ptr<nns::app::App> app;
  nns::widgets::DrawnPicture picture;
  double drawn_at_s = 0;
};

Viewer& viewer() {
  static Viewer instance;
  return instance;
}

/// The page's WebSocket.
class PageLink final : public nns::app::LiveLink {
 public:
  PageLink() { viewer().endpoints[2] = &end_; }
  PageLink(const PageLink&) = delete;
  PageLink& operator=(const PageLink&) = delete;
  ~PageLink() override {
    // Another one may be there already.
    if (viewer().endpoints[2] != &end_) return;
    viewer().endpoints[2] = nullptr;
    nns_host_detach();
  }
  void send(nns::live::Bytes message) override { end_.send(std::move(message)); }
  std::optional<nns::live::Bytes> receive() override { return end_.receive(); }
  bool is_connected() const override { return true; }
  std::string trouble() const override {
    nns_host_live_trouble();
    return nns::web::page_state().text;
  }

 private:
  nns::web::PostEndpoint end_{&nns_host_send_live};
};

nns::web::PostEndpoint& endpoint_of(int host) {
  nns::web::PostEndpoint* end = viewer().endpoints[static_cast<std::size_t>(host)];
  return end != nullptr ? *end : viewer().nowhere;
}

std::string text_of(const char* text, std::size_t length) { return {text, length}; }

/// `text`: the file's name and, on a second line, where it is found again.
nns::host::PickedFile file_of(const char* text, std::size_t length, double source) {
  nns::host::PickedFile file;
  file.source = static_cast<std::uint64_t>(source);
  file.name = text_of(text, length);
  const std::size_t end = file.name.find('\n');
  if (end != std::string::npos) {
    file.place = file.name.substr(end + 1);
    file.name.resize(end);
  }
  return file;
}

// A Cancel reaches the host also while it is inside of a call that does not end.
void send_to_programs(const void* bytes, std::size_t length) {
  constexpr std::size_t kMostOfCancel = 128;
  if (length <= kMostOfCancel) {
    const auto* const from = static_cast<const std::byte*>(bytes);
    const auto message = nns::live::Message::verify(nns::live::Bytes(from, from + length));
    const auto* const cancel = message.ok() ? message->as<nns::live::wire::Cancel>() : nullptr;
    if (cancel != nullptr) nns_host_cancel_program(static_cast<double>(cancel->request()));
  }
  nns_host_send_to_programs(bytes, length);
}

}  // namespace

extern "C" {

// ---------------------------------------------------------------- start and frames

EMSCRIPTEN_KEEPALIVE void nns_start(bool is_mac) {
  nns_host_use_graphics();
  ImGui::CreateContext();
  nns::web::start_input(is_mac);
  ImGui_ImplOpenGL3_Init("#version 300 es");
  auto files = std::make_unique<nns::web::PostEndpoint>(&nns_host_send);
  auto programs = std::make_unique<nns::web::PostEndpoint>(&send_to_programs);
  viewer().endpoints = {files.get(), programs.get(), nullptr};
  viewer().app = std::make_unique<nns::app::App>(std::move(files), std::move(programs));
  viewer().app->set_connector([](const std::string& address) -> nns::base::Result<std::unique_ptr<nns::app::LiveLink>> {
    auto link = std::make_unique<PageLink>();
    nns_host_attach(address.data(), address.size());
    return std::unique_ptr<nns::app::LiveLink>(std::move(link));
  });
  // A cursor that blinks would draw the page twice a second for ever.
  ImGui::GetIO().ConfigInputTextCursorBlink = false;
}

/// Draws one frame. Units: seconds; CSS pixels; pixels of the screen for one of these.
EMSCRIPTEN_KEEPALIVE void nns_frame(double now_s, float width, float height, float scale) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(width, height);
  io.DisplayFramebufferScale = ImVec2(scale, scale);
  // After a rest the time that passed is not part of any motion.
  constexpr double kLongest_s = 0.6;
  io.DeltaTime = static_cast<float>(std::clamp(now_s - viewer().drawn_at_s, 1e-4, kLongest_s));
  viewer().drawn_at_s = now_s;
  ImGui_ImplOpenGL3_NewFrame();
  viewer().app->frame();
  ImGui::Render();
  if (viewer().picture.take(*ImGui::GetDrawData())) ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  nns::web::show_cursor();
}

/// The browser took the graphics away and gave them back: everything on them is gone.
EMSCRIPTEN_KEEPALIVE void nns_graphics_restored() {
  viewer().app->graphics_lost();
  viewer().picture.forget();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplOpenGL3_Init("#version 300 es");
}

// ---------------------------------------------------------------- messages of the hosts: 0 reads files, 1 runs
// programs, 2 is the one that the page is attached to

/// Room for a message of that length; nns_deliver() follows.
EMSCRIPTEN_KEEPALIVE void* nns_inbox(int host, std::size_t length) { return endpoint_of(host).make_room(length); }

EMSCRIPTEN_KEEPALIVE void nns_deliver(int host) { endpoint_of(host).deliver(); }

EMSCRIPTEN_KEEPALIVE void nns_core_stopped(const char* why, std::size_t length, int host) {
  if (host == 1) return viewer().app->programs_stopped(text_of(why, length));
  viewer().endpoints[0]->disconnect();
  viewer().app->core_stopped(text_of(why, length));
}

// ---------------------------------------------------------------- texts

/// Room for a text of that length, for the next call or for the import that is running.
EMSCRIPTEN_KEEPALIVE void* nns_text_place(std::size_t length) {
  std::string& text = nns::web::page_state().text;
  text.resize(length);
  return text.data();
}

// ---------------------------------------------------------------- input

EMSCRIPTEN_KEEPALIVE void nns_pointer(float x, float y) { nns::web::move_pointer(x, y); }
EMSCRIPTEN_KEEPALIVE void nns_button(int button, bool down) { nns::web::press_button(button, down); }
EMSCRIPTEN_KEEPALIVE void nns_wheel(float right, float down) { nns::web::turn_wheel(right, down); }
EMSCRIPTEN_KEEPALIVE void nns_key(const char* code, std::size_t length, bool down) {
  nns::web::press_key(text_of(code, length), down);
}
EMSCRIPTEN_KEEPALIVE void nns_modifiers(bool ctrl, bool shift, bool alt, bool meta) {
  nns::web::set_modifiers(ctrl, shift, alt, meta);
}
EMSCRIPTEN_KEEPALIVE void nns_typed(const char* text, std::size_t length) {
  nns::web::type_text(text_of(text, length));
}
EMSCRIPTEN_KEEPALIVE void nns_focus(bool focused) { nns::web::set_focus(focused); }

/// `kind`: a value of AccessAction::Kind.
EMSCRIPTEN_KEEPALIVE void nns_access_action(const char* text, std::size_t length, std::uint32_t id, int kind) {
  using Kind = nns::host::AccessAction::Kind;
  nns::web::page_state().actions.push_back({.id = id,
                                            .kind = static_cast<Kind>(kind),
                                            .text = text_of(text, length),
                                            .value = 0,
                                            .position = nns::widgets::input_position()});
}

/// Whether a text field has the keyboard.
EMSCRIPTEN_KEEPALIVE bool nns_is_typing() { return viewer().app->is_typing(); }

/// Whether the focus is not yet where these send it.
EMSCRIPTEN_KEEPALIVE bool nns_is_focus_under_way() {
  return !nns::web::page_state().actions.empty() || viewer().app->is_focus_under_way();
}

/// Whether what the person did has not all been followed yet.
EMSCRIPTEN_KEEPALIVE bool nns_is_input_under_way() { return viewer().app->is_input_under_way(); }

// ---------------------------------------------------------------- files

/// The person chose a file: the answer to pick_file(). Without a question it is as if it had been dropped.
EMSCRIPTEN_KEEPALIVE void nns_picked(const char* name, std::size_t length, double source) {
  nns::host::PickedFile file = file_of(name, length, source);
  auto done = std::exchange(nns::web::page_state().picked, nullptr);
  if (done) {
    done(std::move(file));
  } else {
    nns::web::page_state().dropped.push_back(std::move(file));
  }
}

EMSCRIPTEN_KEEPALIVE void nns_pick_cancelled() {
  auto done = std::exchange(nns::web::page_state().picked, nullptr);
  if (done) done(std::nullopt);
}

EMSCRIPTEN_KEEPALIVE void nns_dropped(const char* name, std::size_t length, double source) {
  nns::web::page_state().dropped.push_back(file_of(name, length, source));
}

/// The answer to nns_host_reopen(); source 0: the file is not to be had.
EMSCRIPTEN_KEEPALIVE void nns_reopened(const char* name, std::size_t length, std::uint32_t number, double source) {
  auto& waiting = nns::web::page_state().reopening;
  const auto found = waiting.find(number);
  if (found == waiting.end()) return;
  auto done = std::move(found->second);
  waiting.erase(found);
  done(source == 0 ? std::nullopt : std::optional(file_of(name, length, source)));
}

/// A file that is watched has changed.
EMSCRIPTEN_KEEPALIVE void nns_changed(const char* name, std::size_t length, double source) {
  nns::web::page_state().changed.push_back(file_of(name, length, source));
}

/// The page was loaded with this link in its address.
EMSCRIPTEN_KEEPALIVE void nns_restore(const char* link, std::size_t length) {
  viewer().app->restore(text_of(link, length));
}

/// The browser's history is at that visit now (0: at one of an earlier page), and its address at that link.
EMSCRIPTEN_KEEPALIVE void nns_go_to(const char* link, std::size_t length, double visit) {
  viewer().app->go_to_visit(static_cast<std::uint64_t>(visit), text_of(link, length));
}

EMSCRIPTEN_KEEPALIVE void nns_drag(bool is_over) { nns::web::page_state().is_drag_over = is_over; }

EMSCRIPTEN_KEEPALIVE void nns_open_url(const char* url, std::size_t length) {
  viewer().app->open_url(text_of(url, length));
}

EMSCRIPTEN_KEEPALIVE void nns_trouble(const char* what, std::size_t length) {
  viewer().app->show_error({.found = text_of(what, length), .expected = {}, .where = {}, .offset = {}});
}

}  // extern "C"
