#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/object/operations.h"
#include "core/tensor/promotion.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {
namespace {

// What torch.set_printoptions sets, which torch/_tensor_str.py keeps as a tuple of these in the class of tensors.
struct PrintOptions {
  int precision = 4;
  std::int64_t threshold = 1000;
  std::int64_t edge_items = 3;
  int line_width = 80;
  std::optional<bool> scientific;
};

PrintOptions print_options(Interpreter& in) {
  PrintOptions options;
  const Value* const kept = TensorLibrary::of(in).tensor->lookup(in.intern("_print_options"));
  const auto* const items = kept == nullptr ? nullptr : kept->as<object::Tuple>();
  if (items == nullptr || items->items().size() != 5) return options;
  const auto number = [items](std::size_t at, std::int64_t most) {
    const Value& item = items->items()[at];
    return item.is_int() ? std::clamp<std::int64_t>(item.as_int(), 0, most) : most;
  };
  // Enough for any number, and any line.
  constexpr std::int64_t kMost = 1000, kMostColumns = 1'000'000;
  options.precision = static_cast<int>(number(0, kMost));
  options.threshold = number(1, std::numeric_limits<std::int64_t>::max());
  options.edge_items = number(2, std::numeric_limits<std::int32_t>::max());
  options.line_width = static_cast<int>(number(3, kMostColumns));
  if (items->items()[4].is_bool()) options.scientific = items->items()[4].as_bool();
  return options;
}

std::string padded(const std::string& text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - static_cast<int>(text.size()))), ' ') + text;
}

// How floating-point numbers of one tensor are written.
class NumberFormat {
 public:
  // Behaviour: torch/_tensor_str.py, _Formatter.__init__.
  NumberFormat(const std::vector<double>& shown, const PrintOptions& options) : precision_(options.precision) {
    double smallest = 0, largest = 0;
    bool any = false;
    for (const double number : shown) {
      if (!std::isfinite(number) || number == 0) continue;
      const double magnitude = std::fabs(number);
      smallest = any ? std::min(smallest, magnitude) : magnitude;
      largest = any ? std::max(largest, magnitude) : magnitude;
      any = true;
      whole_ = whole_ && number == std::ceil(number);
    }
    if (!any) {
      whole_ = true;
    } else if (whole_) {
      scientific_ = largest / smallest > 1000.0 || largest > 1e8;
    } else {
      scientific_ = largest / smallest > 1000.0 || largest > 1e8 || smallest < 1e-4;
    }
    for (const double number : shown) {
      if (std::isfinite(number) && number != 0) width_ = std::max(width_, static_cast<int>(plain(number).size()));
    }
    // What was asked for does not change the width.
    if (any && options.scientific) scientific_ = *options.scientific;
  }

  std::string operator()(double number) const { return padded(plain(number), width_); }
  int width() const { return width_; }

 private:
  std::string plain(double number) const {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
    if (scientific_) return fmt::format("{:.{}e}", number, precision_);
    if (whole_) return fmt::format("{:.0f}.", number);
    return fmt::format("{:.{}f}", number, precision_);
  }

  int precision_;
  bool whole_ = true;
  bool scientific_ = false;
  int width_ = 1;
};

// How the items of one tensor are written: ints, numbers, or pairs of them.
class ItemFormat {
 public:
  // `parts`: of a complex tensor its storage as real numbers, else none.
  ItemFormat(const Tensor& self, const Tensor* parts, const std::vector<std::int64_t>& places,
             const PrintOptions& options)
      : self_(self),
        parts_(parts),
        real_(is_integral(self.dtype()) ? std::vector<double>() : numbers(places, 0), options),
        imaginary_(parts == nullptr ? std::vector<double>() : numbers(places, 1), options) {
    if (!is_integral(self.dtype())) return;
    for (const std::int64_t place : places) {
      integer_width_ = std::max(integer_width_, static_cast<int>(integer(place).size()));
    }
  }

  // Behaviour: torch/_tensor_str.py, _vector_str.
  int width() const {
    if (is_integral(self_.dtype())) return integer_width_;
    return parts_ == nullptr ? real_.width() : real_.width() + imaginary_.width() + 1;
  }
  std::string operator()(std::int64_t place) const {
    if (is_integral(self_.dtype())) return padded(integer(place), integer_width_);
    if (parts_ == nullptr) return real_(read_double(self_, place));
    std::string second = imaginary_(read_double(*parts_, 2 * place + 1)) + "j";
    second.erase(0, second.find_first_not_of(' '));
    return real_(read_double(*parts_, 2 * place)) + (second[0] == '-' ? "" : "+") + second;
  }

 private:
  std::string integer(std::int64_t place) const {
    const std::int64_t number = read_int64(self_, place);
    if (self_.dtype() == DType::Bool) return number != 0 ? "True" : "False";
    if (self_.dtype() == DType::UInt64) return fmt::format("{}", static_cast<std::uint64_t>(number));
    return fmt::format("{}", number);
  }
  std::vector<double> numbers(const std::vector<std::int64_t>& places, std::int64_t part) const {
    std::vector<double> found;
    for (const std::int64_t place : places) {
      found.push_back(parts_ == nullptr ? read_double(self_, place) : read_double(*parts_, 2 * place + part));
    }
    return found;
  }

  const Tensor& self_;
  const Tensor* parts_;
  NumberFormat real_, imaginary_;
  int integer_width_ = 1;
};

// The real dtype of the parts of complex numbers.
DType part_of(DType dtype) {
  if (dtype == DType::Complex128) return DType::Float64;
  return dtype == DType::Complex32 ? DType::Float16 : DType::Float32;
}

// The indices of a dimension that are printed; -1 stands for "...". `edge`: how many at both ends, or -1: all.
std::vector<std::int64_t> shown_indices(std::int64_t size, std::int64_t edge) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < size; ++i) {
    if (edge >= 0 && size > 2 * edge && i == edge) {
      indices.push_back(-1);
      i = size - edge;
      if (i == size) break;
    }
    indices.push_back(i);
  }
  return indices;
}

void collect(const Tensor& self, std::size_t dim, std::int64_t place, std::int64_t edge,
             std::vector<std::int64_t>& out) {
  if (dim == self.ndim()) {
    out.push_back(place);
    return;
  }
  for (const std::int64_t i : shown_indices(self.shape()[dim], edge)) {
    if (i >= 0) collect(self, dim + 1, place + i * self.strides()[dim], edge, out);
  }
}

std::string write(const Tensor& self, std::size_t dim, std::int64_t place, int indent, std::int64_t edge,
                  int line_width, const ItemFormat& format) {
  if (dim == self.ndim()) return format(place);
  const auto indices = shown_indices(self.shape()[dim], edge);
  const std::int64_t stride = self.strides()[dim];
  std::string out = "[";
  if (dim + 1 == self.ndim()) {
    const int per_line = std::max(1, (line_width - indent) / (format.width() + 2));
    int on_line = 0;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      if (on_line == per_line) {
        out += ",\n";
        out.append(static_cast<std::size_t>(indent) + 1, ' ');
        on_line = 0;
      } else if (k > 0) {
        out += ", ";
      }
      out += indices[k] < 0 ? " ..." : format(place + indices[k] * stride);
      ++on_line;
    }
    return out + "]";
  }
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (k > 0) {
      out += ",";
      out.append(self.ndim() - dim - 1, '\n').append(static_cast<std::size_t>(indent) + 1, ' ');
    }
    out += indices[k] < 0 ? "..."
                          : write(self, dim + 1, place + indices[k] * stride, indent + 1, edge, line_width, format);
  }
  return out + "]";
}

// The items of a tensor that is at hand, in brackets; lines begin behind `indent` columns.
std::string items_text(const Tensor& self, int indent) {
  const PrintOptions options = print_options(self.interpreter());
  const std::int64_t edge = self.numel() > options.threshold ? options.edge_items : -1;
  std::vector<std::int64_t> shown;
  collect(self, 0, self.offset(), edge, shown);
  Ref<Tensor> parts;
  if (is_complex(self.dtype())) {
    parts = make_tensor(self.interpreter(), {self.storage(), Dims({0}), Dims({1}), 0, part_of(self.dtype())});
  }
  return write(self, 0, self.offset(), indent, edge, options.line_width, ItemFormat(self, parts.get(), shown, options));
}

std::string tuple_text(const Dims& shape) {
  return fmt::format("({}{})", fmt::join(shape.span(), ", "), shape.size() == 1 ? "," : "");
}

// Behaviour: torch/_tensor_str.py, _str_intern, the branch for torch.sparse_coo.
std::string sparse_part_text(std::string_view name, const Tensor& part) {
  const std::string prefix = fmt::format("{}=tensor(", name);
  const PyResult<Ref<Tensor>> read = part.is_meta() ? PyResult<Ref<Tensor>>(detach(part)) : on_host(part);
  const std::string items = !read.ok() || part.is_meta() ? "..."
                            : part.numel() == 0          ? "[]"
                                                : items_text(*read.value(), 7 + static_cast<int>(prefix.size()));
  return fmt::format("{}{}{})", prefix, items,
                     part.is_meta() || part.numel() == 0 ? fmt::format(", size={}", tuple_text(part.shape())) : "");
}

}  // namespace

std::string tensor_text(const Tensor& self) {
  if (const SparseParts* const parts = self.sparse()) {
    const Tensor& values = *parts->values;
    const TensorLibrary& library = TensorLibrary::of(self.interpreter());
    std::string out =
        fmt::format("tensor({},\n       {},\n       size={}, ", sparse_part_text("indices", *parts->indices),
                    sparse_part_text("values", values), tuple_text(self.shape()));
    if (!values.is_meta()) out += fmt::format("nnz={}, ", values.shape()[0]);
    const bool is_default = values.dtype() == library.default_dtype ||
                            values.dtype() == complex_of(library.default_dtype) || values.dtype() == DType::Int64 ||
                            values.dtype() == DType::Bool;
    if (!is_default) out += fmt::format("dtype={}, ", torch_dtype_text(values.dtype()));
    out += "layout=torch.sparse_coo";
    if (values.grad_fn()) {
      out += fmt::format(", grad_fn=<{}>", values.grad_fn()->type().name());
    } else if (values.requires_grad()) {
      out += ", requires_grad=True";
    }
    return fmt::format("{}{})", self.is_parameter() ? "Parameter containing:\n" : "", out);
  }
  // What is shown is read on the CPU.
  const PyResult<Ref<Tensor>> read = self.is_meta() ? PyResult<Ref<Tensor>>(detach(self)) : on_host(self);
  if (!read.ok()) return fmt::format("tensor(..., device='cuda:0', {})", read.error().message());
  const Tensor& shown_tensor = *read.value();
  const TensorLibrary& library = TensorLibrary::of(self.interpreter());
  const bool is_plain = &self.type() == library.tensor || &self.type() == library.parameter || self.is_buffer();
  std::string out = is_plain ? "tensor(" : fmt::format("{}(", self.type().name());
  const std::size_t indent = out.size();
  std::vector<std::string> suffixes;
  const bool is_default = self.dtype() == library.default_dtype || self.dtype() == complex_of(library.default_dtype) ||
                          self.dtype() == DType::Int64 || self.dtype() == DType::Bool;
  if (self.is_cuda() || is_numbered_cpu(self.device())) {
    suffixes.push_back(fmt::format("device='{}'", device_name(self.device())));
  }
  if (self.is_meta()) {
    suffixes.push_back("device='meta'");
    suffixes.push_back(fmt::format("size=({}{})", fmt::join(self.shape().span(), ", "), self.ndim() == 1 ? "," : ""));
    if (self.dtype() != library.default_dtype)
      suffixes.push_back(fmt::format("dtype={}", torch_dtype_text(self.dtype())));
    out += "...";
  } else if (self.numel() == 0) {
    if (self.ndim() != 1) suffixes.push_back(fmt::format("size=({})", fmt::join(self.shape().span(), ", ")));
    if (self.dtype() != library.default_dtype)
      suffixes.push_back(fmt::format("dtype={}", torch_dtype_text(self.dtype())));
    out += "[]";
  } else {
    if (!is_default) suffixes.push_back(fmt::format("dtype={}", torch_dtype_text(self.dtype())));
    out += items_text(shown_tensor, static_cast<int>(indent));
  }
  // A view that may have no history of what was written since. Behaviour: torch/_tensor_str.py, _str_intern.
  const AutogradMeta* const meta = self.autograd();
  const bool is_invalid = meta != nullptr && meta->view_base && meta->view_base->requires_grad() &&
                          meta->view_version != self.version() && meta->view_origin != ViewOrigin::Normal;
  if (is_invalid) {
    suffixes.emplace_back("grad_fn=<Invalid>");
  } else if (self.grad_fn()) {
    suffixes.push_back(fmt::format("grad_fn=<{}>", self.grad_fn()->type().name()));
  } else if (self.requires_grad() || (meta != nullptr && meta->view_base && meta->view_base->requires_grad())) {
    suffixes.push_back("requires_grad=True");
  }
  if (meta != nullptr && !meta->tangents.empty())
    suffixes.push_back(fmt::format("tangent={}", tensor_text(*meta->tangents.back().second)));
  // A suffix that does not fit on the last line goes to one of its own.
  // Behaviour: torch/_tensor_str.py, _add_suffixes, which counts two columns more.
  std::size_t last = out.size() - (out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1) + 2;
  const auto line_width = static_cast<std::size_t>(print_options(self.interpreter()).line_width);
  for (const std::string& suffix : suffixes) {
    if (last + suffix.size() + 2 > line_width) {
      out.append(",\n").append(indent, ' ').append(suffix);
      last = indent + suffix.size();
    } else {
      out.append(", ").append(suffix);
      last += suffix.size() + 2;
    }
  }
  const char* const heading = self.type().is_subclass_of(*library.parameter) ? "Parameter containing:\n" : "";
  return self.is_parameter() && !is_plain ? fmt::format("{}Parameter({}))", heading, out)
                                          : fmt::format("{}{})", heading, out);
}

}  // namespace nns::tensor
