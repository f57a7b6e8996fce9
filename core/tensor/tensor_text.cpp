#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/object/operations.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {
namespace {

// torch.set_printoptions' defaults.
constexpr int kPrecision = 4;
constexpr std::int64_t kThreshold = 1000;
constexpr std::int64_t kEdgeItems = 3;
constexpr int kLineWidth = 80;

// How numbers of one tensor are written.
class NumberFormat {
 public:
  // Behaviour: torch/_tensor_str.py, _Formatter.__init__.
  NumberFormat(DType dtype, const std::vector<double>& shown) : floating_(!is_integral(dtype)), dtype_(dtype) {
    if (!floating_) {
      for (const double number : shown) width_ = std::max(width_, static_cast<int>(plain(number).size()));
      return;
    }
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
  }

  std::string operator()(double number) const {
    const std::string text = plain(number);
    const auto pad = static_cast<std::size_t>(std::max(0, width_ - static_cast<int>(text.size())));
    return std::string(pad, ' ') + text;
  }
  int width() const { return width_; }

 private:
  std::string plain(double number) const {
    if (dtype_ == DType::Bool) return number != 0 ? "True" : "False";
    if (!floating_) return fmt::format("{}", static_cast<std::int64_t>(number));
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
    if (scientific_) return fmt::format("{:.{}e}", number, kPrecision);
    if (whole_) return fmt::format("{:.0f}.", number);
    return fmt::format("{:.{}f}", number, kPrecision);
  }

  bool floating_;
  DType dtype_;
  bool whole_ = true;
  bool scientific_ = false;
  int width_ = 1;
};

// How the items of one tensor are written: numbers, or pairs of them.
class ItemFormat {
 public:
  // `parts`: of a complex tensor its storage as real numbers, else none.
  ItemFormat(const Tensor& self, const Tensor* parts, const std::vector<std::int64_t>& places)
      : self_(self),
        parts_(parts),
        real_(part_dtype(), numbers(places, 0)),
        imaginary_(part_dtype(), parts == nullptr ? std::vector<double>() : numbers(places, 1)) {}

  // Behaviour: torch/_tensor_str.py, _vector_str.
  int width() const { return parts_ == nullptr ? real_.width() : real_.width() + imaginary_.width() + 1; }
  std::string operator()(std::int64_t place) const {
    if (parts_ == nullptr) return real_(read_double(self_, place));
    std::string second = imaginary_(read_double(*parts_, 2 * place + 1)) + "j";
    second.erase(0, second.find_first_not_of(' '));
    return real_(read_double(*parts_, 2 * place)) + (second[0] == '-' ? "" : "+") + second;
  }

 private:
  DType part_dtype() const { return parts_ == nullptr ? self_.dtype() : parts_->dtype(); }
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
};

// The real dtype of the parts of complex numbers, and the complex one whose parts are of the default dtype.
DType part_of(DType dtype) {
  if (dtype == DType::Complex128) return DType::Float64;
  return dtype == DType::Complex32 ? DType::Float16 : DType::Float32;
}
DType complex_of(DType dtype) {
  if (dtype == DType::Float64) return DType::Complex128;
  return dtype == DType::Float16 ? DType::Complex32 : DType::Complex64;
}

// The indices of a dimension that are printed; -1 stands for "...".
std::vector<std::int64_t> shown_indices(std::int64_t size, bool summarize) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < size; ++i) {
    if (summarize && size > 2 * kEdgeItems && i == kEdgeItems) {
      indices.push_back(-1);
      i = size - kEdgeItems;
    }
    indices.push_back(i);
  }
  return indices;
}

void collect(const Tensor& self, std::size_t dim, std::int64_t place, bool summarize, std::vector<std::int64_t>& out) {
  if (dim == self.ndim()) {
    out.push_back(place);
    return;
  }
  for (const std::int64_t i : shown_indices(self.shape()[dim], summarize)) {
    if (i >= 0) collect(self, dim + 1, place + i * self.strides()[dim], summarize, out);
  }
}

std::string write(const Tensor& self, std::size_t dim, std::int64_t place, int indent, bool summarize,
                  const ItemFormat& format) {
  if (dim == self.ndim()) return format(place);
  const auto indices = shown_indices(self.shape()[dim], summarize);
  const std::int64_t stride = self.strides()[dim];
  std::string out = "[";
  if (dim + 1 == self.ndim()) {
    const int per_line = std::max(1, (kLineWidth - indent) / (format.width() + 2));
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
    out += indices[k] < 0 ? "..." : write(self, dim + 1, place + indices[k] * stride, indent + 1, summarize, format);
  }
  return out + "]";
}

}  // namespace

std::string tensor_text(const Tensor& self) {
  // What is shown is read on the CPU.
  const PyResult<Ref<Tensor>> read = self.is_meta() ? PyResult<Ref<Tensor>>(detach(self)) : on_host(self);
  if (!read.ok()) return fmt::format("tensor(..., device='cuda:0', {})", read.error().message());
  const Tensor& shown_tensor = *read.value();
  const TensorLibrary& library = TensorLibrary::of(self.interpreter());
  std::string out = "tensor(";
  std::vector<std::string> suffixes;
  const bool is_default = self.dtype() == library.default_dtype || self.dtype() == complex_of(library.default_dtype) ||
                          self.dtype() == DType::Int64 || self.dtype() == DType::Bool;
  if (self.is_cuda()) suffixes.push_back("device='cuda:0'");
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
    const bool summarize = self.numel() > kThreshold;
    std::vector<std::int64_t> shown;
    collect(shown_tensor, 0, shown_tensor.offset(), summarize, shown);
    Ref<Tensor> parts;
    if (is_complex(self.dtype())) {
      parts = make_tensor(self.interpreter(), {shown_tensor.storage(), Dims({0}), Dims({1}), 0, part_of(self.dtype())});
    }
    out += write(shown_tensor, 0, shown_tensor.offset(), 7, summarize, ItemFormat(shown_tensor, parts.get(), shown));
  }
  if (self.grad_fn()) {
    suffixes.push_back(fmt::format("grad_fn=<{}>", self.grad_fn()->type().name()));
  } else if (self.requires_grad()) {
    suffixes.push_back("requires_grad=True");
  }
  // A suffix that does not fit on the last line goes to one of its own.
  std::size_t last = out.size() - (out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1);
  for (const std::string& suffix : suffixes) {
    if (last + suffix.size() + 2 > static_cast<std::size_t>(kLineWidth)) {
      out.append(",\n       ").append(suffix);
      last = 7 + suffix.size();
    } else {
      out.append(", ").append(suffix);
      last += suffix.size() + 2;
    }
  }
  return fmt::format("{}{})", self.is_parameter() ? "Parameter containing:\n" : "", out);
}

}  // namespace nns::tensor
