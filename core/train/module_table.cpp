#include "core/train/module_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nns::train {

namespace {

// "a.b" of "a.b.c"; of "c" nothing.
std::string_view before_last_dot(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

}  // namespace

void ModuleTable::clear() {
  modules_.clear();
  tensors_.clear();
  module_numbers_.clear();
  tensor_numbers_.clear();
}

std::uint32_t ModuleTable::find(const nn::Module* module) const {
  const auto found = module_numbers_.find(module);
  return found == module_numbers_.end() ? kNone : found->second;
}

std::uint32_t ModuleTable::find(const Tensor* tensor) const {
  const auto found = tensor_numbers_.find(tensor);
  return found == tensor_numbers_.end() ? kNone : found->second;
}

PyResult<void> ModuleTable::add_model(nn::Module& model, const std::string& prefix) {
  NNS_TRY_ASSIGN(const std::vector<nn::NamedModule> named, model.named_modules(prefix));
  std::unordered_map<std::string, std::uint32_t> by_path;
  for (const nn::NamedModule& one : named) {
    const auto number = static_cast<std::uint32_t>(modules_.size());
    if (!module_numbers_.emplace(one.module.get(), number).second) continue;
    by_path.emplace(one.name, number);
    std::uint32_t parent = kNone;
    if (number != 0 && one.module.get() != &model) {
      // A registry may hold names with dots: then the nearest place that is a module.
      for (std::string_view above = before_last_dot(one.name);; above = before_last_dot(above)) {
        if (const auto found = by_path.find(std::string(above)); found != by_path.end()) {
          parent = found->second;
          break;
        }
        if (above.empty()) break;
      }
    }
    modules_.push_back({parent, one.name, std::string(one.module->type().name()), one.module});
    NNS_TRY_ASSIGN(const std::vector<nn::NamedTensor> own, one.module->named_parameters(one.name, false));
    for (const nn::NamedTensor& parameter : own) {
      if (!tensor_numbers_.emplace(parameter.tensor.get(), static_cast<std::uint32_t>(tensors_.size())).second)
        continue;
      tensors_.push_back({number, parameter.name, parameter.tensor, kNone, kNone});
    }
  }
  return {};
}

PyResult<void> ModuleTable::build(std::vector<Ref<nn::Module>> models,
                                  const std::vector<Ref<optim::Optimizer>>& optimizers) {
  clear();
  ++version_;
  // 1. What lies in another model is not one of its own; models with parameters come first.
  std::set<const nn::Module*> inner;
  std::unordered_map<const nn::Module*, bool> has_parameters;
  for (const Ref<nn::Module>& model : models) {
    NNS_TRY_ASSIGN(const std::vector<nn::NamedModule> named, model->named_modules());
    for (const nn::NamedModule& one : named) {
      if (one.module.get() != model.get()) inner.insert(one.module.get());
    }
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> parameters, model->parameters());
    has_parameters[model.get()] = !parameters.empty();
  }
  models.erase(std::remove_if(models.begin(), models.end(),
                              [&](const Ref<nn::Module>& model) { return inner.count(model.get()) != 0; }),
               models.end());
  std::stable_partition(models.begin(), models.end(),
                        [&](const Ref<nn::Module>& model) { return has_parameters[model.get()]; });
  // 2. The first has the plain names; others begin with the name of their class.
  std::set<std::string> prefixes;
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::string prefix;
    if (i > 0 || !has_parameters[models[i].get()]) {
      prefix = std::string(models[i]->type().name());
      for (int more = 2; prefixes.count(prefix) != 0; ++more)
        prefix = fmt::format("{}_{}", models[i]->type().name(), more);
    }
    prefixes.insert(prefix);
    NNS_TRY(add_model(*models[i], prefix));
  }
  // 3. Who writes which parameter.
  for (std::uint32_t number = 0; number < optimizers.size(); ++number) {
    NNS_TRY_ASSIGN(object::List* const groups, optimizers[number]->param_groups());
    for (std::uint32_t at = 0; at < groups->items().size(); ++at) {
      const Value entry = groups->items()[at];
      object::Dict* const group = entry.as<object::Dict>();
      if (group == nullptr) continue;
      NNS_TRY_ASSIGN(const object::List* const params, optim::params_of(optimizers[number]->interpreter(), *group));
      for (std::size_t i = 0; i < params->items().size(); ++i) {
        const Value held = params->items()[i];
        Tensor* const tensor = held.as<Tensor>();
        if (tensor == nullptr) continue;
        if (find(tensor) == kNone) {
          tensor_numbers_.emplace(tensor, static_cast<std::uint32_t>(tensors_.size()));
          tensors_.push_back({kNone, fmt::format("param_groups.{}.{}", at, i), Ref<Tensor>(tensor), kNone, kNone});
        }
        Parameter& row = tensors_[find(tensor)];
        row.optimizer = number;
        row.group = at;
      }
    }
  }
  return {};
}

bool ModuleTable::matches(std::string_view pattern, std::string_view path) {
  // The last `*` is tried again one further where what follows it does not fit.
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < path.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == path[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace nns::train
