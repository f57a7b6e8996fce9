#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nns::host {

/// Files that are looked at now and then, and which of them somebody has changed since. Asks the file system; no
/// thread, no notification: what is on a network is seen, too.
class FileWatch {
 public:
  /// From now on these and no others; of one that was watched before, what was seen stays.
  void watch(std::vector<std::string> places);

  /// Looks at all of them. Gives those with another size or time of change than when they were opened, or told of
  /// last, and which stayed as they are from the last look to this one: who writes a file is done with it then. A file
  /// that is gone is not told of until it is there again.
  std::vector<std::string> look();

 private:
  struct Watched {
    std::string place;
    std::uint64_t size = 0;
    std::int64_t time = 0;  // of the last change; 0: the file is not there
    bool is_changing = false;
  };
  static Watched look_at(std::string place);

  std::vector<Watched> watched_;
};

}  // namespace nns::host
