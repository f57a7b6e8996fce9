#include "core/capture/exported_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/capture/graph_code.h"
#include "core/capture/json.h"
#include "core/capture/schema_texts.h"
#include "core/capture/texts.h"
#include "core/checkpoint/pt2_schema.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::capture {
namespace {

constexpr std::size_t kMostDepth = 64;
constexpr std::size_t kMostInners = 10'000;
constexpr std::size_t kMostStack = 256;  // modules around one node

}  // namespace

struct ExportedProgramReader::State {
  ReadLimits limits;
  std::shared_ptr<base::ByteSource> package;
  std::unique_ptr<checkpoint::ZipArchive> archive;
  std::uint32_t member = 0;
  bool is_text = false;
  Capture capture;
  FileTable files;
  std::uint64_t bytes_done = 0;
  std::size_t nodes_made = 0;

  // The program that is read.
  std::string where;
  std::string json;
  simdjson::dom::parser parser;
  std::optional<Json> program;
  std::map<std::string, std::string, std::less<>> sources;  ///< of placeholders, from the signature
  /// An input or output; facts begin with what a caller gives and gets.
  struct Row {
    enum Kind : std::uint8_t { UserInput, Output, OtherInput };
    Kind kind;
    std::string name;
    std::string text;
  };
  std::vector<Row> signature_rows;
  std::vector<std::string> input_names;                     ///< in order, likewise
  std::map<std::string, std::string, std::less<>> classes;  ///< of modules, by their paths
  std::vector<std::string> module_order;
  /// Graphs that wait; inner ones come behind the graph that names them.
  struct Waiting {
    Json graph;
    std::string stage;
    std::size_t depth;
  };
  std::deque<Waiting> graphs;

  // The graph that is read.
  std::optional<Waiting> now;
  Graph graph;
  simdjson::dom::array nodes;
  simdjson::dom::array::iterator at;
  std::unordered_map<std::string_view, std::string> examples;
  std::unordered_map<std::string, std::uint32_t> numbers;  ///< of nodes, by name
  std::unordered_map<std::string, std::size_t> suffixes;   ///< of names that were made, the last of each base
  std::unordered_map<std::string, std::uint32_t> stacks;   ///< by what the file says of them

  base::Error error(std::string found, std::string expected) const {
    return base::Error{.found = std::move(found), .expected = std::move(expected), .where = where, .offset = {}};
  }

  /// The next program of the package into `json`; false: there is none.
  base::Result<bool> next_member() {
    const auto members = archive->members();
    for (; member < members.size(); ++member) {
      const std::string_view whole = members[member].name;
      const std::string_view inside = whole.substr(whole.find('/') == std::string_view::npos ? 0 : whole.find('/') + 1);
      const std::string_view name = checkpoint::is_pt2_program(inside) ? inside : whole;
      if (!checkpoint::is_pt2_program(name)) continue;
      where = fmt::format("{}!{}", package->name(), whole);
      NNS_TRY_ASSIGN(const checkpoint::ZipBytes bytes, archive->read(member, checkpoint::kMaxPt2Json));
      json.assign(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size());
      ++member;
      NNS_TRY(begin_program(checkpoint::pt2_program_name(name)));
      if (!bytes.crc_matches) capture.notes.push_back(fmt::format("{}: its checksum does not match", where));
      return true;
    }
    return false;
  }

  base::Result<void> begin_program(std::string_view name) {
    simdjson::dom::element whole;
    const auto parsed = parser.parse(json).get(whole);
    if (parsed != simdjson::SUCCESS) {
      return error(fmt::format("a program that is no JSON: {}", simdjson::error_message(parsed)), "JSON");
    }
    program = Json{whole};
    const auto module = program->at("graph_module");
    const auto first = module ? module->at("graph") : std::nullopt;
    if (!first) return error("a program without a graph", R"({"graph_module": {"graph": ...}})");
    Frame& frame = capture.frames.emplace_back();
    frame.name = name.empty() || name == "model" ? "exported program" : cut(name);
    frame.outcome = "exported";
    add_facts(frame);
    if (const auto signature = module->at("signature")) add_signature(*signature);
    graphs.push_back({*first, "exported_program", 0});
    return {};
  }

  void add_facts(Frame& frame) const {
    const auto fact = [&](std::string_view name, std::string_view text) {
      if (!text.empty()) frame.facts.emplace_back(name, cut(text));
    };
    fact("torch", program->text("torch_version"));
    if (const auto version = program->at("schema_version")) {
      fact("schema", version->at("major") ? fmt::format("{}.{}", version->number("major"), version->number("minor"))
                                          : simdjson::minify(version->value));
    }
    program->each_field("opset_version", [&](std::string_view set, const Json& number) {
      fact(fmt::format("opset {}", set), simdjson::minify(number.value));
    });
    std::string dialects = std::string(program->text("dialect"));
    program->each_item("verifiers", [&](const Json& one) { dialects = joined(std::move(dialects), one.text()); });
    fact("dialect", dialects);
    const auto guard = [&](std::string_view kind, std::string_view of, std::string_view text) {
      if (frame.guards.size() >= limits.guards) {
        ++frame.guards_left_out;
      } else {
        frame.guards.push_back({std::string(kind), cut(of), {}, cut(text), {}});
      }
    };
    // As ExportedProgram prints its range constraints.
    program->each_field("range_constraints", [&](std::string_view symbol, const Json& range) {
      const auto end = [&](std::string_view key, std::string_view open) {
        const auto bound = range.at(key);
        return bound ? simdjson::minify(bound->value) : std::string(open);
      };
      guard("RANGE_CONSTRAINT", symbol, fmt::format("VR[{}, {}]", end("min_val", "-int_oo"), end("max_val", "int_oo")));
    });
    program->each_item("guards_code", [&](const Json& code) { guard("SHAPE_ENV", {}, code.text()); });
  }

  /// The name that an argument is known by in the graph.
  static std::string_view name_of(const Json& argument) {
    std::string_view name = argument.text("name");
    argument.each_field([&](std::string_view, const Json& inner) {
      if (name.empty()) name = inner.text("name");
      if (name.empty()) name = inner.text("as_name");
    });
    return name;
  }

  void add_signature(const Json& signature) {
    // {"parameter": {"arg": {"name": …}, "parameter_name": …}}; a user's input: {"arg": {"as_tensor": {"name": …}}}.
    const auto target_of = [](std::string_view kind, const Json& spec) {
      std::string target;
      spec.each_field([&](std::string_view key, const Json& value) {
        if (key.ends_with("_name")) target = cut(value.text());
      });
      std::string words(kind);
      std::replace(words.begin(), words.end(), '_', ' ');
      if (!target.empty()) words.append(" ").append(target);
      return words;
    };
    signature.each_item("input_specs", [&](const Json& one) {
      one.each_field([&](std::string_view kind, const Json& spec) {
        const auto argument = spec.at("arg");
        const std::string name(argument ? name_of(*argument) : spec.text("name"));
        std::string source = target_of(kind, spec);
        if (kind == "buffer" && spec.at("persistent") && simdjson::minify(spec.at("persistent")->value) == "false") {
          source += " (not persistent)";
        }
        if (kind == "constant_input") {
          source = "constant";
          if (const auto value = spec.at("value")) source.append(" ").append(argument_text(*value, 0));
        }
        if (!name.empty()) sources.insert_or_assign(name, source);
        input_names.push_back(name);
        signature_rows.push_back({kind == "user_input" ? Row::UserInput : Row::OtherInput, name, std::move(source)});
      });
    });
    signature.each_item("output_specs", [&](const Json& one) {
      one.each_field([&](std::string_view kind, const Json& spec) {
        const auto argument = spec.at("arg");
        const std::string name = argument ? argument_text(*argument, 0) : std::string();
        signature_rows.push_back({Row::Output, name.empty() ? "?" : name, target_of(kind, spec)});
      });
    });
    // Schemas of before 2024 told tables instead.
    const auto add_table = [&](std::string_view key, std::string_view kind) {
      signature.each_field(key, [&](std::string_view name, const Json& target) {
        std::string source = fmt::format("{} {}", kind, cut(target.text()));
        sources.insert_or_assign(std::string(name), source);
        signature_rows.push_back({Row::OtherInput, std::string(name), std::move(source)});
      });
    };
    add_table("inputs_to_parameters", "parameter");
    add_table("inputs_to_buffers", "buffer");
  }

  void begin_graph() {
    now = std::move(graphs.front());
    graphs.pop_front();
    graph = {};
    graph.stage = now->stage;
    examples.clear();
    numbers.clear();
    suffixes.clear();
    stacks.clear();
    for (const char* const key : {"tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values"}) {
      const bool is_tensor = std::string_view(key) == "tensor_values";
      now->graph.each_field(key, [&](std::string_view name, const Json& value) {
        // Schemas of before 2024 have the meta one level deeper.
        const auto inner = value.at("meta");
        examples.insert_or_assign(
            name, is_tensor ? tensor_text(inner ? *inner : value) : fmt::format("Sym({})", number_text(value)));
      });
    }
    std::size_t input = 0;
    now->graph.each_item("inputs", [&](const Json& argument) {
      // Of a constant only the signature knows the name.
      std::string name(name_of(argument));
      if (name.empty() && now->depth == 0 && input < input_names.size()) name = input_names[input];
      ++input;
      Node* const node = add(Op::Placeholder, name.empty() ? argument_text(argument, 0) : std::move(name));
      if (node == nullptr) return;
      node->target = node->name;
      if (const auto source = sources.find(node->name); now->depth == 0 && source != sources.end()) {
        node->arguments = source->second;
      }
    });
    simdjson::dom::element list;
    has_nodes = now->graph.value["nodes"].get(list) == simdjson::SUCCESS && list.get(nodes) == simdjson::SUCCESS;
    if (has_nodes) at = nodes.begin();
  }
  bool has_nodes = false;

  Node* add(Op op, std::string name) {
    if (graph.nodes.size() >= kMostNodes || nodes_made >= limits.nodes) {
      ++graph.left_out;
      return nullptr;
    }
    ++nodes_made;
    Node& node = graph.nodes.emplace_back();
    node.op = op;
    node.name = std::move(name);
    if (const auto example = examples.find(node.name); example != examples.end()) node.example = example->second;
    numbers.insert_or_assign(node.name, static_cast<std::uint32_t>(graph.nodes.size() - 1));
    return &node;
  }

  /// An argument as a call is written; each node that it names goes to `inputs`, each graph among those that wait.
  std::string argument_text(const Json& argument, std::size_t depth, std::vector<std::uint32_t>* inputs = nullptr) {
    if (depth > kMostDepth) return "\xE2\x80\xA6";
    const auto name_text = [&](std::string_view name) {
      if (const auto found = numbers.find(std::string(name)); inputs != nullptr && found != numbers.end()) {
        if (std::find(inputs->begin(), inputs->end(), found->second) == inputs->end()) {
          inputs->push_back(found->second);
        }
      }
      return std::string(name);
    };
    if (argument.value.is_string()) return fmt::format("'{}'", cut(argument.text()));
    if (argument.value.is_bool()) return argument.value.get_bool().value_unsafe() ? "True" : "False";
    if (argument.value.is_null()) return "None";
    if (argument.value.is_array()) {
      std::string items;
      argument.each_item(
          [&](const Json& item) { items = joined(std::move(items), argument_text(item, depth + 1, inputs)); });
      return fmt::format("[{}]", items);
    }
    if (!argument.value.is_object()) return plain_text(argument);
    std::string text;
    bool is_first = true;
    argument.each_field([&](std::string_view key, const Json& value) {
      if (!std::exchange(is_first, false)) return;
      if (key == "as_none") {
        text = "None";
      } else if (key == "name" || key == "as_name") {
        text = name_text(value.text());
      } else if (key == "as_expr") {
        text = cut(value.text("expr_str"));
      } else if (auto plain = constant_text(key, value)) {
        text = std::move(*plain);
      } else if (key == "as_graph") {
        text = add_inner(value, inputs);
      } else if (key == "as_operator") {
        text = cut(value.text());
      } else {
        text = argument_text(value, depth + 1, inputs);
      }
    });
    return text;
  }

  /// A graph that a node takes: a get_attr node gives it.
  std::string add_inner(const Json& value, std::vector<std::uint32_t>* inputs) {
    const std::string name = cut(value.text("name"));
    const auto inner = value.at("graph");
    // A signature, which is read before any graph, has none.
    if (!inner || !now || now->depth >= kMostDepth || graphs.size() >= kMostInners) return name;
    graphs.push_back({*inner, inner_stage(now->stage, name), now->depth + 1});
    if (Node* const node = add(Op::GetAttr, name)) {
      node->target = name;
      if (inputs != nullptr) inputs->push_back(static_cast<std::uint32_t>(graph.nodes.size() - 1));
    }
    return name;
  }

  void add_node(const Json& told) {
    std::vector<std::uint32_t> inputs;
    std::string arguments;
    told.each_item("inputs", [&](const Json& input) {
      const auto argument = input.at("arg");
      if (!argument) return;
      constexpr std::int64_t kKeyword = 2;
      std::string text = argument_text(*argument, 0, &inputs);
      if (input.number("kind") == kKeyword) text = fmt::format("{} = {}", input.text("name"), text);
      arguments = joined(std::move(arguments), text);
    });
    std::vector<std::string> outputs;
    bool is_list = false;
    told.each_item("outputs", [&](const Json& output) {
      output.each_field([&](std::string_view key, const Json& value) {
        if (key != "as_tensors" && key != "as_sym_ints") return outputs.push_back(std::string(name_of(output)));
        is_list = true;
        value.each_item([&](const Json& item) { outputs.emplace_back(name_of(item)); });
      });
    });
    const std::string_view target = told.text("target");
    const bool is_one = outputs.size() == 1 && !is_list;
    std::string name = is_one ? outputs[0] : cut(told.text("name"));
    if (name.empty()) name = name_from(target);
    const std::string whole = name;
    Node* const node = add(Op::CallFunction, std::move(name));
    if (node != nullptr) {
      node->target = cut(target);
      node->arguments = std::move(arguments);
      node->inputs = std::move(inputs);
      std::sort(node->inputs.begin(), node->inputs.end());
      if (const auto metadata = told.at("metadata")) add_metadata(*node, *metadata);
    }
    if (is_one) return;
    // What torch.export.load makes of it: an item of the result for each.
    const std::uint32_t number = static_cast<std::uint32_t>(graph.nodes.size() - 1);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].empty()) continue;
      Node* const item = add(Op::CallFunction, std::move(outputs[i]));
      if (item == nullptr || node == nullptr) continue;
      item->target = "operator.getitem";
      item->arguments = fmt::format("{}, {}", whole, i);
      item->inputs = {number};
      const Node& from = graph.nodes[number];
      item->place = from.place;
      item->code = from.code;
      item->stack = from.stack;
    }
  }

  /// "torch.ops.aten.split.Tensor" gives "split".
  std::string name_from(std::string_view target) {
    const std::string_view path = target.substr(0, target.rfind('.'));
    std::string base = cut(path.substr(path.rfind('.') + 1));
    if (base.empty()) base = "call";
    std::string name = base;
    for (std::size_t& next = suffixes[base]; numbers.contains(name);) name = fmt::format("{}_{}", base, ++next);
    return name;
  }

  void add_metadata(Node& node, const Json& metadata) {
    const std::vector<TracebackLine> lines = read_traceback(metadata.text("stack_trace"));
    if (!lines.empty()) {
      // The program's own line where it is known which files are the library's; else the innermost.
      const auto program_line = std::find_if(lines.rbegin(), lines.rend(), [](const TracebackLine& line) {
        return line.file.find("/torch/") == std::string_view::npos;
      });
      const TracebackLine& line = program_line == lines.rend() ? lines.back() : *program_line;
      node.place = {files.number(cut(line.file)), line.line};
      node.code = cut(line.code);
      files.add_line(node.place, node.code);
    }
    node.stack = stack_of(metadata.text("nn_module_stack"));
  }

  /// "key,path,class;key,path,class": the modules around a node, the outermost first.
  std::uint32_t stack_of(std::string_view told) {
    if (told.empty()) return kNone;
    std::uint32_t parent = kNone;
    std::size_t end = 0;
    for (std::size_t depth = 0; end < told.size() && depth < kMostStack; ++depth) {
      const std::size_t begin = end == 0 ? 0 : end + 1;
      end = std::min(told.find(';', begin), told.size());
      const std::string_view one = told.substr(begin, end - begin);
      const std::size_t first = one.find(','), last = one.rfind(',');
      if (first == std::string_view::npos || first == last) continue;
      const auto [known, is_new] =
          stacks.emplace(std::string(told.substr(0, end)), static_cast<std::uint32_t>(graph.stacks.size()));
      if (is_new) {
        const std::string path = cut(one.substr(first + 1, last - first - 1));
        const std::string class_name = cut(one.substr(last + 1));
        graph.stacks.push_back({parent, path, class_name});
        if (classes.emplace(path, class_name).second) module_order.push_back(path);
      }
      parent = known->second;
    }
    return parent;
  }

  void end_graph() {
    std::vector<std::uint32_t> inputs;
    std::string arguments;
    now->graph.each_item("outputs", [&](const Json& argument) {
      arguments = joined(std::move(arguments), argument_text(argument, 0, &inputs));
    });
    if (Node* const node = add(Op::Output, "output")) {
      node->target = "output";
      node->arguments = std::move(arguments);
      node->inputs = std::move(inputs);
      std::sort(node->inputs.begin(), node->inputs.end());
    }
    if (now->depth == 0) end_signature();
    capture.frames.back().graphs.push_back(std::move(graph));
    now.reset();
  }

  /// Once shapes are known.
  void end_signature() {
    std::stable_sort(signature_rows.begin(), signature_rows.end(),
                     [](const Row& a, const Row& b) { return a.kind < b.kind; });
    for (Row& row : signature_rows) {
      const auto example = examples.find(row.name);
      if (example != examples.end()) row.text.append(", ").append(example->second);
      capture.frames.back().facts.emplace_back(
          fmt::format("{} {}", row.kind == Row::Output ? "output" : "input", cut(row.name)), std::move(row.text));
    }
    signature_rows.clear();
  }

  void end_program() {
    Frame& frame = capture.frames.back();
    std::map<std::string, std::size_t> counts;
    for (const Graph& one : frame.graphs) {
      for (const Node& node : one.nodes) {
        if (node.stack != kNone) ++counts[one.stacks[node.stack].name];
      }
    }
    for (const std::string& path : module_order) {
      const std::size_t count = counts[path];
      frame.modules.push_back({.variable = fmt::format("{} node{}", count, count == 1 ? "" : "s"),
                               .of = path.empty() ? "L['self']" : path,
                               .source = path,
                               .class_name = classes[path]});
    }
    bytes_done += json.size();
    program.reset();
    sources.clear();
    input_names.clear();
    classes.clear();
    module_order.clear();
  }

  base::Result<bool> step(const base::Budget& budget) {
    if (archive == nullptr && !is_text) {
      where = package->name();
      NNS_TRY_ASSIGN(archive, checkpoint::ZipArchive::open(package));
    }
    while (true) {
      if (!program) {
        if (is_text && capture.frames.empty()) {
          NNS_TRY(begin_program(text_name));
        } else if (is_text) {
          return true;
        } else {
          NNS_TRY_ASSIGN(const bool has_more, next_member());
          if (!has_more) break;
        }
      } else if (now) {
        while (has_nodes && at != nodes.end()) {
          add_node(Json{*at});
          ++at;
          if (budget.spent()) return false;
        }
        end_graph();
      } else if (!graphs.empty()) {
        begin_graph();
      } else {
        end_program();
      }
      if (budget.spent()) return false;
    }
    if (capture.frames.empty()) {
      where = package->name();
      return error("a package without a program of torch.export", "a member models/*.json");
    }
    return true;
  }
  std::string text_name;
};

ExportedProgramReader::ExportedProgramReader(std::shared_ptr<base::ByteSource> package, ReadLimits limits)
    : state_(std::make_unique<State>()) {
  state_->limits = limits;
  state_->package = std::move(package);
}

ExportedProgramReader::ExportedProgramReader(std::string json, std::string_view name, std::string where,
                                             ReadLimits limits)
    : state_(std::make_unique<State>()) {
  state_->limits = limits;
  state_->is_text = true;
  state_->json = std::move(json);
  state_->text_name = name;
  state_->where = std::move(where);
}

ExportedProgramReader::~ExportedProgramReader() = default;

base::Result<bool> ExportedProgramReader::step(const base::Budget& budget) { return state_->step(budget); }

Capture ExportedProgramReader::take() {
  state_->capture.files = state_->files.take();
  return std::move(state_->capture);
}

std::uint64_t ExportedProgramReader::done() const { return state_->is_text ? state_->bytes_done : state_->member; }

std::uint64_t ExportedProgramReader::total() const {
  if (state_->is_text) return state_->json.size();
  return state_->archive == nullptr ? 0 : state_->archive->members().size();
}

}  // namespace nns::capture
