#pragma once

#include <cstdint>
#include <string>

namespace nns::host {

/// ARIA roles that our controls have; names as in the ARIA standard, lower case, by role_name().
enum class Role : std::uint8_t {
  Application,
  Main,
  Banner,
  Navigation,
  Region,
  Status,
  Alert,
  Dialog,
  Toolbar,
  Button,
  Link,
  Checkbox,
  Switch,
  Slider,
  Textbox,
  Searchbox,
  Combobox,
  Tab,
  TabList,
  TabPanel,
  Tree,
  TreeItem,
  Table,
  Row,
  Cell,
  ColumnHeader,
  RowHeader,
  List,
  ListItem,
  Menu,
  MenuItem,
  Img,
  Heading,
  Text,
  Progressbar,
  Separator,
  Group,
  Listbox,
  Option,
};
const char* role_name(Role role);

/// One control that is visible in this frame. The list is in pre-order; `parent` is an index into it.
/// Positions are in units of the user interface (CSS pixels in a browser).
struct AccessNode {
  std::uint32_t id = 0;  ///< stable while the control lives (hash of its ImGui id)
  std::uint32_t parent = UINT32_MAX;
  Role role = Role::Text;
  std::string name;   ///< accessible name: "model.layers.0, Block, 12,288 parameters"
  std::string value;  ///< text of a text field, value of a slider, text of a cell
  std::string description;
  float x = 0, y = 0, width = 0, height = 0;
  bool focusable = false;
  bool focused = false;
  bool disabled = false;
  bool takes_tab = false;     ///< the Tab key acts in it and goes to no other control
  std::int8_t expanded = -1;  ///< -1 not expandable, 0 collapsed, 1 expanded
  std::int8_t selected = -1;  ///< -1 not selectable
  std::int8_t checked = -1;
  std::int32_t level = 0;                    ///< aria-level, from 1; 0: none
  std::int32_t position = 0;                 ///< aria-posinset, from 1; 0: none
  std::int32_t set_size = 0;                 ///< aria-setsize; 0: none
  double minimum = 0, maximum = 0, now = 0;  ///< of sliders and progress bars
  friend bool operator==(const AccessNode&, const AccessNode&) = default;
};

/// What assistive technology or a test asks of a control; the app hands it to the control in the next frame.
struct AccessAction {
  enum class Kind : std::uint8_t { Focus, Activate, Expand, Collapse, SetText, SetValue, ScrollIntoView };
  std::uint32_t id = 0;
  Kind kind = Kind::Activate;
  std::string text;
  double value = 0;
  std::uint32_t position = 0;  ///< so many input events came before it (widgets::input_position())
};

}  // namespace nns::host
