#include "core/checkpoint/packed_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/checkpoint/json_walk.h"
#include "core/checkpoint/model_config.h"
#include "core/checkpoint/tree_totals.h"

namespace nns::checkpoint {

namespace {

constexpr std::string_view kQuantState = ".quant_state.bitsandbytes__";
constexpr std::string_view kBlocks = "_blocks";
constexpr std::uint64_t kMostStateBytes = 64U << 10U;
constexpr std::uint32_t kRowsPerLook = 4096;
/// Beyond this a size is no weight's; below it 32 times one does not overflow.
constexpr std::int64_t kMostSize = std::int64_t{1} << 40U;

/// What the name of a tensor says that it is.
enum class Role : std::uint8_t { Unknown, None, QuantState, RowScales, Integers, Blocks };

Role role_of(std::string_view name) {
  if (name.find(kQuantState) != std::string_view::npos) return Role::QuantState;
  if (name == "SCB") return Role::RowScales;
  if (name == "qweight") return Role::Integers;
  return name.size() > kBlocks.size() && name.ends_with(kBlocks) ? Role::Blocks : Role::None;
}

/// Elements of a shape; nothing if they cannot be counted.
std::optional<std::uint64_t> count_of(std::span<const std::int64_t> shape) {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return std::nullopt;
  }
  return count;
}

bool is_usual_width(std::uint64_t bits) { return bits >= 2 && bits <= 8; }

/// What a file beside the weights says of the bits of a value, and which file; 0: nothing.
struct Configured {
  std::uint64_t bits = 0;
  std::string_view file;
};

class PackedWeights {
 public:
  explicit PackedWeights(Checkpoint& document)
      : document_(document), tree_(document.tree), roles_(tree_.strings.size(), Role::Unknown) {}

  /// True when every row was looked at.
  bool step(const base::Budget& budget) {
    const std::uint32_t count = tree_.size();
    for (std::uint32_t since_look = 0; row_ < count; ++row_, ++since_look) {
      if (since_look >= kRowsPerLook || reads_ > 0) {
        since_look = reads_ = 0;
        if (budget.spent()) return false;
      }
      if (tree_.tensor[row_] != kNone && tree_.name[row_] < roles_.size()) look_at(row_);
    }
    tell_problems();
    return true;
  }
  std::uint64_t done() const { return row_; }
  std::uint64_t total() const { return tree_.size(); }

 private:
  void look_at(std::uint32_t row) {
    Role& role = roles_[tree_.name[row]];
    if (role == Role::Unknown) role = role_of(tree_.strings.view(tree_.name[row]));
    switch (role) {
      case Role::QuantState:
        return look_at_state(row);
      case Role::RowScales:
        return look_at_row_scales(row);
      case Role::Integers:
        return look_at_integers(row);
      case Role::Blocks:
        return look_at_blocks(row);
      case Role::Unknown:
      case Role::None:
        return;
    }
  }

  /// The row of the tensor `name` beside `row`, with a shape; kNone if there is none.
  std::uint32_t beside(std::uint32_t row, std::string_view name) {
    if (places_.empty()) {
      for (std::uint32_t at = 0; at < tree_.size(); ++at) {
        if (tree_.tensor[at] == kNone || tree_.parent[at] == kNone) continue;
        places_.try_emplace((std::uint64_t{tree_.parent[at]} << 32U) | tree_.name[at], at);
      }
    }
    const std::uint32_t parent = tree_.parent[row];
    if (parent == kNone) return kNone;
    const auto found = places_.find((std::uint64_t{parent} << 32U) | tree_.strings.intern(name));
    return found == places_.end() || !tensor(found->second).has_shape ? kNone : found->second;
  }
  const TensorEntry& tensor(std::uint32_t row) const { return document_.tensors[tree_.tensor[row]]; }
  std::span<const std::int64_t> shape(std::uint32_t row) const { return document_.shape(tensor(row)); }

  // bitsandbytes, 4 bits: two values a byte, and what they are in JSON.
  void look_at_state(std::uint32_t row) {
    const std::string name(tree_.strings.view(tree_.name[row]));
    const std::size_t at = name.find(kQuantState);
    const std::uint32_t weight = beside(row, std::string_view(name).substr(0, at));
    if (weight == kNone || !tensor(row).has_shape) return;
    Packing packing;
    packing.scheme = "bitsandbytes " + name.substr(at + kQuantState.size());
    packing.bits = 4;
    const TensorEntry& entry = tensor(row);
    const bool is_remote =
        entry.storage != kNone && document_.storages[entry.storage].file < document_.files.size() &&
        document_.files[document_.storages[entry.storage].file].name.find("://") != std::string::npos;
    if (is_remote) {
      packing.numel = tensor(weight).nbytes * 2;
      return explain(weight, std::move(packing));
    }
    ++reads_;
    const auto read = read_state(tree_.tensor[row], packing);
    if (!read.ok()) return complain(row, read.error().message());
    const auto numel = count_of(packing.shape);
    if (!numel || *numel / 2 + *numel % 2 != tensor(weight).nbytes) {
      return complain(row, fmt::format("shape [{}] for a weight of {} bytes; expected two values a byte",
                                       fmt::join(packing.shape, ", "), tensor(weight).nbytes));
    }
    packing.numel = *numel;
    explain(weight, std::move(packing));
  }

  static base::Result<void> read_shape(const JsonWalk& walk, std::string_view list, std::vector<std::int64_t>& shape) {
    return walk.each_item(list, [&](std::string_view item) -> base::Result<void> {
      NNS_TRY_ASSIGN(const std::uint64_t size, walk.read_number(item));
      if (size > static_cast<std::uint64_t>(kMostSize)) return walk.error(item.data(), "a size above 2^40", {});
      shape.push_back(static_cast<std::int64_t>(size));
      return {};
    });
  }

  base::Result<void> read_state(std::uint32_t index, Packing& packing) {
    const TensorEntry& entry = document_.tensors[index];
    if (entry.dtype != tensor::DType::UInt8 || entry.rank != 1 || entry.nbytes > kMostStateBytes || !entry.readable ||
        entry.storage == kNone) {
      return base::Error{"a quant_state that is no list of bytes", "JSON in a uint8 tensor of at most 64 KiB", {}, {}};
    }
    NNS_TRY_ASSIGN(const auto bytes, document_.value_bytes(index));
    std::string text(static_cast<std::size_t>(entry.nbytes), '\0');
    NNS_TRY(bytes->read(entry.storage_offset, std::as_writable_bytes(std::span(text))));
    JsonWalk walk;
    walk.start(text, "quant_state");
    JsonCursor json(text);
    if (!json.skip_value()) return walk.error(text, json);
    bool has_shape = false;
    NNS_TRY(walk.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "dtype") {
        NNS_TRY_ASSIGN(packing.dtype, walk.read_string(value));
      } else if (key == "blocksize") {
        NNS_TRY_ASSIGN(packing.group, walk.read_number(value));
      } else if (key == "shape") {
        has_shape = true;
        return read_shape(walk, value, packing.shape);
      }
      return {};
    }));
    if (!has_shape) return base::Error{"no shape", "the shape of the weight", "quant_state", std::nullopt};
    return {};
  }

  // bitsandbytes, 8 bits: integers in the weight's own shape, and the largest magnitude of each row.
  void look_at_row_scales(std::uint32_t row) {
    const std::uint32_t weight = beside(row, "weight");
    if (weight == kNone || tensor(weight).dtype != tensor::DType::Int8 || tensor(weight).rank != 2) return;
    if (!tensor(row).has_shape || static_cast<std::int64_t>(tensor(row).numel) != shape(weight)[0]) return;
    Packing packing;
    packing.scheme = "bitsandbytes int8";
    packing.bits = 8;
    packing.shape.assign(shape(weight).begin(), shape(weight).end());
    packing.numel = tensor(weight).numel;
    packing.group = static_cast<std::uint64_t>(shape(weight)[1]);
    explain(weight, std::move(packing));
  }

  // GPTQ packs along the inputs, [in * bits / 32, out], AWQ along the outputs, [in, out * bits / 32]; the scales are
  // [groups, out], the zero points [groups, out * bits / 32] and g_idx [in] with both.
  void look_at_integers(std::uint32_t row) {
    const std::uint32_t scales = beside(row, "scales");
    const TensorEntry& entry = tensor(row);
    if (scales == kNone || !entry.has_shape || entry.dtype != tensor::DType::Int32 || entry.rank != 2) return;
    const auto is_size = [](std::int64_t size) { return size > 0 && size <= kMostSize; };
    const auto packed = shape(row);
    if (tensor(scales).rank != 2 || !std::all_of(packed.begin(), packed.end(), is_size)) return;
    const std::int64_t groups = shape(scales)[0];
    const std::int64_t out = shape(scales)[1];
    if (!is_size(groups) || !is_size(out)) return;
    const std::uint32_t zeros = beside(row, "qzeros");
    const std::uint32_t order = beside(row, "g_idx");
    const bool has_zeros = zeros != kNone && tensor(zeros).rank == 2 && is_size(shape(zeros)[1]);

    Packing packing;
    std::int64_t in = 0;
    std::uint64_t bits = 0;
    const auto ratio = [&](std::int64_t integers, std::int64_t values) {
      bits = integers * 32 % values == 0 ? static_cast<std::uint64_t>(integers * 32 / values) : 0;
    };
    if (packed[1] == out) {
      packing.scheme = "GPTQ";
      if (order != kNone && tensor(order).rank == 1 && is_size(shape(order)[0])) {
        ratio(packed[0], shape(order)[0]);
      } else if (has_zeros) {
        ratio(shape(zeros)[1], out);
      } else {
        bits = configured().bits;
      }
      if (is_usual_width(bits) && packed[0] * 32 % static_cast<std::int64_t>(bits) == 0)
        in = packed[0] * 32 / static_cast<std::int64_t>(bits);
    } else if (has_zeros && shape(zeros)[1] == packed[1]) {
      packing.scheme = "AWQ";
      ratio(packed[1], out);
      in = packed[0];
    }
    const Configured& told = configured();
    if (in == 0 || !is_usual_width(bits)) {
      return complain(row, told.bits == 0 ? "shapes that fit neither GPTQ nor AWQ, or no g_idx, qzeros, config.json or "
                                            "quantize_config.json that tells the bits of a value"
                                          : "shapes that fit neither GPTQ nor AWQ");
    }
    if (told.bits != 0 && told.bits != bits)
      return complain(row, fmt::format("{} says {} bits a value, the shapes {}", told.file, told.bits, bits));
    packing.bits = static_cast<std::uint32_t>(bits);
    packing.shape = {out, in};
    packing.group = static_cast<std::uint64_t>((in + groups - 1) / groups);
    packing.dtype = document_.dtype_name(tensor(scales));
    const auto numel = count_of(packing.shape);
    if (!numel) return;
    packing.numel = *numel;
    explain(row, std::move(packing));
  }

  // Blocks of 32 values: 16 bytes, and an exponent that stands among the scales.
  void look_at_blocks(std::uint32_t row) {
    std::string name(tree_.strings.view(tree_.name[row]));
    name.replace(name.size() - kBlocks.size(), kBlocks.size(), "_scales");
    const std::uint32_t scales = beside(row, name);
    const TensorEntry& entry = tensor(row);
    if (scales == kNone || !entry.has_shape || entry.dtype != tensor::DType::UInt8 || entry.rank < 2) return;
    const auto blocks = shape(row);
    if (blocks.back() != 16 || tensor(scales).dtype != tensor::DType::UInt8) return;
    const auto places = blocks.first(blocks.size() - 1);
    if (!std::equal(places.begin(), places.end(), shape(scales).begin(), shape(scales).end())) return;
    Packing packing;
    packing.scheme = "MXFP4";
    packing.bits = 4;
    packing.group = 32;
    packing.shape.assign(places.begin(), places.end());
    if (packing.shape.back() > kMostSize) return;
    packing.shape.back() *= 32;
    const auto numel = count_of(packing.shape);
    if (!numel) return;
    packing.numel = *numel;
    explain(row, std::move(packing));
  }

  const Configured& configured() {
    if (!configured_) {
      configured_.emplace();
      const auto look_in = [&](std::string_view file, std::string_view keys) {
        for (const MetadataEntry& entry : document_.metadata) {
          const std::string_view key = entry.key;
          if (!key.starts_with(keys)) continue;
          const std::string_view what = key.substr(keys.size());
          if (what != "bits" && what != "w_bit") continue;
          std::uint64_t bits = 0;
          const char* const text_end = entry.value.data() + entry.value.size();
          const auto [end, error] = std::from_chars(entry.value.data(), text_end, bits);
          if (error == std::errc() && end == text_end) configured_ = {bits, file};
        }
      };
      look_in(kQuantizeConfigName, "quantize_config.");
      look_in(kConfigName, "config.quantization_config.");
    }
    return *configured_;
  }

  void explain(std::uint32_t row, Packing packing) {
    const std::uint64_t before = tree_.kind[row] == NodeKind::Parameter ? tree_.parameters[row] : 0;
    const std::uint64_t more = packing.numel - before;  // wraps around until it is added
    tree_.kind[row] = NodeKind::Parameter;
    tree_.flags[row] = static_cast<std::uint8_t>(tree_.flags[row] | kKindInferred);
    tree_.preview[row] = tree_.strings.intern(packing_text(packing));
    document_.tensors[tree_.tensor[row]].packing = static_cast<std::uint32_t>(document_.packings.size());
    document_.packings.push_back(std::move(packing));

    // A weight that two modules share counts once above both.
    tree_.parameters[row] += more;
    const auto [earlier, is_new] = rows_of_storages_.try_emplace(tensor(row).storage, row);
    std::uint32_t stop = kNone;
    if (!is_new) {
      stop = common_ancestor(tree_, std::min(earlier->second, row), std::max(earlier->second, row));
      tree_.flags[row] = static_cast<std::uint8_t>(tree_.flags[row] | kRepeatedParameter);
    }
    for (std::uint32_t above = tree_.parent[row]; above != stop && above != kNone; above = tree_.parent[above])
      tree_.parameters[above] += more;
  }

  void complain(std::uint32_t row, std::string why) {
    if (problems_++ == 0) {
      problem_ = fmt::format("{}: {}", document_.name(tensor(row)), std::move(why));
    }
  }

  void tell_problems() {
    if (problems_ == 0) return;
    document_.notes.push_back(
        problems_ == 1
            ? fmt::format("A packed weight is shown as it is stored. {}.", problem_)
            : fmt::format("{} packed weights are shown as they are stored. The first: {}.", problems_, problem_));
  }

  Checkpoint& document_;
  ModuleTree& tree_;
  std::vector<Role> roles_;                                  // by string
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  // of tensors: parent and name -> row; made when needed
  std::unordered_map<std::uint32_t, std::uint32_t> rows_of_storages_;
  std::optional<Configured> configured_;
  std::uint32_t row_ = 0;
  std::uint32_t reads_ = 0;
  std::uint64_t problems_ = 0;
  std::string problem_;
};

class PackedTask final : public OpenTask {
 public:
  explicit PackedTask(std::unique_ptr<OpenTask> task) : task_(std::move(task)) {}

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (document_ == nullptr) {
      NNS_TRY_ASSIGN(const OpenState state, task_->step(budget));
      if (state != OpenState::Done) return state;
      document_ = task_->take();
      weights_.emplace(*document_);
    }
    return weights_->step(budget) ? OpenState::Done : OpenState::Working;
  }
  Progress progress() const override {
    if (!weights_) return task_->progress();
    return document_ == nullptr ? Progress{} : Progress{weights_->done(), weights_->total()};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  std::unique_ptr<OpenTask> task_;
  std::unique_ptr<Checkpoint> document_;
  std::optional<PackedWeights> weights_;
};

}  // namespace

std::string packing_text(const Packing& packing) {
  std::string text = packing.shape.empty() ? fmt::format("{} values", packing.numel)
                                           : fmt::format("{}", fmt::join(packing.shape, " × "));
  if (!packing.dtype.empty()) text += " " + packing.dtype;
  text += fmt::format(" as {}, {} bits each", packing.scheme, packing.bits);
  if (packing.group != 0) text += fmt::format(", groups of {}", packing.group);
  return text;
}

std::unique_ptr<OpenTask> with_packed_weights(std::unique_ptr<OpenTask> task) {
  return std::make_unique<PackedTask>(std::move(task));
}

}  // namespace nns::checkpoint
