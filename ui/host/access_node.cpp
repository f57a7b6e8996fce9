#include "ui/host/access_node.h"

#include <array>
#include <cstddef>

namespace nns::host {

const char* role_name(Role role) {
  static constexpr std::array kNames = {
      "application", "main",         "banner",      "navigation", "region",   "status",   "alert",    "dialog",
      "toolbar",     "button",       "link",        "checkbox",   "switch",   "slider",   "textbox",  "searchbox",
      "combobox",    "tab",          "tablist",     "tabpanel",   "tree",     "treeitem", "table",    "row",
      "cell",        "columnheader", "rowheader",   "list",       "listitem", "menu",     "menuitem", "img",
      "heading",     "text",         "progressbar", "separator",  "group",    "listbox",  "option"};
  static_assert(kNames.size() == static_cast<std::size_t>(Role::Option) + 1);
  return kNames[static_cast<std::size_t>(role)];
}

}  // namespace nns::host
