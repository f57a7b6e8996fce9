#pragma once

#include <string>
#include <vector>

#include "ui/model/link.h"

namespace nns::app {

/// What was opened lately and can be opened again, the newest first: links of `file` (with `name`), `url` or `sample`.
class Recent {
 public:
  static constexpr std::size_t kMost = 8;  ///< older ones are forgotten
  /// Reads the setting `recent`.
  void load();
  void add(model::Link link);
  void remove(std::size_t index);
  const std::vector<model::Link>& links() const { return links_; }

 private:
  void save() const;
  std::vector<model::Link> links_;
};

}  // namespace nns::app
