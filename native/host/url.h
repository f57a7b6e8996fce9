#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nns::host {

/// Whether `text` names something on a web server ("http://..." or "https://...", case ignored) and not a path.
bool is_url(std::string_view text);

/// The addresses of the bytes behind a link that a person copied from a browser, to be tried in this order.
/// Behaviour: Hugging Face's /blob/ pages become /resolve/, a whole repository (or /tree/REVISION) its index, else its
/// only file; GitHub's /blob/ pages become /raw/, which also finds files in Git LFS. Other links stay as they are.
/// A fragment (#...) is dropped.
std::vector<std::string> raw_urls(std::string_view url);

/// The address of the file `name` beside `url`: "https://h/a/b.json?x", "c d.bin" -> "https://h/a/c%20d.bin".
/// Errors: as check_relative_name().
base::Result<std::string> sibling_url(std::string_view url, std::string_view name);

/// `url` as it may be shown: without user name and password.
std::string shown_url(std::string_view url);

/// What comes after the last '/' of the path, with its %XX decoded: a title for a window.
std::string url_file_name(std::string_view url);

/// Every byte but letters, digits, "-._~" and '/' as %XX.
std::string percent_encode(std::string_view text);
/// "%2F" -> "/". nullopt: a '%' without two hexadecimal digits behind it.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace nns::host
