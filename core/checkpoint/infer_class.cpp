#include "core/checkpoint/infer_class.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace nns::checkpoint {

namespace {

/// What the name of a tensor says. One bit each: a module's own tensors together are a set of them.
enum Word : std::uint32_t {
  kWeight = 1U << 0,
  kBias = 1U << 1,
  kRunningMean = 1U << 2,
  kRunningVar = 1U << 3,
  kBatches = 1U << 4,
  kInProjWeight = 1U << 5,
  kInProjBias = 1U << 6,
  kWeightIhL0 = 1U << 7,
  kWeightHhL0 = 1U << 8,
  kRecurrent = 1U << 9,  // weight_ih_l1, bias_hh_l0_reverse, ...
  kWeightIh = 1U << 10,
  kWeightHh = 1U << 11,
  kBiasCell = 1U << 12,  // bias_ih, bias_hh
  kScale = 1U << 13,     // scale of a quantised weight
  kQWeight = 1U << 14,
  kQParts = 1U << 15,       // qzeros, scales, g_idx
  kWeightParts = 1U << 16,  // weight_g, weight_v, original0, original1
  kBiasKv = 1U << 17,
  kProjWeights = 1U << 18,  // q_proj_weight, k_proj_weight, v_proj_weight
  kNumber = 1U << 19,       // "0", "1", ...
  kInvFreq = 1U << 20,
  kOther = 1U << 31,
};

struct TensorName {
  std::string_view name;
  std::uint32_t word;
  bool is_buffer;
};

constexpr TensorName kTensorNames[] = {
    {"weight", kWeight, false},
    {"bias", kBias, false},
    {"running_mean", kRunningMean, true},
    {"running_var", kRunningVar, true},
    {"num_batches_tracked", kBatches, true},
    {"in_proj_weight", kInProjWeight, false},
    {"in_proj_bias", kInProjBias, false},
    {"bias_k", kBiasKv, false},
    {"bias_v", kBiasKv, false},
    {"q_proj_weight", kProjWeights, false},
    {"k_proj_weight", kProjWeights, false},
    {"v_proj_weight", kProjWeights, false},
    {"weight_ih_l0", kWeightIhL0, false},
    {"weight_hh_l0", kWeightHhL0, false},
    {"weight_ih", kWeightIh, false},
    {"weight_hh", kWeightHh, false},
    {"bias_ih", kBiasCell, false},
    {"bias_hh", kBiasCell, false},
    {"weight_scale_inv", kScale, true},
    {"weight_scale", kScale, true},
    {"weight_scale_2", kScale, true},
    {"input_scale", kScale, true},
    {"output_scale", kScale, true},
    {"k_scale", kScale, true},
    {"v_scale", kScale, true},
    // bitsandbytes, of 4 and of 8 bits.
    {"absmax", kScale, true},
    {"quant_map", kScale, true},
    {"nested_absmax", kScale, true},
    {"nested_quant_map", kScale, true},
    {"bitsandbytes__nf4", kScale, true},
    {"bitsandbytes__fp4", kScale, true},
    {"SCB", kScale, true},
    {"weight_format", kScale, true},
    {"qweight", kQWeight, true},
    {"W_q", kQWeight, true},
    {"qzeros", kQParts, true},
    {"scales", kQParts, true},
    {"g_idx", kQParts, true},
    {"weight_g", kWeightParts, false},
    {"weight_v", kWeightParts, false},
    {"original0", kWeightParts, false},
    {"original1", kWeightParts, false},
    {"inv_freq", kInvFreq, true},
    {"position_ids", kOther, true},
    {"relative_position_index", kOther, true},
    {"attn_mask", kOther, true},
    {"causal_mask", kOther, true},
    {"masked_bias", kOther, true},
    {"rotary_freqs", kOther, true},
    {"freqs_cis", kOther, true},
    {"freqs", kOther, true},
    {"cos_cached", kOther, true},
    {"sin_cached", kOther, true},
    {"pos_enc", kOther, true},
    {"pe", kOther, true},
    {"num_samples", kOther, true},
    {"weight_u", kOther, true},
    {"zero_point", kOther, true},
    {"_float_tensor", kOther, true},
};

/// Names of quantised modules that mean something else in others: buffers only beside a tensor of that name.
struct TensorBeside {
  std::string_view name;
  std::string_view beside;
};
constexpr TensorBeside kBuffersBeside[] = {
    {"scale", "zero_point"},  // what PyTorch's quantised modules give
    {"scale", "W_q"},         // HQQ
    {"zero", "W_q"},
    {"biases", "scales"},  // MLX
};

/// What the name of a module suggests.
enum Hint : std::uint32_t {
  kHintEmbedding = 1U << 0,
  kHintNorm = 1U << 1,
  kHintRms = 1U << 2,
  kHintGroup = 1U << 3,
  kHintBatch = 1U << 4,
  kHintInstance = 1U << 5,
  kHintPrelu = 1U << 6,
  kHintList = 1U << 7,  // names that people give to a ModuleList
  kHintDown = 1U << 8,
  kHintNumber = 1U << 9,
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) {
  const auto equal = [](char a, char b) { return lower(a) == b; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end();
}

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint32_t hints_of(std::string_view name) {
  std::uint32_t hints = 0;
  if (contains(name, "embed") || contains(name, "embd") ||
      is_any_of(name, {"wte", "wpe", "emb", "tok_emb", "pos_emb", "token_type", "lut"})) {
    hints |= kHintEmbedding;
  }
  if (contains(name, "norm") || is_any_of(name, {"ln", "ln_f", "ln_1", "ln_2", "ln1", "ln2", "layer_norm"})) {
    hints |= kHintNorm;
  }
  if (contains(name, "rms")) hints |= kHintRms | kHintNorm;
  if (contains(name, "group_norm") || contains(name, "groupnorm") || is_any_of(name, {"gn", "gn1", "gn2"})) {
    hints |= kHintGroup;
  }
  if (contains(name, "batch") || is_any_of(name, {"bn", "bn1", "bn2", "bn3"})) hints |= kHintBatch;
  if (contains(name, "instance")) hints |= kHintInstance;
  if (contains(name, "prelu")) hints |= kHintPrelu;
  if (is_any_of(name,
                {"layers", "layer", "blocks", "h", "experts", "heads", "stages", "modules", "encoders", "decoders"})) {
    hints |= kHintList;
  }
  if (all_digits(name)) hints |= kHintNumber;
  return hints;
}

bool is_recurrent_name(std::string_view name) {
  return name.substr(0, 10) == "weight_ih_" || name.substr(0, 10) == "weight_hh_" || name.substr(0, 8) == "bias_ih_" ||
         name.substr(0, 8) == "bias_hh_" || name.substr(0, 10) == "weight_hr_";
}

struct NameFacts {
  std::uint32_t word = kOther;
  std::uint32_t hints = 0;
  bool is_buffer = false;
};

/// What each name says, worked out once for each distinct one.
class NameBook {
 public:
  explicit NameBook(const StringTable& strings) : strings_(strings), known_(strings.size(), 0) {}

  const NameFacts& facts(std::uint32_t id) {
    if (known_[id] == 0) {
      facts_.push_back(look_up(strings_.view(id)));
      known_[id] = static_cast<std::uint32_t>(facts_.size());
    }
    return facts_[known_[id] - 1];
  }

 private:
  static NameFacts look_up(std::string_view name) {
    NameFacts facts;
    facts.hints = hints_of(name);
    if (is_recurrent_name(name)) facts.word = kRecurrent;
    if (all_digits(name)) facts.word = kNumber;
    // bitsandbytes: "weight.absmax" beside "weight".
    const std::string_view last = name.substr(name.rfind('.') + 1);
    for (const TensorName& row : kTensorNames) {
      if (row.name != last) continue;
      facts.word = row.word;
      facts.is_buffer = row.is_buffer;
    }
    return facts;
  }

  const StringTable& strings_;
  std::vector<std::uint32_t> known_;
  std::vector<NameFacts> facts_;
};

/// A module as the rules see it: its own tensors, its name, a look at its children.
struct Evidence {
  std::uint32_t words = 0;
  std::uint32_t hints = 0;
  std::uint32_t weight = kNone;     // tensor called "weight"
  std::uint32_t recurrent = kNone;  // weight_hh_l0 or weight_hh
  std::uint32_t recurrent_input = kNone;
  bool has_children = false;
};

/// A rule: the first whose tests hold names the class. `rank` is that of "weight"; -1 does not ask.
struct Rule {
  std::string_view class_name;
  std::uint32_t needs;   // words that must be there
  std::uint32_t allows;  // further words that may be there
  std::uint32_t hint;    // one of these must hold; 0 does not ask
  int rank;
  bool with_children;  // may have submodules
};

constexpr std::uint32_t kScales = kScale;

constexpr Rule kRules[] = {
    {"MultiheadAttention", kInProjWeight, kInProjBias | kBiasKv, 0, -1, true},
    {"MultiheadAttention", kProjWeights, kInProjBias | kBiasKv, 0, -1, true},
    {"BatchNorm", kRunningMean | kRunningVar, kWeight | kBias | kBatches, 0, -1, false},
    {"InstanceNorm", kWeight, kBias, kHintInstance, 1, false},
    {"GroupNorm", kWeight | kBias, 0, kHintGroup, 1, false},
    {"BatchNorm", kWeight | kBias, 0, kHintBatch, 1, false},
    {"RMSNorm", kWeight, kBias, kHintRms, 1, false},
    {"LayerNorm", kWeight | kBias, 0, 0, 1, false},
    {"RMSNorm", kWeight, 0, kHintNorm, 1, false},
    {"PReLU", kWeight, 0, kHintPrelu, 1, false},
    {"Embedding", kWeight, kScales, kHintEmbedding, 2, false},
    {"Linear", kWeight, kBias | kScales, 0, 2, false},
    {"Conv1d", kWeight, kBias | kScales, 0, 3, false},
    {"Conv2d", kWeight, kBias | kScales, 0, 4, false},
    {"Conv3d", kWeight, kBias | kScales, 0, 5, false},
    {"QuantizedLinear", kQWeight, kQParts | kBias, 0, -1, false},
    {"RotaryEmbedding", kInvFreq, 0, 0, -1, false},
    {"ParameterList", kNumber, 0, 0, -1, false},
};

bool holds(const Rule& rule, const Evidence& evidence, int weight_rank) {
  if ((evidence.words & rule.needs) != rule.needs) return false;
  if ((evidence.words & ~(rule.needs | rule.allows)) != 0) return false;
  if (rule.hint != 0 && (evidence.hints & rule.hint) == 0) return false;
  if (rule.rank >= 0 && rule.rank != weight_rank) return false;
  return rule.with_children || !evidence.has_children;
}

class Inference {
 public:
  explicit Inference(Checkpoint& document) : document_(document), tree_(document.tree), names_(document.tree.strings) {}

  void kinds() {
    for (std::uint32_t row = 0; row < tree_.size(); ++row) {
      if (tree_.kind[row] != NodeKind::Tensor || (tree_.flags[row] & kKindInferred) == 0) continue;
      const TensorEntry& entry = document_.tensors[tree_.tensor[row]];
      const bool is_buffer = names_.facts(tree_.name[row]).is_buffer ||
                             (entry.has_shape && !is_differentiable(entry) && !entry.is_parameter) ||
                             (!entry.is_parameter && is_buffer_beside(row));
      tree_.kind[row] = is_buffer ? NodeKind::Buffer : NodeKind::Parameter;
    }
  }

  /// By what is stored: the integers of a quantised tensor stand for numbers, and it has no gradient all the same.
  bool is_differentiable(const TensorEntry& entry) const {
    if (entry.dtype_text == 0) return tensor::is_differentiable(entry.dtype);
    const auto stored = tensor::dtype_from_torch_name(document_.dtype_name(entry));
    return tensor::is_differentiable(stored.value_or(entry.dtype));
  }

  void classes() {
    for (std::size_t at = 0; at < std::size(kRules); ++at) rule_ids_[at] = tree_.strings.intern(kRules[at].class_name);
    const std::uint32_t module = tree_.strings.intern("Module");
    lstm_ = {tree_.strings.intern("RNN"), tree_.strings.intern("GRU"), tree_.strings.intern("LSTM")};
    cell_ = {tree_.strings.intern("RNNCell"), tree_.strings.intern("GRUCell"), tree_.strings.intern("LSTMCell")};
    list_ = tree_.strings.intern("ModuleList");
    sequential_ = tree_.strings.intern("Sequential");
    norms_ = {tree_.strings.intern("BatchNorm1d"), tree_.strings.intern("BatchNorm2d"),
              tree_.strings.intern("BatchNorm3d")};
    convs_ = {tree_.strings.intern("Conv1d"), tree_.strings.intern("Conv2d"), tree_.strings.intern("Conv3d")};
    linear_ = tree_.strings.intern("Linear");
    batch_norm_ = tree_.strings.intern("BatchNorm");
    // Children come after their parent, so from the end every child is known before its parent.
    for (std::uint32_t row = tree_.size(); row-- > 0;) {
      if (tree_.kind[row] != NodeKind::Module || tree_.class_name[row] != 0) continue;
      const std::uint32_t found = class_of(row);
      tree_.class_name[row] = found != 0 ? found : module;
      tree_.flags[row] = static_cast<std::uint8_t>(tree_.flags[row] | kClassInferred);
      name_norms(row);
    }
  }

 private:
  bool is_buffer_beside(std::uint32_t row) const {
    const std::string_view name = tree_.strings.view(tree_.name[row]);
    return std::any_of(std::begin(kBuffersBeside), std::end(kBuffersBeside),
                       [&](const TensorBeside& one) { return one.name == name && is_beside(row, one.beside); });
  }

  bool is_beside(std::uint32_t row, std::string_view name) const {
    const std::uint32_t parent = tree_.parent[row];
    if (parent == kNone) return false;
    for (std::uint32_t child = parent + 1; child < tree_.end[parent]; child = tree_.end[child]) {
      if (tree_.strings.view(tree_.name[child]) == name) return true;
    }
    return false;
  }

  std::uint32_t class_of(std::uint32_t row) {
    Evidence evidence;
    evidence.hints = names_.facts(tree_.name[row]).hints;
    bool numbered = true;
    std::uint32_t children = 0;
    for (std::uint32_t child = row + 1; child < tree_.end[row]; child = tree_.end[child]) {
      const NameFacts& facts = names_.facts(tree_.name[child]);
      const std::uint32_t tensor = tree_.tensor[child];
      if (tensor == kNone) {
        evidence.has_children = true;
        ++children;
        numbered = numbered && (facts.hints & kHintNumber) != 0;
        continue;
      }
      evidence.words |= facts.word;
      if (facts.word == kWeight) evidence.weight = tensor;
      if (facts.word == kWeightHh || facts.word == kWeightHhL0) evidence.recurrent = tensor;
      if (facts.word == kWeightIh || facts.word == kWeightIhL0) evidence.recurrent_input = tensor;
    }
    if (evidence.words == 0) return children > 0 && numbered && row != 0 ? list_or_sequential(row, evidence) : 0;
    if (const std::uint32_t recurrent = recurrent_class(evidence); recurrent != 0) return recurrent;
    int rank = -1;
    if (evidence.weight != kNone && document_.tensors[evidence.weight].has_shape) {
      rank = document_.tensors[evidence.weight].rank;
    }
    for (std::size_t at = 0; at < std::size(kRules); ++at) {
      if (holds(kRules[at], evidence, rank)) return rule_ids_[at];
    }
    return 0;
  }

  /// RNN, GRU and LSTM stack 1, 3 and 4 gates in the rows of the hidden weight.
  std::uint32_t recurrent_class(const Evidence& evidence) const {
    if (evidence.recurrent == kNone || evidence.recurrent_input == kNone) return 0;
    const TensorEntry& hidden = document_.tensors[evidence.recurrent];
    if (!hidden.has_shape || hidden.rank != 2) return 0;
    const auto shape = document_.shape(hidden);
    if (shape[1] <= 0 || shape[0] % shape[1] != 0) return 0;
    const bool is_cell = (evidence.words & kWeightHh) != 0;
    switch (shape[0] / shape[1]) {
      case 1:
        return is_cell ? cell_[0] : lstm_[0];
      case 3:
        return is_cell ? cell_[1] : lstm_[1];
      case 4:
        return is_cell ? cell_[2] : lstm_[2];
      default:
        return 0;
    }
  }

  /// Children named by numbers. Gaps are modules without tensors (activations), which is how a Sequential looks, and so
  /// are neighbours of different classes.
  std::uint32_t list_or_sequential(std::uint32_t row, const Evidence& evidence) {
    std::uint32_t expected = 0;
    bool uniform = true;
    for (std::uint32_t child = row + 1; child < tree_.end[row]; child = tree_.end[child], ++expected) {
      uniform = uniform && tree_.class_name[child] == tree_.class_name[row + 1];
      const std::string_view name = tree_.strings.view(tree_.name[child]);
      std::uint32_t value = 0;
      for (const char c : name.substr(0, 9)) value = value * 10 + static_cast<std::uint32_t>(c - '0');
      if (value != expected || name.size() > 9) return sequential_;
    }
    return uniform || (evidence.hints & kHintList) != 0 ? list_ : sequential_;
  }

  /// A BatchNorm beside a convolution has its number of dimensions.
  void name_norms(std::uint32_t row) {
    std::uint32_t beside = 0;
    bool any = false;
    for (std::uint32_t child = row + 1; child < tree_.end[row]; child = tree_.end[child]) {
      const std::uint32_t name = tree_.class_name[child];
      any = any || name == batch_norm_;
      for (std::size_t at = 0; at < convs_.size(); ++at) {
        if (name == convs_[at]) beside = norms_[at];
      }
      if (name == linear_ && beside == 0) beside = norms_[0];
    }
    if (!any || beside == 0) return;
    for (std::uint32_t child = row + 1; child < tree_.end[row]; child = tree_.end[child]) {
      if (tree_.class_name[child] == batch_norm_) tree_.class_name[child] = beside;
    }
  }

  Checkpoint& document_;
  ModuleTree& tree_;
  NameBook names_;
  std::array<std::uint32_t, std::size(kRules)> rule_ids_{};
  std::array<std::uint32_t, 3> lstm_{};
  std::array<std::uint32_t, 3> cell_{};
  std::array<std::uint32_t, 3> norms_{};
  std::array<std::uint32_t, 3> convs_{};
  std::uint32_t list_ = 0;
  std::uint32_t sequential_ = 0;
  std::uint32_t linear_ = 0;
  std::uint32_t batch_norm_ = 0;
};

}  // namespace

void infer_kinds(Checkpoint& document) { Inference(document).kinds(); }

void infer_classes(Checkpoint& document) { Inference(document).classes(); }

}  // namespace nns::checkpoint
