// A host in its worker: entry points that web/page/worker.mjs calls.
#include <emscripten/emscripten.h>

#include <chrono>
#include <memory>

#include "core/session/host.h"
#include "web/abilities.h"
#include "web/host/browser_sources.h"
#include "web/host/core_imports.h"
#include "web/host/post_endpoint.h"
#include "web/host/worker_text.h"

namespace {

/// The worker's one core; the browser calls entry points without any context.
struct Core {
  nns::web::PostEndpoint* endpoint = nullptr;  // owned by the host
  std::unique_ptr<nns::session::Host> host;
};

Core& core() {
  static Core instance;
  return instance;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE void nns_start() {
  auto endpoint = std::make_unique<nns::web::PostEndpoint>(&nns_core_send, &nns_core_cancelled);
  core().endpoint = endpoint.get();
  core().host = std::make_unique<nns::session::Host>(std::move(endpoint), std::make_shared<nns::web::BrowserSources>(),
                                                     nns::web::abilities());
}

/// Room for a message of that length; nns_deliver() follows.
EMSCRIPTEN_KEEPALIVE void* nns_inbox(std::size_t length) { return core().endpoint->make_room(length); }

EMSCRIPTEN_KEEPALIVE void nns_deliver() { core().endpoint->deliver(); }

/// Room for a text of that length.
EMSCRIPTEN_KEEPALIVE void* nns_text_place(std::size_t length) {
  std::string& text = nns::web::worker_text();
  text.resize(length);
  return text.data();
}

/// Works for about that long; whether there is more to do now.
EMSCRIPTEN_KEEPALIVE bool nns_run(double milliseconds) {
  using Duration = nns::base::Budget::Clock::duration;
  const auto slice = std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(milliseconds));
  return core().host->run(nns::base::Budget(slice));
}

}  // extern "C"
