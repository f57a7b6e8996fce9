#include "ui/model/object_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/utf8.h"
#include "core/live/message.h"
#include "ui/model/format.h"

namespace nns::model {

namespace {

using live::text_of;
using live::wire::TraceMoment;
using live::wire::TraceObject;
using live::wire::TraceObjectKind;
using live::wire::TraceValue;
using Box = ObjectDrawing::Box;
using Row = ObjectDrawing::Row;

std::string cut(std::string_view text, std::size_t most) {
  if (base::count_code_points(text) <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (!base::is_continuation(text[end]) && ++seen == most) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

// A value that is drawn as a box of its own; others are written where they are.
bool is_boxed(const TraceObject& object) {
  return object.kind() != TraceObjectKind::Function && object.kind() != TraceObjectKind::PythonModule &&
         object.kind() != TraceObjectKind::Class && object.kind() != TraceObjectKind::Method;
}

class Builder {
 public:
  Builder(const TraceMoment& moment, const DrawingMetrics& metrics) : moment_(moment), metrics_(metrics) {
    for (const TraceObject* object : *moment.objects()) objects_.emplace(object->id(), object);
    drawing_.has_more = moment.has_more_objects();
  }

  ObjectDrawing run() {
    // Frames from the outermost down, as they were called.
    for (auto at = moment_.frames()->size(); at-- > 0;) add_frame(*moment_.frames()->Get(at));
    std::size_t begin = 0;
    while (begin < drawing_.boxes.size()) {
      const std::size_t end = drawing_.boxes.size();
      columns_.push_back({begin, end});
      // What this column leads to is the next one.
      for (std::size_t box = begin; box < end; ++box) lead(box);
      begin = end;
    }
    find_shared();
    place();
    return std::move(drawing_);
  }

 private:
  void add_frame(const live::wire::TraceFrame& frame) {
    if (frame.names()->size() == 0 && frame.is_module_call()) return;
    Box box;
    box.is_frame = true;
    box.title = text_of(frame.name());
    sources_.emplace_back();
    for (const TraceValue* name : *frame.names()) {
      const auto found = objects_.find(name->object());
      // Modules, classes and functions that a program imports or defines are not what it is about.
      if (found != objects_.end() && !is_boxed(*found->second)) continue;
      add_row(box, *name, true);
    }
    drawing_.boxes.push_back(std::move(box));
  }

  void add_row(Box& box, const TraceValue& value, bool has_key) {
    Row row;
    if (has_key) row.key = cut(text_of(value.key()), metrics_.most_letters);
    row.value = cut(text_of(value.value()), metrics_.most_letters);
    row.has_changed = value.has_changed();
    sources_.back().push_back(value.object());
    box.rows.push_back(std::move(row));
  }

  void lead(std::size_t from) {
    for (std::size_t row = 0; row < drawing_.boxes[from].rows.size(); ++row) {
      const std::uint32_t object = sources_[from][row];
      const auto found = objects_.find(object);
      if (found == objects_.end() || !is_boxed(*found->second)) continue;
      const auto [place, is_new] = boxes_.emplace(object, static_cast<std::uint32_t>(drawing_.boxes.size()));
      if (is_new) add_object(*found->second);
      drawing_.boxes[from].rows[row].to = place->second;
      drawing_.boxes[from].rows[row].value.clear();
    }
  }

  void add_object(const TraceObject& object) {
    Box box;
    box.object = object.id();
    box.kind = object.kind();
    box.has_changed = object.has_changed();
    box.title = cut(text_of(object.text()), metrics_.most_letters + 10);
    sources_.emplace_back();
    const bool is_module = object.kind() == TraceObjectKind::Module;
    std::size_t hidden = 0;
    for (const TraceValue* field : *object.fields()) {
      // Of a module's dozen tables those that hold something are enough.
      const std::string_view value = text_of(field->value());
      const bool is_empty = value == "{}" || value == "OrderedDict()" || value == "set()" || value.ends_with(" of 0");
      if (is_module && is_empty && text_of(field->key()).starts_with('_')) {
        ++hidden;
        continue;
      }
      add_row(box, *field, true);
    }
    if (hidden != 0) box.left_out = fmt::format("{} empty tables", hidden);
    if (object.kind() == TraceObjectKind::Tensor) {
      box.left_out.clear();
    } else if (object.total() > object.fields()->size()) {
      box.left_out = fmt::format("and {} more", thousands(object.total() - object.fields()->size()));
    }
    drawing_.boxes.push_back(std::move(box));
  }

  // Tensors on one storage get one number.
  void find_shared() {
    std::map<std::uint64_t, std::vector<std::size_t>> by_storage;
    for (std::size_t at = 0; at < drawing_.boxes.size(); ++at) {
      const Box& box = drawing_.boxes[at];
      if (box.kind != TraceObjectKind::Tensor || box.is_frame) continue;
      if (const std::uint64_t storage = objects_.at(box.object)->storage(); storage != 0)
        by_storage[storage].push_back(at);
    }
    std::uint32_t group = 0;
    for (const auto& [storage, boxes] : by_storage) {
      if (boxes.size() < 2) continue;
      ++group;
      for (const std::size_t at : boxes) drawing_.boxes[at].shares_with = group;
    }
  }

  void measure(Box& box) const {
    std::size_t key = 0, value = 0;
    for (const Row& row : box.rows) {
      key = std::max(key, base::count_code_points(row.key));
      value = std::max(value, base::count_code_points(row.value));
    }
    // An arrow begins in a small square.
    const std::size_t inside =
        std::max({base::count_code_points(box.title) + 2, key + std::max<std::size_t>(value, 2) + 3,
                  base::count_code_points(box.left_out) + 2});
    box.width = static_cast<float>(inside) * metrics_.letter + 2 * metrics_.padding;
    box.height = metrics_.head + static_cast<float>(box.rows.size() + (box.left_out.empty() ? 0 : 1)) * metrics_.row;
  }

  void place() {
    float x = metrics_.gap_y;
    for (const auto& [begin, end] : columns_) {
      float width = 0;
      float y = metrics_.gap_y;
      for (std::size_t at = begin; at < end; ++at) {
        Box& box = drawing_.boxes[at];
        measure(box);
        box.x = x;
        box.y = y;
        y += box.height + metrics_.gap_y;
        width = std::max(width, box.width);
      }
      drawing_.height = std::max(drawing_.height, y);
      x += width + metrics_.gap_x;
    }
    drawing_.width = x;
  }

  const TraceMoment& moment_;
  const DrawingMetrics& metrics_;
  ObjectDrawing drawing_;
  std::map<std::uint32_t, const TraceObject*> objects_;
  std::map<std::uint32_t, std::uint32_t> boxes_;
  /// The object of each row of each box.
  std::vector<std::vector<std::uint32_t>> sources_;
  struct Column {
    std::size_t begin, end;
  };
  std::vector<Column> columns_;
};

}  // namespace

ObjectDrawing draw_objects(const TraceMoment& moment, const DrawingMetrics& metrics) {
  return Builder(moment, metrics).run();
}

}  // namespace nns::model
