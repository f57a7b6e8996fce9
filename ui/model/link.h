#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nns::model {

/// A place in the explorer as text that can be sent to somebody: `file=a.safetensors&select=h.3.attn&tab=hooks`. It is
/// a list of named parts; each screen writes those that it knows, and reads them again, so new ones can join. Names and
/// order are stable: links live long.
/// What it is about: `file` (a name, or a path), `url`, `sample`, or `code` (a whole program, packed by the host); of a
/// comparison also B: `with-file`, `with-url` or `with-sample`, and modules of them: `part`, `with-part`. Where in it:
/// `select` (a row's path), `tab`, `filter` (the tree's), `map`, `metric`, `colour` (of the map), `tensor` (the slice
/// that is looked at), `seen` (the part of its picture: first row and column, rows, columns), `capture` (the part of a
/// capture that is shown) with `call` and `inputs`; of a comparison `view`
/// (`trees`), `sort`, `order`
/// (`turned`), `kinds`, `select-a` (a row that only A has).
class Link {
 public:
  struct Part {
    std::string key;
    std::string value;
  };
  /// Reads what stands behind the `#` of an address, with or without it; parts without a name are left out.
  static Link parse(std::string_view text);

  /// The value of a part; empty if it is not there.
  std::string_view get(std::string_view key) const;
  /// Adds a part, or changes it. Empty values are left out.
  void set(std::string_view key, std::string_view value);
  std::span<const Part> parts() const { return parts_; }
  bool is_empty() const { return parts_.empty(); }
  /// "file=a%20b.pt&select=h.3": letters that could end a part, or an address, as %XX.
  std::string text() const;

  /// Whether a text that a person pasted is such a link, alone or behind an address: then what is behind the `#`.
  static std::string_view fragment_of(std::string_view pasted);

 private:
  std::vector<Part> parts_;
};

/// The parts of a link that say which document it is about: `file`, `url`, `sample` or `code`.
Link source_of(const Link& link);
/// The same of B of a comparison, which a link calls `with-file`, `with-url` or `with-sample`; empty where A and B are
/// of one document.
Link other_source_of(const Link& link);
/// Writes B's source into a link.
void set_other_source(Link& link, const Link& source);
/// Whether it leads to a comparison: it has a B, or parts of documents.
bool is_of_comparison(const Link& link);
/// Whether both sources are one document. Files are the same if their names are: where they lie differs by machine.
bool is_same_source(const Link& a, const Link& b);
/// Whether both links lead to one document, or to one comparison.
bool is_same_subject(const Link& a, const Link& b);

/// The last part of a path or address.
std::string_view file_name(std::string_view place);

}  // namespace nns::model
