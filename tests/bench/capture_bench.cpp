// Files that tell of compilers: a program of torch.export beside a bare walk over its JSON.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <stdexcept>
#include <string>

#include "core/capture/exported_program.h"

namespace nns::bench {
namespace {

constexpr int kCalls = 100'000;

/// A program of that many calls, 64 of them in each module, as torch.export writes it.
std::string large_program() {
  const std::string meta =
      R"({"dtype": 7, "sizes": [{"as_int": 8}, {"as_int": 16}], "requires_grad": false, "device": {"type": "cpu", "index": null}, "strides": [{"as_int": 16}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7})";
  const auto tensor = [](std::string_view name) { return fmt::format(R"({{"as_tensor": {{"name": "{}"}}}})", name); };
  std::string nodes, values = R"("x": )" + meta;
  for (int i = 0; i < kCalls; ++i) {
    const std::string input = i == 0 ? "x" : fmt::format("relu_{}", i - 1);
    if (i > 0) nodes += ", ";
    nodes += R"({"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "kind": 1, "arg": )";
    nodes += tensor(input) + R"(}], "outputs": [)" + tensor(fmt::format("relu_{}", i)) + R"(], "metadata": {)";
    nodes += fmt::format(R"("stack_trace": "File \"/a/net.py\", line {}, in forward\n    y = x.relu", )", i % 500 + 1);
    nodes += fmt::format(R"("nn_module_stack": "L__self__,,net.Net;L__self__b,blocks.{},net.Block"}}}})", i / 64);
    values += fmt::format(R"(, "relu_{}": {})", i, meta);
  }
  return R"({"graph_module": {"graph": {"inputs": [)" + tensor("x") + R"(], "outputs": [)" +
         tensor(fmt::format("relu_{}", kCalls - 1)) + R"(], "nodes": [)" + nodes + R"(], "tensor_values": {)" + values +
         R"(}}, "signature": {"input_specs": [], "output_specs": []}}, "schema_version": {"major": 8, "minor": 14}})";
}

void read_exported_program(benchmark::State& state) {
  const std::string text = large_program();
  for (auto _ : state) {
    capture::ExportedProgramReader reader(text, "model", "model.json");
    if (!reader.step(base::Budget::unlimited()).ok()) throw std::runtime_error("it is not read");
    benchmark::DoNotOptimize(reader.take());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(read_exported_program)->Name("capture/exported_program/100000")->Unit(benchmark::kMillisecond);

void walk_json(benchmark::State& state) {
  const std::string text = large_program();
  simdjson::dom::parser parser;
  for (auto _ : state) {
    simdjson::dom::element whole;
    if (parser.parse(text).get(whole) != simdjson::SUCCESS) throw std::runtime_error("it is no JSON");
    benchmark::DoNotOptimize(whole);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(walk_json)->Name("limit/exported_program_json/100000")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns::bench
