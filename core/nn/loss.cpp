#include "core/nn/functional.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/loss.py and distance.py.
namespace nns::nn {
namespace {

// __init__ of a loss: super().__init__(size_average, reduce, reduction), then the rest as attributes in order.
// With `weighted` the argument `weight` goes to super() too.
void define_loss(LayerDefinition& layer, std::string_view parameters, bool weighted = false) {
  std::vector<std::string> names;
  const object::Signature signature(layer.interpreter, parameters);
  for (const object::Parameter& parameter : signature.parameters()) {
    names.emplace_back(parameter.name.view());
  }
  layer.init_alone(parameters, [names = std::move(names), weighted](LayerInit& self) -> PyResult<void> {
    std::vector<Value> to_base;
    const std::vector<std::string_view> base_names =
        weighted ? std::vector<std::string_view>{"weight", "size_average", "reduce", "reduction"}
                 : std::vector<std::string_view>{"size_average", "reduce", "reduction"};
    for (const std::string_view wanted : base_names) {
      const auto at = std::find(names.begin(), names.end(), wanted);
      to_base.push_back(at == names.end() ? Value() : self[static_cast<std::size_t>(at - names.begin())]);
    }
    NNS_TRY(self.init_base(to_base));
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::find(base_names.begin(), base_names.end(), names[i]) == base_names.end()) {
        NNS_TRY(self.set(names[i], self[i]));
      }
    }
    return {};
  });
}

constexpr std::string_view kPlain = "size_average=None, reduce=None, reduction='mean'";

}  // namespace

template <>
void define<LayerId::PairwiseDistance>(LayerDefinition& layer) {
  layer.init("p=2.0, eps=1e-06, keepdim=False", [](LayerInit& self) -> PyResult<void> {
    NNS_TRY(self.set("norm", self[0]));
    NNS_TRY(self.set("eps", self[1]));
    return self.set("keepdim", self[2]);
  });
  layer.forwards("x1, x2", "pairwise_distance(x1, x2, norm, eps, keepdim)");
}
template <>
void define<LayerId::CosineSimilarity>(LayerDefinition& layer) {
  layer.stores("dim=1, eps=1e-08").forwards("x1, x2", "cosine_similarity(x1, x2, dim, eps)");
}

template <>
void define<LayerId::Loss>(LayerDefinition& layer) {
  layer.init(kPlain, [](LayerInit& self) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value reduction, legacy_reduction(self.interpreter, self[0], self[1], self[2]));
    return self.set("reduction", reduction);
  });
}
template <>
void define<LayerId::WeightedLoss>(LayerDefinition& layer) {
  layer.init_alone("weight=None, size_average=None, reduce=None, reduction='mean'",
                   [](LayerInit& self) -> PyResult<void> {
                     NNS_TRY(self.init_base({self[1], self[2], self[3]}));
                     return self.add_buffer("weight", self[0]);
                   });
}

template <>
void define<LayerId::L1Loss>(LayerDefinition& layer) {
  layer.forwards("input, target", "l1_loss(input, target, reduction=reduction)");
  define_loss(layer, kPlain);
}
template <>
void define<LayerId::NLLLoss>(LayerDefinition& layer) {
  layer.forwards("input, target",
                 "nll_loss(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction)");
  define_loss(layer, "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'", true);
}
template <>
void define<LayerId::NLLLoss2d>(LayerDefinition& layer) {
  layer.init_alone("weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
                   [](LayerInit& self) {
                     self.interpreter.warn(object::ErrorKind::FutureWarning,
                                           "NLLLoss2d has been deprecated. Please use NLLLoss instead as a drop-in "
                                           "replacement and see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss "
                                           "for more details.");
                     return self.init_base({self[0], self[1], self[2], self[3], self[4]});
                   });
}
template <>
void define<LayerId::PoissonNLLLoss>(LayerDefinition& layer) {
  layer.cls.def("forward(self, log_input, target)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    std::vector<object::Keyword> keywords;
    for (const char* name : {"log_input", "full", "eps", "reduction"}) {
      NNS_TRY_ASSIGN(Value setting, self.get(name));
      keywords.push_back({in.intern(name), std::move(setting)});
    }
    return call_functional(in, "poisson_nll_loss", a.subspan(1), keywords);
  });
  define_loss(layer, "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'");
}
template <>
void define<LayerId::GaussianNLLLoss>(LayerDefinition& layer) {
  layer.forwards("input, target, var",
                 "gaussian_nll_loss(input, target, var, full=full, eps=eps, reduction=reduction)");
  define_loss(layer, "*, full=False, eps=1e-06, reduction='mean'");
}
template <>
void define<LayerId::KLDivLoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "kl_div(input, target, reduction=reduction, log_target=log_target)");
  define_loss(layer, "size_average=None, reduce=None, reduction='mean', log_target=False");
}
template <>
void define<LayerId::MSELoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "mse_loss(input, target, reduction=reduction)");
  define_loss(layer, kPlain);
}
template <>
void define<LayerId::BCELoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "binary_cross_entropy(input, target, weight=weight, reduction=reduction)");
  define_loss(layer, "weight=None, size_average=None, reduce=None, reduction='mean'", true);
}
template <>
void define<LayerId::BCEWithLogitsLoss>(LayerDefinition& layer) {
  layer.forwards("input, target",
                 "binary_cross_entropy_with_logits(input, target, weight, pos_weight=pos_weight, reduction=reduction)");
  layer.init_alone("weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None",
                   [](LayerInit& self) -> PyResult<void> {
                     NNS_TRY(self.init_base({self[1], self[2], self[3]}));
                     NNS_TRY(self.add_buffer("weight", self[0]));
                     return self.add_buffer("pos_weight", self[4]);
                   });
}
template <>
void define<LayerId::HingeEmbeddingLoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "hinge_embedding_loss(input, target, margin=margin, reduction=reduction)");
  define_loss(layer, "margin=1.0, size_average=None, reduce=None, reduction='mean'");
}
template <>
void define<LayerId::MultiLabelMarginLoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "multilabel_margin_loss(input, target, reduction=reduction)");
  define_loss(layer, kPlain);
}
template <>
void define<LayerId::SmoothL1Loss>(LayerDefinition& layer) {
  layer.forwards("input, target", "smooth_l1_loss(input, target, reduction=reduction, beta=beta)");
  define_loss(layer, "size_average=None, reduce=None, reduction='mean', beta=1.0");
}
template <>
void define<LayerId::HuberLoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "huber_loss(input, target, reduction=reduction, delta=delta)");
  define_loss(layer, "reduction='mean', delta=1.0");
}
template <>
void define<LayerId::SoftMarginLoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "soft_margin_loss(input, target, reduction=reduction)");
  define_loss(layer, kPlain);
}
template <>
void define<LayerId::CrossEntropyLoss>(LayerDefinition& layer) {
  layer.forwards("input, target",
                 "cross_entropy(input, target, weight=weight, ignore_index=ignore_index, reduction=reduction, "
                 "label_smoothing=label_smoothing)");
  define_loss(layer,
              "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0",
              true);
}
template <>
void define<LayerId::MultiLabelSoftMarginLoss>(LayerDefinition& layer) {
  layer.forwards("input, target", "multilabel_soft_margin_loss(input, target, weight=weight, reduction=reduction)");
  define_loss(layer, "weight=None, size_average=None, reduce=None, reduction='mean'", true);
}
template <>
void define<LayerId::CosineEmbeddingLoss>(LayerDefinition& layer) {
  layer.forwards("input1, input2, target",
                 "cosine_embedding_loss(input1, input2, target, margin=margin, reduction=reduction)");
  define_loss(layer, "margin=0.0, size_average=None, reduce=None, reduction='mean'");
}
template <>
void define<LayerId::MarginRankingLoss>(LayerDefinition& layer) {
  layer.forwards("input1, input2, target",
                 "margin_ranking_loss(input1, input2, target, margin=margin, reduction=reduction)");
  define_loss(layer, "margin=0.0, size_average=None, reduce=None, reduction='mean'");
}
template <>
void define<LayerId::MultiMarginLoss>(LayerDefinition& layer) {
  layer.forwards("input, target",
                 "multi_margin_loss(input, target, p=p, margin=margin, weight=weight, reduction=reduction)");
  layer.init_alone("p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean'",
                   [](LayerInit& self) -> PyResult<void> {
                     Interpreter& in = self.interpreter;
                     NNS_TRY(self.init_base({self[2], self[3], self[4], self[5]}));
                     NNS_TRY_ASSIGN(const double p, number(in, self[0]));
                     if (p != 1 && p != 2) return object::value_error(in, "only p == 1 and p == 2 supported");
                     const Tensor* weight = self[2].as<Tensor>();
                     if (!self[2].is_none() && (weight == nullptr || weight->ndim() != 1)) {
                       return object::make_error(in, object::ErrorKind::AssertionError, "");
                     }
                     NNS_TRY(self.set("p", self[0]));
                     return self.set("margin", self[1]);
                   });
}
template <>
void define<LayerId::TripletMarginLoss>(LayerDefinition& layer) {
  layer.forwards(
      "anchor, positive, negative",
      "triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap, reduction=reduction)");
  layer.init_alone("margin=1.0, p=2.0, eps=1e-06, swap=False, size_average=None, reduce=None, reduction='mean'",
                   [](LayerInit& self) -> PyResult<void> {
                     Interpreter& in = self.interpreter;
                     NNS_TRY(self.init_base({self[4], self[5], self[6]}));
                     NNS_TRY_ASSIGN(const double margin, number(in, self[0]));
                     if (margin <= 0) {
                       NNS_TRY_ASSIGN(const std::string shown, object::str(in, self[0]));
                       return object::value_error(
                           in, "TripletMarginLoss: expected margin to be greater than 0, got {} instead", shown);
                     }
                     NNS_TRY(self.set("margin", self[0]));
                     NNS_TRY(self.set("p", self[1]));
                     NNS_TRY(self.set("eps", self[2]));
                     return self.set("swap", self[3]);
                   });
}
template <>
void define<LayerId::TripletMarginWithDistanceLoss>(LayerDefinition& layer) {
  layer.forwards("anchor, positive, negative",
                 "triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=distance_function, "
                 "margin=margin, swap=swap, reduction=reduction)");
  layer.init_alone(
      "*, distance_function=None, margin=1.0, swap=False, reduction='mean'", [](LayerInit& self) -> PyResult<void> {
        Interpreter& in = self.interpreter;
        NNS_TRY(self.init_base({Value(), Value(), self[3]}));
        NNS_TRY_ASSIGN(const double margin, number(in, self[1]));
        if (margin <= 0) {
          NNS_TRY_ASSIGN(const std::string shown, object::str(in, self[1]));
          return object::value_error(
              in, "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {} instead", shown);
        }
        if (self[0].is_none()) {
          NNS_TRY(self.add_layer("distance_function", LayerId::PairwiseDistance, {}));
        } else {
          NNS_TRY(self.set("distance_function", self[0]));
        }
        NNS_TRY(self.set("margin", self[1]));
        return self.set("swap", self[2]);
      });
}
template <>
void define<LayerId::CTCLoss>(LayerDefinition& layer) {
  layer.forwards("log_probs, targets, input_lengths, target_lengths",
                 "ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)");
  define_loss(layer, "blank=0, reduction='mean', zero_infinity=False");
}

}  // namespace nns::nn
