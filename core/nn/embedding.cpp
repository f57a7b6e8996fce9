#include "core/nn/arguments.h"
#include "core/nn/init.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/sparse.py.
namespace nns::nn {
namespace {

// padding_idx counted from the front, or None.
PyResult<Value> padding_index(Interpreter& in, const Value& given, std::int64_t count, std::string_view message) {
  if (given.is_none()) return Value();
  NNS_TRY_ASSIGN(const std::int64_t index, object::index(in, given));
  if (index >= count && index > 0) return assertion(in, message);
  if (index < -count) return assertion(in, message);
  return Value(index < 0 ? index + count : index);
}

// self.weight: new and with start values, or the one that was given.
PyResult<void> add_weight(LayerInit& self, std::int64_t count, std::int64_t width, const Value& given, bool frozen,
                          const Factory& factory) {
  if (given.is_none()) {
    NNS_TRY(self.add_parameter("weight", {count, width}, factory));
    NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
    NNS_TRY(weight->set_requires_grad(!frozen));
    NNS_TRY(self.call("reset_parameters"));
    return {};
  }
  const Tensor* weight = given.as<Tensor>();
  if (weight == nullptr || !(weight->shape() == Dims{count, width})) {
    return assertion(self.interpreter, "Shape of weight does not match num_embeddings and embedding_dim");
  }
  NNS_TRY_ASSIGN(const auto parameter, tensor::make_parameter(self.interpreter, *weight, !frozen));
  return self.set("weight", parameter);
}

void define_resets(LayerDefinition& layer) {
  layer
      .method("reset_parameters",
              [](LayerSelf& self) -> PyResult<Value> {
                NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
                if (weight != nullptr) init::normal_(*weight);
                return self.call("_fill_padding_idx_with_zero");
              })
      .method("_fill_padding_idx_with_zero", [](LayerSelf& self) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const Value index, self.get("padding_idx"));
        NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
        if (!index.is_none() && weight != nullptr && !weight->is_meta() && index.as_int() < weight->shape()[0]) {
          tensor::fill_(*tensor::select(*weight, 0, index.as_int()), 0);
        }
        return Value();
      });
}

// ", name=value" of an attribute where it is not what the constructor starts with.
PyResult<std::string> optional_settings(LayerSelf& self) {
  std::string pattern;
  NNS_TRY_ASSIGN(const bool no_norm, self.is_none("max_norm"));
  if (!no_norm) pattern += ", max_norm={max_norm}";
  NNS_TRY_ASSIGN(const double norm_type, self.get_float("norm_type"));
  if (norm_type != 2) pattern += ", norm_type={norm_type}";
  NNS_TRY_ASSIGN(const Value scale, self.get("scale_grad_by_freq"));
  if (!scale.is(Value(false))) pattern += ", scale_grad_by_freq={scale_grad_by_freq}";
  return pattern;
}

// embeddings.shape of a from_pretrained.
PyResult<const Tensor*> pretrained(Interpreter& in, const Value& embeddings) {
  const Tensor* weight = embeddings.as<Tensor>();
  if (weight == nullptr || weight->ndim() != 2) {
    return assertion(in, "Embeddings parameter is expected to be 2-dimensional");
  }
  return weight;
}

}  // namespace

template <>
void define<LayerId::Embedding>(LayerDefinition& layer) {
  layer.forwards("input", "embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)");
  define_resets(layer);
  layer
      .init(
          "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
          "sparse=False, _weight=None, _freeze=False, device=None, dtype=None",
          [](LayerInit& self) -> PyResult<void> {
            NNS_TRY_ASSIGN(const Factory factory, self.factory(self[9], self[10]));
            NNS_TRY_ASSIGN(const std::int64_t count, self.int_argument(0));
            NNS_TRY_ASSIGN(const std::int64_t width, self.int_argument(1));
            NNS_TRY_ASSIGN(const bool frozen, self.bool_argument(8));
            NNS_TRY(self.set("num_embeddings", self[0]));
            NNS_TRY(self.set("embedding_dim", self[1]));
            NNS_TRY_ASSIGN(const Value padding, padding_index(self.interpreter, self[2], count,
                                                              "Padding_idx must be within num_embeddings"));
            NNS_TRY(self.set("padding_idx", padding));
            NNS_TRY(self.set("max_norm", self[3]));
            NNS_TRY(self.set("norm_type", self[4]));
            NNS_TRY(self.set("scale_grad_by_freq", self[5]));
            NNS_TRY(add_weight(self, count, width, self[7], frozen, factory));
            return self.set("sparse", self[6]);
          })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        std::string pattern = "{num_embeddings}, {embedding_dim}";
        NNS_TRY_ASSIGN(const bool no_padding, self.is_none("padding_idx"));
        if (!no_padding) pattern += ", padding_idx={padding_idx}";
        NNS_TRY_ASSIGN(const std::string settings, optional_settings(self));
        NNS_TRY_ASSIGN(const Value sparse, self.get("sparse"));
        return self.format(pattern + settings + (sparse.is(Value(false)) ? "" : ", sparse=True"));
      });
  layer.cls.def_class(
      "from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, "
      "scale_grad_by_freq=False, sparse=False)",
      [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const Tensor* const weight, pretrained(in, a[1]));
        const object::Keyword keywords[] = {{in.intern("num_embeddings"), Value(weight->shape()[0])},
                                            {in.intern("embedding_dim"), Value(weight->shape()[1])},
                                            {in.intern("_weight"), a[1]},
                                            {in.intern("_freeze"), a[2]},
                                            {in.intern("padding_idx"), a[3]},
                                            {in.intern("max_norm"), a[4]},
                                            {in.intern("norm_type"), a[5]},
                                            {in.intern("scale_grad_by_freq"), a[6]},
                                            {in.intern("sparse"), a[7]}};
        return in.call(a[0], {}, keywords);
      });
}

template <>
void define<LayerId::EmbeddingBag>(LayerDefinition& layer) {
  layer.forwards("input, offsets=None, per_sample_weights=None",
                 "embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, "
                 "per_sample_weights, include_last_offset, padding_idx)");
  define_resets(layer);
  layer
      .init(
          "num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', "
          "sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None",
          [](LayerInit& self) -> PyResult<void> {
            NNS_TRY_ASSIGN(const Factory factory, self.factory(self[10], self[11]));
            NNS_TRY_ASSIGN(const std::int64_t count, self.int_argument(0));
            NNS_TRY_ASSIGN(const std::int64_t width, self.int_argument(1));
            NNS_TRY(self.set("num_embeddings", self[0]));
            NNS_TRY(self.set("embedding_dim", self[1]));
            NNS_TRY(self.set("max_norm", self[2]));
            NNS_TRY(self.set("norm_type", self[3]));
            NNS_TRY(self.set("scale_grad_by_freq", self[4]));
            NNS_TRY_ASSIGN(const Value padding, padding_index(self.interpreter, self[9], count,
                                                              "padding_idx must be within num_embeddings"));
            NNS_TRY(self.set("padding_idx", padding));
            NNS_TRY(add_weight(self, count, width, self[7], false, factory));
            NNS_TRY(self.set("mode", self[5]));
            NNS_TRY(self.set("sparse", self[6]));
            return self.set("include_last_offset", self[8]);
          })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        NNS_TRY_ASSIGN(const std::string settings, optional_settings(self));
        NNS_TRY_ASSIGN(const bool no_padding, self.is_none("padding_idx"));
        return self.format("{num_embeddings}, {embedding_dim}" + settings + ", mode={mode!r}" +
                           (no_padding ? "" : ", padding_idx={padding_idx}"));
      });
  layer.cls.def_class(
      "from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
      "mode='mean', sparse=False, include_last_offset=False, padding_idx=None)",
      [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const Tensor* const weight, pretrained(in, a[1]));
        const object::Keyword keywords[] = {{in.intern("num_embeddings"), Value(weight->shape()[0])},
                                            {in.intern("embedding_dim"), Value(weight->shape()[1])},
                                            {in.intern("_weight"), a[1]},
                                            {in.intern("max_norm"), a[3]},
                                            {in.intern("norm_type"), a[4]},
                                            {in.intern("scale_grad_by_freq"), a[5]},
                                            {in.intern("mode"), a[6]},
                                            {in.intern("sparse"), a[7]},
                                            {in.intern("include_last_offset"), a[8]},
                                            {in.intern("padding_idx"), a[9]}};
        NNS_TRY_ASSIGN(const Value made, in.call(a[0], {}, keywords));
        NNS_TRY_ASSIGN(Tensor* const kept, LayerSelf(in, made).get_tensor("weight"));
        NNS_TRY_ASSIGN(const bool freeze, object::truth(in, a[2]));
        NNS_TRY(kept->set_requires_grad(!freeze));
        return made;
      });
}

}  // namespace nns::nn
