#include "native/cli/simulate_report.h"

#include <fmt/format.h>

#include "native/cli/json_writer.h"
#include "native/cli/table.h"
#include "ui/model/format.h"

namespace nns::cli {

namespace {

using parallel::StepPrediction;

std::string time_text(double seconds) {
  if (seconds <= 0) return "0";
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }

double bytes_of(const parallel::MeasuredStep& step) {
  double bytes = 0;
  for (const parallel::MeasuredStep::Unit& one : step.units) bytes += one.bytes;
  return bytes;
}

bool is_data_parallel(const Simulated& simulated) {
  return simulated.options.strategy == parallel::Strategy::DataParallel;
}

void number(JsonWriter& json, std::string_view key, double value) {
  json.key(key);
  json.number(value);
}

void text(JsonWriter& json, std::string_view key, std::string_view value) {
  json.key(key);
  json.text(value);
}

void write_measured(JsonWriter& json, const Simulated& simulated) {
  const parallel::MeasuredStep& step = simulated.measured;
  json.key("measured");
  json.begin_object();
  json.key("steps");
  json.number(simulated.steps);
  number(json, "forward", step.forward);
  number(json, "backward", step.backward);
  number(json, "other", step.other);
  json.key("units");
  json.begin_list(true);
  for (const parallel::MeasuredStep::Unit& one : step.units) {
    json.begin_object();
    text(json, "name", one.name);
    number(json, "forward", one.forward);
    number(json, "backward", one.backward);
    number(json, "bytes", one.bytes);
    json.end_object();
  }
  json.end_list();
  json.key("gradients");
  json.begin_list(true);
  for (const parallel::MeasuredStep::Gradient& one : step.gradients) {
    json.begin_object();
    text(json, "name", one.name);
    number(json, "bytes", one.bytes);
    number(json, "ready", one.ready);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

void write_options(JsonWriter& json, const parallel::SimulationOptions& options) {
  json.key("network");
  json.begin_object();
  number(json, "latency", options.network.latency);
  number(json, "bandwidth", options.network.bandwidth);
  number(json, "intra_latency", options.network.intra_latency);
  number(json, "intra_bandwidth", options.network.intra_bandwidth);
  json.key("ranks_per_node");
  json.number(options.network.ranks_per_node);
  text(json, "algorithm", parallel::name_of(options.network.algorithm));
  json.end_object();
  number(json, "speedup", options.speedup);
  number(json, "jitter", options.jitter);
}

void write_prediction(JsonWriter& json, const StepPrediction& one, double alone) {
  json.begin_object();
  json.key("ranks");
  json.number(one.ranks);
  number(json, "step", one.step);
  number(json, "compute", one.compute);
  number(json, "communication", one.communication);
  number(json, "exposed", one.exposed);
  number(json, "efficiency", one.efficiency(alone));
  json.key("transfers");
  json.begin_list();
  for (const StepPrediction::Transfer& transfer : one.transfers) {
    json.begin_object();
    text(json, "what", transfer.what);
    number(json, "bytes", transfer.bytes);
    number(json, "ready", transfer.ready);
    number(json, "begin", transfer.begin);
    number(json, "end", transfer.end);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

}  // namespace

void print_simulation(std::FILE* out, const Simulated& simulated, const Terminal& terminal) {
  const parallel::MeasuredStep& step = simulated.measured;
  fmt::print(out, "{}: a step of one rank takes {} (forward {}, backward {}, the rest {}; median of {})\n",
             printable(simulated.name), time_text(step.total()), time_text(step.forward), time_text(step.backward),
             time_text(step.other), simulated.steps);
  fmt::print(out, "{} of parameters in {} units; {}, each rank with as much data as one\n\n",
             model::short_bytes(static_cast<std::uint64_t>(bytes_of(step))), step.units.size(),
             is_data_parallel(simulated) ? "DistributedDataParallel" : "fully_shard");
  Table table({{"ranks", true},
               {"step", true},
               {"compute", true},
               {"network", true},
               {"exposed", true},
               {"hidden", true},
               {"efficiency", true},
               {"as so many ranks", true}});
  for (const StepPrediction& one : simulated.predictions) {
    const double efficiency = one.efficiency(simulated.alone.step);
    table.add({{model::thousands(static_cast<std::uint64_t>(one.ranks))},
               {time_text(one.step)},
               {time_text(one.compute)},
               {time_text(one.communication)},
               {time_text(one.exposed)},
               {one.communication > 0 ? percent(one.hidden_share()) : std::string()},
               {percent(efficiency)},
               {fmt::format("{:.4g}", efficiency * static_cast<double>(one.ranks))}});
  }
  table.print(out, terminal);
}

void write_simulation(std::FILE* out, const Simulated& simulated) {
  JsonWriter json(out);
  json.begin_object();
  text(json, "name", simulated.name);
  text(json, "strategy", is_data_parallel(simulated) ? "ddp" : "fully-shard");
  write_measured(json, simulated);
  write_options(json, simulated.options);
  json.key("predictions");
  json.begin_list(true);
  for (const StepPrediction& one : simulated.predictions) write_prediction(json, one, simulated.alone.step);
  json.end_list();
  json.end_object();
  json.newline();
}

}  // namespace nns::cli
