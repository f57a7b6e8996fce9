#include "native/host/file_watch.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace nns::host {

void FileWatch::watch(std::vector<std::string> places) {
  std::vector<Watched> watched;
  for (std::string& place : places) {
    const auto found =
        std::find_if(watched_.begin(), watched_.end(), [&](const Watched& one) { return one.place == place; });
    watched.push_back(found != watched_.end() ? *found : look_at(std::move(place)));
  }
  watched_ = std::move(watched);
}

std::vector<std::string> FileWatch::look() {
  std::vector<std::string> changed;
  for (Watched& known : watched_) {
    Watched now = look_at(known.place);
    const bool is_same = now.size == known.size && now.time == known.time;
    if (known.is_changing && is_same && now.time != 0) changed.push_back(known.place);
    now.is_changing = !is_same;
    known = std::move(now);
  }
  return changed;
}

FileWatch::Watched FileWatch::look_at(std::string place) {
  std::error_code error;
  Watched seen;
  const auto time = std::filesystem::last_write_time(place, error);
  if (!error) seen.time = time.time_since_epoch().count();
  const std::uintmax_t size = std::filesystem::file_size(place, error);
  if (!error) seen.size = size;
  seen.place = std::move(place);
  return seen;
}

}  // namespace nns::host
