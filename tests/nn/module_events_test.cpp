#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "core/nn/layers.h"
#include "core/nn/module.h"

namespace nns::nn {
namespace {

class Recorder final : public events::Observer {
 public:
  void on_event(const events::Event& event) override {
    std::visit([this](const auto& one) { lines.push_back(line(one)); }, event);
  }
  std::vector<std::string> lines;

 private:
  static std::string line(const events::AttributeSet& e) {
    return fmt::format("set {}.{} {}", e.subject.class_name, e.name, e.value_class);
  }
  static std::string line(const events::AttributeDeleted& e) { return fmt::format("del {}", e.name); }
  static std::string line(const events::RegistryChanged& e) {
    constexpr std::array<std::string_view, 3> kChanges = {"added", "replaced", "removed"};
    return fmt::format("{} {} {}", e.registry, e.name, kChanges[static_cast<std::size_t>(e.change)]);
  }
  static std::string line(const events::HookRegistered& e) { return fmt::format("hook {} {}", e.table, e.hook_id); }
  static std::string line(const events::HookRemoved& e) { return fmt::format("unhook {} {}", e.table, e.hook_id); }
  static std::string line(const events::HookFired& e) { return fmt::format("fire {} {}", e.table, e.hook_id); }
  static std::string line(const events::CallEntered& e) { return fmt::format("enter {}", e.subject.class_name); }
  static std::string line(const events::CallLeft& e) {
    return fmt::format("leave {} {}", e.subject.class_name, e.raised);
  }
};

TEST(ModuleEvents, AnObserverSeesRegistrationHooksAndCalls) {
  Interpreter in;
  const Ref<Module> net = make_layer(in, "Sequential", {Value(make_layer(in, "Identity").value())}).value();
  Recorder recorder;
  in.events().observe(&recorder);
  const auto weight = tensor::make_parameter(in, *tensor::ones(in, {1})).value();
  ASSERT_TRUE(net->setattr("w", Value(weight)).ok());
  ASSERT_TRUE(net->delattr("w").ok());
  const auto hook = in.function("h(m, a)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  const auto handle = net->register_forward_pre_hook(Value(hook)).value();
  ASSERT_TRUE((*net)({Value(3)}).ok());
  handle->remove();
  in.events().observe(nullptr);
  EXPECT_EQ(recorder.lines,
            (std::vector<std::string>{"_parameters w added", "set Sequential.w Parameter", "_parameters w removed",
                                      "del w", "hook _forward_pre_hooks 0", "enter Sequential",
                                      "fire _forward_pre_hooks 0", "enter Identity", "leave Identity false",
                                      "leave Sequential false", "unhook _forward_pre_hooks 0"}));
}

TEST(ModuleEvents, EveryWayIntoARegistryAndOutOfItIsToldOnce) {
  Interpreter in;
  const Ref<Module> net = Module::make(in);
  const Value child(make_layer(in, "Identity").value());
  const auto weight = tensor::make_parameter(in, *tensor::ones(in, {1})).value();
  Recorder recorder;
  in.events().observe(&recorder);
  ASSERT_TRUE(net->setattr("a", child).ok());
  ASSERT_TRUE(net->setattr("a", Value()).ok());
  ASSERT_TRUE(net->setattr("a", Value(weight)).ok());
  ASSERT_TRUE(net->setattr("b", child).ok());
  net->init();
  in.events().observe(nullptr);
  EXPECT_EQ(recorder.lines,
            (std::vector<std::string>{"_modules a added", "set Module.a Identity", "_modules a replaced",
                                      "set Module.a NoneType", "_modules a removed", "_parameters a added",
                                      "set Module.a Parameter", "_modules b added", "set Module.b Identity",
                                      "_parameters a removed", "_modules b removed"}));
}

}  // namespace
}  // namespace nns::nn
