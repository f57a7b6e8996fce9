#include "core/checkpoint/pickle_preview.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace nns::checkpoint {

namespace {

constexpr int kMaxPreviewDepth = 4;
constexpr std::size_t kLongestKey = 4096;

/// Writes until the text is wide enough; the depth is bounded, and so is the recursion.
class Writer {
 public:
  Writer(const PickleHeap& heap, std::size_t width) : heap_(heap), width_(width) {}

  std::string take() {
    if (text_.size() > width_ + 8) {
      std::size_t at = width_;
      while (at > 0 && (static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80U) --at;
      text_.resize(at);
      text_ += "\xE2\x80\xA6";
    }
    return std::move(text_);
  }

  void value(PickleId id, int depth) {
    if (text_.size() > width_) return;
    switch (heap_.kind(id)) {
      case PickleKind::None:
        text_ += "None";
        break;
      case PickleKind::Bool:
        text_ += heap_.as_bool(id) ? "True" : "False";
        break;
      case PickleKind::Int:
        text_ += fmt::format("{}", heap_.as_int(id));
        break;
      case PickleKind::BigInt:
        text_ += heap_.text(id).substr(0, width_ + 16);
        break;
      case PickleKind::Float:
        number(heap_.as_float(id));
        break;
      case PickleKind::Text:
        quoted(heap_.text(id), false);
        break;
      case PickleKind::Bytes:
        text_ += 'b';
        quoted(heap_.text(id), true);
        break;
      case PickleKind::Tuple:
        items(heap_.chain(id), "(", heap_.chain(id).count == 1 ? ",)" : ")", depth);
        break;
      case PickleKind::List:
        items(heap_.chain(id), "[", "]", depth);
        break;
      case PickleKind::Set:
        if (heap_.chain(id).count == 0) {
          text_ += "set()";
        } else {
          items(heap_.chain(id), "{", "}", depth);
        }
        break;
      case PickleKind::FrozenSet:
        items(heap_.chain(id), "frozenset({", "})", depth);
        break;
      case PickleKind::Dict:
        pairs(heap_.chain(id), depth);
        break;
      case PickleKind::Global:
        text_ += global_text(heap_.name(id));
        break;
      case PickleKind::Persistent:
        text_ += "persistent ";
        nested(heap_.persistent_id(id), depth);
        break;
      case PickleKind::Object:
        object(id, depth);
        break;
    }
  }

 private:
  void nested(PickleId id, int depth) {
    if (depth >= kMaxPreviewDepth) {
      text_ += "...";
    } else {
      value(id, depth + 1);
    }
  }

  void number(double value) {
    if (std::isnan(value)) {
      text_ += "nan";
    } else if (std::isinf(value)) {
      text_ += value < 0 ? "-inf" : "inf";
    } else {
      std::string digits = fmt::format("{}", value);
      if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
      text_ += digits;
    }
  }

  void quoted(std::string_view text, bool is_bytes) {
    const char quote =
        text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
    text_ += quote;
    for (const char c : text.substr(0, width_ + 8)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\n') {
        text_ += "\\n";
      } else if (c == '\t') {
        text_ += "\\t";
      } else if (c == '\r') {
        text_ += "\\r";
      } else if (c == quote || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (byte < 0x20 || byte == 0x7F || (is_bytes && byte >= 0x80)) {
        text_ += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
      } else {
        text_ += c;
      }
    }
    text_ += quote;
  }

  void items(const PickleChain& chain, std::string_view open, std::string_view close, int depth) {
    text_ += open;
    bool is_first = true;
    heap_.each(chain, [&](PickleId child) {
      if (!is_first) text_ += ", ";
      is_first = false;
      nested(child, depth);
      return text_.size() <= width_;
    });
    text_ += close;
  }

  void pairs(const PickleChain& chain, int depth) {
    text_ += '{';
    bool is_key = true;
    bool is_first = true;
    heap_.each(chain, [&](PickleId child) {
      if (is_key && !is_first) text_ += ", ";
      nested(child, depth);
      if (is_key) text_ += ": ";
      is_key = !is_key;
      is_first = false;
      return text_.size() <= width_;
    });
    text_ += '}';
  }

  void object(PickleId id, int depth) {
    const PickleObject& object = heap_.object(id);
    nested(class_of(heap_, object.callable), depth);
    if (heap_.kind(object.args) == PickleKind::Tuple) {
      items(heap_.chain(object.args), "(", ")", depth);
    } else {
      text_ += "()";
    }
    // What the pickle puts into it afterwards, as far as it does.
    if (object.appended.count != 0) items(object.appended, " [", "]", depth);
    if (object.items.count != 0) {
      text_ += ' ';
      pairs(object.items, depth);
    }
    if (!heap_.is_none(object.state)) {
      text_ += " with state ";
      nested(object.state, depth);
    }
  }

  const PickleHeap& heap_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string preview(const PickleHeap& heap, PickleId value, std::size_t width) {
  Writer writer(heap, width);
  writer.value(value, 0);
  return writer.take();
}

std::string global_text(const PickleName& name) {
  if (name.module == "__builtin__" || name.module == "builtins") return name.name;
  return fmt::format("{}.{}", name.module, name.name);
}

std::string type_name(const PickleHeap& heap, PickleId value) {
  switch (heap.kind(value)) {
    case PickleKind::None:
      return "NoneType";
    case PickleKind::Bool:
      return "bool";
    case PickleKind::Int:
    case PickleKind::BigInt:
      return "int";
    case PickleKind::Float:
      return "float";
    case PickleKind::Text:
      return "str";
    case PickleKind::Bytes:
      return "bytes";
    case PickleKind::Tuple:
      return "tuple";
    case PickleKind::List:
      return "list";
    case PickleKind::Dict:
      return "dict";
    case PickleKind::Set:
      return "set";
    case PickleKind::FrozenSet:
      return "frozenset";
    case PickleKind::Global:
      return "global";
    case PickleKind::Persistent: {
      // ("storage", class, key, ...), a storage that stands alone.
      std::array<PickleId, 2> id{};
      const PickleId tuple = heap.persistent_id(value);
      if (heap.kind(tuple) == PickleKind::Tuple && heap.first_items(tuple, id) > 2 && heap.is_text(id[0]) &&
          heap.text(id[0]) == "storage" && heap.kind(id[1]) == PickleKind::Global) {
        return global_text(heap.name(id[1]));
      }
      return "persistent id";
    }
    case PickleKind::Object: {
      // copyreg._reconstructor(cls, object, None) makes an instance of cls.
      const PickleObject& object = heap.object(value);
      PickleId made_by = class_of(heap, object.callable);
      if (heap.kind(made_by) == PickleKind::Global && heap.name(made_by).name == "_reconstructor") {
        PickleId first = kNone;
        heap.first_items(object.args, {&first, 1});
        if (first != kNone && heap.kind(first) == PickleKind::Global) made_by = first;
      }
      if (heap.kind(made_by) == PickleKind::Global) return global_text(heap.name(made_by));
      return preview(heap, made_by, 64);
    }
  }
  return {};
}

PickleId class_of(const PickleHeap& heap, PickleId callable) {
  if (heap.kind(callable) != PickleKind::Persistent) return callable;
  std::array<PickleId, 2> id{};
  const PickleId tuple = heap.persistent_id(callable);
  const bool is_module = heap.kind(tuple) == PickleKind::Tuple && heap.first_items(tuple, id) >= 2 &&
                         heap.is_text(id[0]) && heap.text(id[0]) == "module";
  return is_module && heap.kind(id[1]) == PickleKind::Global ? id[1] : callable;
}

std::string key_text(const PickleHeap& heap, PickleId key) {
  if (!heap.is_text(key)) return preview(heap, key, 64);
  const std::string_view text = heap.text(key);
  if (text.size() <= kLongestKey) return std::string(text);
  std::size_t at = kLongestKey;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return std::string(text.substr(0, at)) + "\xE2\x80\xA6";
}

bool is_scalar(const PickleHeap& heap, PickleId value) {
  switch (heap.kind(value)) {
    case PickleKind::Tuple:
    case PickleKind::List:
    case PickleKind::Dict:
    case PickleKind::Set:
    case PickleKind::FrozenSet:
      return heap.chain(value).count == 0;
    case PickleKind::Object:
      return false;
    default:
      return true;
  }
}

}  // namespace nns::checkpoint
