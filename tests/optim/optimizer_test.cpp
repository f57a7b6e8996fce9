// The optimiser as an object: groups, options, state, hooks. Behaviour recorded from PyTorch.
#include "core/nn/layers.h"
#include "core/object/copy.h"
#include "core/ops/python_function.h"
#include "tests/optim/optim_support.h"

namespace nns::optim::tests {
namespace {

class OptimizerObject : public OptimTest {
 protected:
  std::string refused(std::string_view name, const Value& params, const Keywords& keywords = {}) {
    return outcome(try_make(name, params, keywords));
  }
};

TEST_F(OptimizerObject, ClassesStandInTheModulesThatAProgramImports) {
  OptimLibrary& library = OptimLibrary::of(in);
  for (const auto& [module, name] :
       {std::pair("torch.optim", "Adam"), std::pair("torch.optim.lr_scheduler", "StepLR"),
        std::pair("torch.optim.swa_utils", "SWALR"), std::pair("torch.optim.swa_utils", "AveragedModel")}) {
    const Value* found = ops::python_module(in, module).find(std::string_view(name));
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->as<Class>()->name(), name);
  }
  EXPECT_EQ(library.find_class("SGD")->full_name(), "torch.optim.sgd.SGD");
}

TEST_F(OptimizerObject, ShowsItsGroups) {
  const auto p = parameter({1});
  EXPECT_EQ(
      repr(Value(make("SGD", p, {{"lr", 0.1}, {"momentum", 0.9}}))),
      "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
      "    lr: 0.1\n    maximize: False\n    momentum: 0.9\n    nesterov: False\n    weight_decay: 0\n)");
  EXPECT_EQ(repr(Value(make("Adam", p))),
            "Adam (\nParameter Group 0\n    amsgrad: False\n    betas: (0.9, 0.999)\n    capturable: False\n"
            "    decoupled_weight_decay: False\n    differentiable: False\n    eps: 1e-08\n    foreach: None\n"
            "    fused: None\n    lr: 0.001\n    maximize: False\n    weight_decay: 0\n)");
}

TEST_F(OptimizerObject, RefusesWhatItCannotOptimise) {
  const auto p = parameter({1}, DType::Float32);
  const auto twice = ops::call_op(in, OpId::mul, {Value(p), Value(2)}).value();
  EXPECT_EQ(refused("SGD", list({})), "ValueError: optimizer got an empty parameter list");
  EXPECT_EQ(refused("SGD", Value(p)),
            "TypeError: params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
            "torch.FloatTensor");
  EXPECT_EQ(refused("SGD", list({1.0})),
            "TypeError: optimizer can only optimize Tensors, but one of the params is float");
  EXPECT_EQ(refused("SGD", list({twice})), "ValueError: can't optimize a non-leaf Tensor");
  EXPECT_EQ(refused("SGD", list({dict({{"lr", 0.1}})})), "KeyError: 'params'");
  EXPECT_EQ(refused("SGD", Value(nn::make_layer(in, "Linear", {1, 1}).value())),
            "TypeError: 'Linear' object is not iterable");
}

TEST_F(OptimizerObject, RefusesOptionsOutOfRange) {
  const Value params = list({Value(parameter({1}))});
  const auto pair = [this](double a, double b) { return Value(in.tuple({a, b})); };
  EXPECT_EQ(refused("SGD", params, {{"lr", -1}}), "ValueError: Invalid learning rate: -1");
  EXPECT_EQ(refused("SGD", params, {{"momentum", -1}}), "ValueError: Invalid momentum value: -1");
  EXPECT_EQ(refused("SGD", params, {{"weight_decay", -1}}), "ValueError: Invalid weight_decay value: -1");
  EXPECT_EQ(refused("SGD", params, {{"nesterov", true}}),
            "ValueError: Nesterov momentum requires a momentum and zero dampening");
  EXPECT_EQ(refused("SGD", params, {{"lr", Value(tensor::zeros(in, {2}))}}), "ValueError: Tensor lr must be 1-element");
  EXPECT_EQ(refused("SGD", params, {{"fused", true}, {"foreach", true}}),
            "RuntimeError: `fused` and `foreach` cannot be `True` together.");
  EXPECT_EQ(refused("Adam", params, {{"fused", true}, {"differentiable", true}}),
            "RuntimeError: `fused` does not support `differentiable`");
  EXPECT_EQ(refused("Adam", params, {{"betas", pair(1.0, 0.9)}}), "ValueError: Invalid beta parameter at index 0: 1.0");
  EXPECT_EQ(refused("Adam", params, {{"betas", pair(0.9, 1.5)}}), "ValueError: Invalid beta parameter at index 1: 1.5");
  EXPECT_EQ(refused("Adam", params, {{"betas", Value(in.tuple({0, 0.5}))}}),
            "ValueError: betas must be either both floats or both Tensors");
  EXPECT_EQ(refused("Adam", params, {{"eps", -1}}), "ValueError: Invalid epsilon value: -1");
  EXPECT_EQ(refused("Adam", params, {{"momentum", 0.9}}),
            "TypeError: Adam.__init__() got an unexpected keyword argument 'momentum'");
  EXPECT_EQ(refused("Adagrad", params, {{"lr_decay", -1.0}}), "ValueError: Invalid lr_decay value: -1.0");
  EXPECT_EQ(refused("Adagrad", params, {{"initial_accumulator_value", -1}}),
            "ValueError: Invalid initial_accumulator_value value: -1");
  EXPECT_EQ(refused("Adadelta", params, {{"rho", 1.5}}), "ValueError: Invalid rho value: 1.5");
  EXPECT_EQ(refused("NAdam", params, {{"momentum_decay", -0.5}}), "ValueError: Invalid momentum_decay value: -0.5");
  EXPECT_EQ(refused("RMSprop", params, {{"alpha", -0.5}}), "ValueError: Invalid alpha value: -0.5");
  EXPECT_EQ(refused("Rprop", params, {{"etas", pair(0.5, 0.9)}}), "ValueError: Invalid eta values: 0.5, 0.9");
  EXPECT_EQ(refused("Adafactor", params, {{"d", 0.5}}), "ValueError: Clipping threshold d should be >= 1 but is: 0.5");
  EXPECT_EQ(refused("Muon", params),
            "ValueError: Muon only supports 2D parameters whereas we found a parameter with size: torch.Size([1])");
  EXPECT_EQ(refused("LBFGS", list({dict({{"params", params}}), dict({{"params", list({Value(parameter({1}))})}})})),
            "ValueError: LBFGS doesn't support per-parameter options (parameter groups)");
}

TEST_F(OptimizerObject, CapturableNeedsAnAccelerator) {
  const auto p = parameter({1});
  const auto optimizer = make("Adam", p, {{"capturable", true}});
  set_grad(p, {1});
  EXPECT_EQ(outcome(optimizer->step()).substr(0, 70),
            "AssertionError: If capturable=True, params and state_steps must be on ");
}

TEST_F(OptimizerObject, GroupsHaveTheirOwnOptions) {
  const auto p = parameter({1}), q = parameter({1});
  const auto optimizer =
      make("SGD", list({dict({{"params", list({Value(p)})}}), dict({{"params", list({Value(q)})}, {"lr", 0.01}})}),
           {{"lr", 0.1}});
  for (const auto& one : {p, q}) set_grad(one, {1});
  step(*optimizer);
  EXPECT_EQ(shown(*p, 4) + shown(*q, 4), "[0.9000][0.9900]");
  group(*optimizer).set(in.intern("lr"), Value(1.0));
  step(*optimizer);
  EXPECT_EQ(shown(*p, 4) + shown(*q, 4), "[-0.1000][0.9800]");
}

TEST_F(OptimizerObject, AddParamGroupChecksTheGroup) {
  const auto p = parameter({1}), q = parameter({1});
  const auto optimizer = make("SGD", p, {{"lr", 0.1}});
  ASSERT_TRUE(optimizer->add_param_group(dict({{"params", list({Value(q)})}, {"lr", 0.7}})).ok());
  EXPECT_EQ(repr(option(*optimizer, "lr", 0)) + " " + repr(option(*optimizer, "lr", 1)), "0.1 0.7");
  EXPECT_EQ(outcome(optimizer->add_param_group(dict({{"params", list({Value(q)})}}))),
            "ValueError: some parameters appear in more than one parameter group");
  EXPECT_EQ(outcome(optimizer->add_param_group(list({Value(q)}))),
            "TypeError: param_group must be a dict, but got <class 'list'>");
  const auto set = in.set();
  set->add(Value(parameter({1})));
  EXPECT_EQ(outcome(optimizer->add_param_group(dict({{"params", Value(set)}}))),
            "TypeError: optimizer parameters need to be organized in ordered collections, but the ordering of tensors "
            "in sets will change between runs. Please use a list instead.");
  EXPECT_EQ(outcome(optimizer->add_param_group(dict({{"params", list({3})}}))),
            "TypeError: optimizer can only optimize Tensors, but one of the params is int");
}

TEST_F(OptimizerObject, KeepsTheNamesOfNamedParameters) {
  const auto p = parameter({1}), q = parameter({1});
  const auto named = [this](std::string_view name, const Ref<Tensor>& param) {
    return Value(in.tuple({in.text(name), Value(param)}));
  };
  const auto optimizer = make("SGD", list({named("a", p), named("b", q)}));
  EXPECT_EQ(repr(option(*optimizer, "param_names")), "['a', 'b']");
  EXPECT_EQ(refused("SGD", list({named("a", p), Value(q)})),
            "ValueError: all optimizer params should be with/without names. Some param names are missing");
  EXPECT_EQ(outcome(optimizer->add_param_group(dict({{"params", list({Value(parameter({1}))})}}))),
            "ValueError: all optimizer param groups should be with/without names. cannot add param group without names "
            "to the optimizer");
}

TEST_F(OptimizerObject, StateDictNumbersTheParameters) {
  const auto p = parameter({1}), q = parameter({2});
  const auto optimizer = make("Adam", list({Value(p), Value(q)}), {{"lr", 0.1}});
  set_grad(q, {1});
  step(*optimizer);
  const Value saved = optimizer->state_dict().value();
  Dict& dict = *saved.as<Dict>();
  EXPECT_EQ(keys(dict), "state param_groups");
  EXPECT_EQ(keys(*dict.find("state")->as<Dict>()), "1");
  EXPECT_EQ(keys(*dict.find("param_groups")->as<List>()->items()[0].as<Dict>()),
            "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay "
            "params");
}

TEST_F(OptimizerObject, LoadingAStateContinuesTheRun) {
  for (const std::string_view name : {"SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "Adagrad",
                                      "Adadelta", "ASGD", "Adafactor"}) {
    Numbers ends[2];
    for (const bool splits : {false, true}) {
      // In float64 the numbers that NAdam and ASGD keep would go on with more digits than they had.
      const auto p = parameter({1, -2}, DType::Float32);
      auto optimizer = make(name, p, {{"lr", 0.1}});
      for (int i = 0; i < 6; ++i) {
        if (i == 3 && splits) {
          const Value saved = optimizer->state_dict().value();
          optimizer = make(name, p, {{"lr", 123.0}});
          ASSERT_TRUE(optimizer->load_state_dict(saved).ok());
        }
        set_square_grad(p);
        step(*optimizer);
      }
      ends[splits] = items(*p);
      EXPECT_EQ(option(*optimizer, "lr").as_float(), 0.1);
    }
    EXPECT_EQ(ends[0], ends[1]) << name;
  }
}

TEST_F(OptimizerObject, ALoadedStateTakesTheParametersDtypeButNotItsStep) {
  const auto p = parameter({1}, DType::Float32), q = parameter({1}, DType::BFloat16);
  const auto a = make("Adam", p), b = make("Adam", q);
  set_grad(p, {1});
  step(*a);
  ASSERT_TRUE(b->load_state_dict(a->state_dict().value()).ok());
  EXPECT_EQ(state(*b, q, "exp_avg").dtype(), DType::BFloat16);
  EXPECT_EQ(state(*b, q, "step").dtype(), DType::Float32);
}

TEST_F(OptimizerObject, OldStatesCountTheirStepsInNumbers) {
  const auto p = parameter({1});
  const auto optimizer = make("Adam", p);
  set_grad(p, {1});
  step(*optimizer);
  const Value saved = optimizer->state_dict().value();
  saved.as<Dict>()->find("state")->as<Dict>()->find(Value(0))->as<Dict>()->set(in.intern("step"), Value(7));
  ASSERT_TRUE(optimizer->load_state_dict(saved).ok());
  EXPECT_EQ(items(state(*optimizer, p, "step")), Numbers{7});
}

TEST_F(OptimizerObject, LoadStateDictComparesTheGroups) {
  const auto p = parameter({1}), q = parameter({1});
  const auto a = make("SGD", p);
  const auto b = make("SGD", list({Value(p), Value(q)}));
  const auto c = make("SGD", list({dict({{"params", list({Value(p)})}}), dict({{"params", list({Value(q)})}})}));
  EXPECT_EQ(outcome(a->load_state_dict(b->state_dict().value())),
            "ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's "
            "group");
  EXPECT_EQ(outcome(a->load_state_dict(c->state_dict().value())),
            "ValueError: loaded state dict has a different number of parameter groups");
  EXPECT_EQ(outcome(a->load_state_dict(dict({}))), "KeyError: 'param_groups'");
}

TEST_F(OptimizerObject, ZeroGradDropsOrClearsGradients) {
  const auto p = parameter({1});
  const auto optimizer = make("SGD", p);
  set_grad(p, {1});
  const Ref<Tensor> grad = p->grad();
  ASSERT_TRUE(optimizer->zero_grad(false).ok());
  EXPECT_EQ(p->grad(), grad);
  EXPECT_EQ(items(*grad), Numbers{0});
  ASSERT_TRUE(optimizer->zero_grad().ok());
  EXPECT_FALSE(p->grad());
}

TEST_F(OptimizerObject, StepReturnsWhatTheClosureReturns) {
  const auto p = parameter({2});
  const auto optimizer = make("SGD", p, {{"lr", 0.25}});
  const Value closure = function("closure()", [p](Interpreter& interpreter, Args) -> PyResult<Value> {
    EXPECT_TRUE(ops::OpLibrary::of(interpreter).grad_mode.is_enabled);
    const double value = tensor::read_double(*p, 0);
    p->set_grad(tensor::from_values(interpreter, {1}, Numbers{2 * value}, DType::Float64));
    return Value(value * value);
  });
  const ops::GradModeGuard no_grad(in, false);
  EXPECT_EQ(optimizer->step(closure).value().as_float(), 4.0);
  EXPECT_EQ(items(*p), Numbers{1});
  EXPECT_TRUE(optimizer->step().value().is_none());
}

TEST_F(OptimizerObject, HooksRunAroundTheStep) {
  const auto p = parameter({1});
  const auto optimizer = make("SGD", p, {{"lr", 1.0}});
  std::string log;
  const auto note = [&](const std::string& text) {
    return function("hook(*args)", [&log, text](Interpreter&, Args a) -> PyResult<Value> {
      log += text + std::to_string(a[0].as<object::Tuple>()->size()) + " ";
      return Value();
    });
  };
  const auto add = [&](std::string_view method, const Value& hook) {
    return in.call_method(Value(optimizer), in.intern(method), {hook}).value();
  };
  const Value handle = add("register_step_pre_hook", note("pre"));
  add("register_step_post_hook", note("post"));
  OptimLibrary::of(in).step_pre_hooks().set(Value(100), note("global"));
  set_grad(p, {1});
  step(*optimizer);
  EXPECT_EQ(log, "global3 pre3 post3 ");
  EXPECT_EQ(items(*p), Numbers{0});
  OptimLibrary::of(in).step_pre_hooks().clear();
  ASSERT_TRUE(in.call_method(handle, in.intern("remove")).ok());
  log.clear();
  step(*optimizer);
  EXPECT_EQ(log, "post3 ");
  // What a hook before the step returns must be new arguments.
  add("register_step_pre_hook",
      function("hook(*args)", [](Interpreter&, Args) -> PyResult<Value> { return Value(1); }));
  EXPECT_TRUE(
      outcome(optimizer->step()).ends_with("must return None or a tuple of (new_args, new_kwargs), but got 1."));
}

TEST_F(OptimizerObject, StateDictHooksMayReplaceIt) {
  const auto p = parameter({1});
  const auto optimizer = make("SGD", p);
  const auto add = [&](std::string_view method, const Value& hook) {
    ASSERT_TRUE(in.call_method(Value(optimizer), in.intern(method), {hook}).ok());
  };
  add("register_state_dict_post_hook",
      function("hook(opt, state_dict)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
        a[1].as<Dict>()->set(interpreter.intern("extra"), Value(1));
        return Value();
      }));
  const Value saved = optimizer->state_dict().value();
  EXPECT_EQ(keys(*saved.as<Dict>()), "state param_groups extra");
  add("register_load_state_dict_pre_hook",
      function("hook(opt, state_dict)", [saved](Interpreter&, Args) -> PyResult<Value> { return saved; }));
  EXPECT_EQ(outcome(optimizer->load_state_dict(dict({}))), "ok");
}

TEST_F(OptimizerObject, AClassOfAProgramGetsItsHooksToo) {
  // class Plain(Optimizer) with a step of its own.
  OptimLibrary& library = OptimLibrary::of(in);
  const Ref<Class> plain = Class::make(in, {.name = "Plain", .bases = {library.optimizer}}).value();
  plain->def("__init__(self, params, lr=0.1)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const Ref<Dict> defaults = interpreter.dict();
    defaults->set(interpreter.intern("lr"), a[2]);
    NNS_TRY(init_optimizer(self_of(a), a[1], defaults));
    return Value();
  });
  plain->def("step(self, closure=None)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    // self.state[p]["count"] = self.state[p].get("count", 0) + 1
    NNS_TRY_ASSIGN(List* const groups, self_of(a).param_groups());
    NNS_TRY_ASSIGN(List* const params, params_of(interpreter, *groups->items()[0].as<Dict>()));
    NNS_TRY_ASSIGN(Dict* const state, self_of(a).state());
    NNS_TRY_ASSIGN(const Value own, object::getitem(interpreter, Value(state), params->items()[0]));
    Dict& counts = *own.as<Dict>();
    const Value* before = counts.find("count");
    counts.set(interpreter.intern("count"), Value((before == nullptr ? 0 : before->as_int()) + 1));
    return Value();
  });
  const auto p = parameter({1});
  const Value params = list({Value(p)});
  const Value made = in.call(Value(static_cast<object::Object*>(plain.get())), {params}).value();
  auto& optimizer = static_cast<Optimizer&>(*made.object());
  int hooks = 0;
  ASSERT_TRUE(in.call_method(made, in.intern("register_step_post_hook"),
                             {function("hook(*args)",
                                       [&hooks](Interpreter&, Args) -> PyResult<Value> {
                                         ++hooks;
                                         return Value();
                                       })})
                  .ok());
  step(optimizer);
  step(optimizer);
  EXPECT_EQ(repr(Value(&state(optimizer, p))), "{'count': 2}");
  EXPECT_EQ(hooks, 2);
  EXPECT_EQ(repr(made), "Plain (\nParameter Group 0\n    lr: 0.1\n)");
}

TEST_F(OptimizerObject, ADeepCopyStepsItsOwnParameters) {
  const auto p = parameter({1});
  const auto optimizer = make("SGD", p, {{"lr", 0.5}, {"momentum", 0.9}});
  set_grad(p, {1});
  step(*optimizer);
  const Value copy = object::deep_copy(in, Value(optimizer)).value();
  auto& other = static_cast<Optimizer&>(*copy.object());
  Tensor& q = *option(other, "params").as<List>()->items()[0].as<Tensor>();
  ASSERT_NE(&q, p.get());
  q.set_grad(tensor::from_values(in, {1}, Numbers{1}, DType::Float64));
  step(other);
  EXPECT_EQ(items(*p), Numbers{0.5});
  EXPECT_EQ(items(q), Numbers{0.5 - 0.5 * 1.9});
}

TEST_F(OptimizerObject, DiesWithItsStateHeldElsewhere) {
  const auto p = parameter({1});
  Value kept;
  {
    const auto optimizer = make("Adam", p);
    set_grad(p, {1});
    step(*optimizer);
    kept = Value(&state(*optimizer, p));
  }
  // The dict outlives the optimiser that watched it.
  kept.as<Dict>()->set(in.intern("step"), Value(1));
  EXPECT_EQ(kept.as<Dict>()->size(), 3U);
}

}  // namespace
}  // namespace nns::optim::tests
