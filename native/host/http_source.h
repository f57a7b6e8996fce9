#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/base/byte_source.h"
#include "core/checkpoint/checkpoint.h"
#include "native/host/folder_files.h"
#include "native/host/http_client.h"

namespace nns::host {

/// Opens the file at `url`, which its server must give out in ranges of bytes; waits for the first one.
/// Links to Hugging Face and GitHub pages are turned into links to the bytes (raw_urls()).
/// Behaviour: small reads are rounded to blocks of 64 KiB, of which the last 4 MiB are kept; large ones go through in
/// requests of at most 8 MiB. Redirects are remembered, and followed anew when the place that they led to expires.
/// Errors: as HttpClient::get(); later reads also if the file changes on the server.
base::Result<OpenedFile> open_url(const std::string& url, std::shared_ptr<HttpClient> client,
                                  const std::atomic<bool>* cancelled = nullptr);

}  // namespace nns::host
