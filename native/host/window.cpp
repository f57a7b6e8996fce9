#include "native/host/window.h"

#include <GLES3/gl3.h>
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "core/session/host_thread.h"
#include "native/host/desktop.h"
#include "native/host/png.h"
#include "native/host/settings_file.h"
#include "native/host/window_state.h"
#include "ui/app/app.h"
#include "ui/widgets/drawn_picture.h"

namespace nns::host {

namespace {

base::Error window_error() {
  const char* why = nullptr;
  glfwGetError(&why);
  return {.found = why != nullptr ? why : "no window could be opened",
          .expected = "a display with OpenGL ES 3.0",
          .where = {},
          .offset = {}};
}

/// Keys that act again and again while they are held.
bool repeats(int key) {
  switch (key) {
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN:
    case GLFW_KEY_LEFT:
    case GLFW_KEY_RIGHT:
    case GLFW_KEY_PAGE_UP:
    case GLFW_KEY_PAGE_DOWN:
    case GLFW_KEY_BACKSPACE:
    case GLFW_KEY_DELETE:
      return true;
    default:
      return false;
  }
}

/// Dear ImGui does not hear of the system's repeats: each is told as a release and a press.
void repeat_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  constexpr int kChord = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
  if (action != GLFW_REPEAT || !repeats(key) || (mods & kChord) != 0) return;
  ImGui_ImplGlfw_KeyCallback(window, key, scancode, GLFW_RELEASE, mods);
  ImGui_ImplGlfw_KeyCallback(window, key, scancode, GLFW_PRESS, mods);
}

/// GLFW, the window, its context and Dear ImGui, from construction to destruction.
class Window {
 public:
  static base::Result<std::unique_ptr<Window>> open(int width, int height, bool visible) {
    auto made = std::unique_ptr<Window>(new Window());
    if (glfwInit() != GLFW_TRUE) return window_error();
    made->has_glfw_ = true;
    glfwWindowHint(GLFW_CLIENT_API, GLFW_OPENGL_ES_API);
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
    glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    made->window_ = glfwCreateWindow(width, height, "nnscope", nullptr, nullptr);
    if (made->window_ == nullptr) {
      // Some drivers have OpenGL ES only through GLX.
      glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_NATIVE_CONTEXT_API);
      made->window_ = glfwCreateWindow(width, height, "nnscope", nullptr, nullptr);
    }
    if (made->window_ == nullptr) return window_error();
    glfwMakeContextCurrent(made->window_);
    glfwSwapInterval(visible ? 1 : 0);
    window_state().window = made->window_;
    glfwSetDropCallback(made->window_, [](GLFWwindow*, int count, const char** paths) {
      for (int index = 0; index < count; ++index) window_state().dropped.push_back(register_file(paths[index]));
    });
    glfwSetWindowUserPointer(made->window_, made.get());
    glfwSetWindowRefreshCallback(made->window_, [](GLFWwindow* window) {
      static_cast<Window*>(glfwGetWindowUserPointer(window))->forget_picture();
    });
    glfwSetKeyCallback(made->window_, repeat_key);  // Dear ImGui's own calls it first
    ImGui::CreateContext();
    made->has_imgui_ = true;
    ImGui_ImplGlfw_InitForOpenGL(made->window_, visible);
    ImGui_ImplOpenGL3_Init("#version 300 es");
    return made;
  }
  ~Window() {
    if (has_imgui_) {
      ImGui_ImplOpenGL3_Shutdown();
      ImGui_ImplGlfw_Shutdown();
      ImGui::DestroyContext();
    }
    if (window_ != nullptr) glfwDestroyWindow(window_);
    window_state().window = nullptr;
    if (has_glfw_) glfwTerminate();
  }
  GLFWwindow* get() const { return window_; }

  /// Makes a frame, and draws it if it differs from what was drawn last; whether it did.
  bool draw(app::App& app) {
    follow_picker();
    window_state().wants_frame = false;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    app.frame();
    ImGui::Render();
    if (!picture_.take(*ImGui::GetDrawData())) return false;
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    return true;
  }
  /// What the window shows is gone: it was covered, or comes back.
  void forget_picture() { picture_.forget(); }

 private:
  Window() = default;
  GLFWwindow* window_ = nullptr;
  widgets::DrawnPicture picture_;
  bool has_glfw_ = false;
  bool has_imgui_ = false;
};

/// The viewer's end of a stream that the thread owns.
class ThreadEndpoint final : public live::Endpoint {
 public:
  explicit ThreadEndpoint(session::HostThread& thread) : end_(thread.endpoint()) {}
  void send(live::Bytes message) override { end_.send(std::move(message)); }
  std::optional<live::Bytes> receive() override { return end_.receive(); }
  bool is_connected() const override { return end_.is_connected(); }

 private:
  live::Endpoint& end_;
};

void open_inputs(app::App& app, const WindowOptions& options) {
  constexpr std::string_view kSample = "sample:";
  for (const std::string& input : options.inputs) {
    if (input.starts_with('#')) {
      app.follow_link(input);
    } else if (input.starts_with(kSample)) {
      app.open_sample(input.substr(kSample.size()));
    } else if (input.find("://") != std::string::npos) {
      app.open_url(input);
    } else if (base::Result<PickedFile> file = register_path(input); file.ok()) {
      app.open_file(*file);
    } else {
      app.show_error(file.error());
    }
  }
  if (options.inputs.empty() && options.restores) app.restore({});
  if (!options.select.empty()) app.select_when_opened(options.select);
  if (options.tab) app.show_tab(*options.tab);
  if (options.studio) app.record_when_opened(*options.studio);
  if (options.lesson_stop) app.go_to_stop_when_opened(*options.lesson_stop);
  if (!options.search.empty()) app.search_when_opened(options.search);
  if (options.compare) app.compare_when_opened();
  if (options.theme) app.force_theme(*options.theme);
}

/// What lives as long as a window is shown.
struct Shown {
  std::unique_ptr<Window> window;
  std::unique_ptr<session::HostThread> core;
  std::unique_ptr<app::App> app;
};

struct WindowSize {
  int width = 0;
  int height = 0;
};

/// As it was asked for, or as the window had it that was last closed. Reads the session, if it is to come back.
WindowSize wanted_size(const WindowOptions& options) {
  constexpr int kLeast = 320;
  constexpr int kMost = 16'384;
  WindowState& state = window_state();
  std::map<std::string, std::string> before = read_settings_file(session_path());
  WindowSize size{options.width, options.height};
  WindowSize kept;
  if (!options.has_size && options.restores &&
      std::sscanf(before["tab.window"].c_str(), "%dx%d", &kept.width, &kept.height) == 2) {
    size = {std::clamp(kept.width, kLeast, kMost), std::clamp(kept.height, kLeast, kMost)};
  }
  if (options.inputs.empty() && options.restores) state.session = std::move(before);
  return size;
}

void keep_size(GLFWwindow* window) {
  WindowSize size;
  glfwGetWindowSize(window, &size.width, &size.height);
  // A window that is put away has none.
  if (size.width > 0 && size.height > 0) save_setting("tab.window", fmt::format("{}x{}", size.width, size.height));
}

base::Result<Shown> show(const WindowOptions& options, bool visible) {
  WindowState& state = window_state();
  state.sources = std::make_shared<NativeSources>();
  state.is_dark = visible ? desktop_prefers_dark() : true;
  state.is_still = visible ? desktop_prefers_reduced_motion() : true;
  // A picture must not depend on what somebody set.
  state.settings_loaded = !visible;
  state.keeps_settings = visible;
  const WindowSize size = visible ? wanted_size(options) : WindowSize{options.width, options.height};
  Shown shown;
  NNS_TRY_ASSIGN(shown.window, Window::open(size.width, size.height, visible));
  session::Abilities abilities = session::all_abilities();
  if (options.virtual_devices > 0 || options.keep_run) {
    abilities.programs = [make = abilities.programs, count = options.virtual_devices,
                          keep = options.keep_run](session::ProgramOrigin origin) {
      origin.virtual_devices = count;
      origin.keep_run = keep;
      return make(std::move(origin));
    };
  }
  shown.core = std::make_unique<session::HostThread>(
      state.sources, [] { glfwPostEmptyEvent(); }, std::move(abilities));
  shown.app = std::make_unique<app::App>(std::make_unique<ThreadEndpoint>(*shown.core));
  shown.app->set_connector(options.connector);
  open_inputs(*shown.app, options);
  if (!options.attach.empty()) shown.app->attach(options.attach);
  return shown;
}

}  // namespace

void wake_window() { glfwPostEmptyEvent(); }

bool can_open_window() {
  if (glfwInit() != GLFW_TRUE) return false;
  glfwTerminate();
  return true;
}

base::Result<void> run_window(const WindowOptions& options) {
  NNS_TRY_ASSIGN(Shown shown, show(options, true));
  // After input come some frames more: hovering, focus and what was asked for settle in them.
  constexpr int kFramesAfterInput = 3;
  int frames_left = kFramesAfterInput;
  bool is_drawn = true;
  while (glfwWindowShouldClose(shown.window->get()) == GLFW_FALSE) {
    if (options.is_to_close && options.is_to_close()) break;
    if (frames_left > 0 || window_state().wants_frame) {
      // A swap waits for the screen; without one this does.
      constexpr double kRefresh_s = 1.0 / 60;
      if (is_drawn) {
        glfwPollEvents();
      } else {
        glfwWaitEventsTimeout(kRefresh_s);
      }
      --frames_left;
    } else {
      if (const double wake_at = window_state().wake_at_seconds; std::isfinite(wake_at)) {
        glfwWaitEventsTimeout(std::max(0.001, wake_at - glfwGetTime()));
      } else {
        glfwWaitEvents();
      }
      frames_left = kFramesAfterInput;
    }
    if (glfwGetTime() >= window_state().wake_at_seconds) {
      window_state().wake_at_seconds = std::numeric_limits<double>::infinity();
    }
    is_drawn = shown.window->draw(*shown.app);
    if (is_drawn) glfwSwapBuffers(shown.window->get());
    keep_size(shown.window->get());
    keep_session(false);
  }
  keep_session(true);
  return {};
}

base::Result<std::vector<base::Error>> write_screenshot(const WindowOptions& options, const std::filesystem::path& file,
                                                        double patience_seconds) {
  NNS_TRY_ASSIGN(Shown shown, show(options, false));
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience_seconds));
  // Several quiet frames in a row: a view that rests asks for its tile only after a moment.
  int quiet_frames = 0;
  while (quiet_frames < 20 && Clock::now() < end) {
    glfwPollEvents();
    shown.window->draw(*shown.app);
    quiet_frames = shown.app->is_settled() ? quiet_frames + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::vector<base::Error> wrong;
  for (const panels::ErrorCard& card : shown.app->errors()) wrong.push_back(card.error);
  if (!wrong.empty()) return wrong;
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(shown.window->get(), &width, &height);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  NNS_TRY(write_png(file, width, height, pixels));
  return wrong;
}

}  // namespace nns::host
