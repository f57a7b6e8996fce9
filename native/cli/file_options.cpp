#include "native/cli/file_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <charconv>
#include <string>
#include <string_view>

#include "native/cli/convert_command.h"
#include "native/cli/diff_command.h"
#include "native/cli/export_command.h"
#include "native/cli/inspect_command.h"

namespace nns::cli {

namespace {

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? std::string("an empty query") : std::string(); }, "", ""};
}

}  // namespace

/// "1600x1000" into width and height; what is wrong with it, or nothing.
std::string parse_box(const std::string& text, int& width, int& height, int least, int most) {
  const std::size_t by = text.find('x');
  const auto number = [&](std::string_view digits, int& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= least && value <= most;
  };
  const std::string_view all(text);
  const bool is_size =
      by != std::string::npos && number(all.substr(0, by), width) && number(all.substr(by + 1), height);
  return is_size ? "" : fmt::format("{} is no size: WIDTHxHEIGHT, each from {} to {}", text, least, most);
}

CLI::App* add_inspect(CLI::App& app, InspectOptions& options) {
  CLI::App* command =
      app.add_subcommand("inspect", "Print what is in files: modules, tensors, metadata, pickled names");
  command->footer(
      "Exit status:\n"
      "  0  fine\n"
      "  1  a file names something dangerous, or nothing in any file matches --filter\n"
      "  2  wrong usage, or input that cannot be read");
  command->add_option("PATH", options.inputs, "Files, folders or web addresses")->required()->type_name("");
  command->add_flag("--json", options.json, "Print JSON; several paths give a list");
  command->add_flag(
      "--stats", options.statistics,
      "Read all values: sum, min, max, mean, std (population), NaN, infinity, zeros, dead rows, outliers");
  CLI::Option* filter =
      command
          ->add_option("--filter", options.filter,
                       "Only what the explorer's search finds, with its sums: \"attn weight bf16 >1M\", "
                       "shape:4096,*, -bias, /h\\.[0-3]\\./")
          ->type_name("QUERY")
          ->check(not_empty());
  CLI::Option* depth =
      command->add_option("--depth", options.depth, "Show at most so many levels below the root")->type_name("N");
  command
      ->add_flag("--scan", options.scan,
                 "Say of each file, and of each file in a folder, what loading it could run: safe, unknown, dangerous")
      ->excludes("--stats")
      ->excludes(filter)
      ->excludes(depth);
  CLI::Option* tensor =
      command
          ->add_option("--tensor", options.tensor,
                       "Print the statistics of this tensor of each file instead, with quantiles and where NaN begins")
          ->type_name("NAME")
          ->excludes("--scan")
          ->excludes(filter)
          ->excludes(depth);
  command
      ->add_option("--slice", options.slice, "Only of a part of it, as PyTorch indexes: \"0,:,3:10\", \"[..., 0].T\"")
      ->type_name("PART")
      ->needs(tensor);
  return command;
}

CLI::App* add_diff(CLI::App& app, DiffOptions& options) {
  CLI::App* command = app.add_subcommand(
      "diff", "Print what differs between two files, or parts of them: tensors, shapes, types, values");
  command->footer(
      "Names line up through prefixes such as module. or _orig_mod., which are told once.\n"
      "What differs in the files' metadata is told, too, and does not change the status.\n\n"
      "Exit status:\n"
      "  0    nothing differs\n"
      "  1    something differs\n"
      "  2    wrong usage, a file that cannot be read, or tensors that could not be compared\n"
      "  130  stopped by Ctrl+C; what is known so far was printed");
  command->add_option("A", options.a, "File, folder or web address: before")->required()->type_name("");
  command->add_option("B", options.b, "The same: after; left out with two parts of A")->type_name("");
  command
      ->add_option("--part", options.part_a,
                   "Compare only this module (or tensor) of A with that of B, of the same name without --with-part")
      ->type_name("NAME");
  command->add_option("--with-part", options.part_b, "The module (or tensor) of B")->type_name("NAME");
  command->add_flag("--json", options.json, "Print JSON: a, b, equal, counts, prefixes, changes (most changed first)");
  command->add_flag("--values", options.values,
                    "Read all values: largest, mean and relative difference, cosine, share of changed values");
  return command;
}

CLI::App* add_export(CLI::App& app, ExportOptions& options) {
  CLI::App* command = app.add_subcommand(
      "export",
      "Write a file's tree or map as text, JSON, CSV, Markdown or a picture, or a tensor's values or heat map");
  command->footer(
      "Ctrl+C stops it (status 130) and leaves no file behind; so does a --filter that matches nothing (status 1).");
  command->add_option("PATH", options.input, "File, folder or web address")->required()->type_name("");
  command
      ->add_option("--as", options.format,
                   "text, json, csv, markdown, svg, png or pdf; with --tensor npy or csv of its values, or a picture "
                   "of its heat map")
      ->required()
      ->check(CLI::IsMember({"text", "json", "csv", "markdown", "svg", "png", "pdf", "npy"}))
      ->type_name("FORMAT");
  command->add_option("--view", options.view, "What a picture shows: tree (without an end) or map")
      ->check(CLI::IsMember({"tree", "map"}))
      ->type_name("tree|map");
  CLI::Option* filter =
      command
          ->add_option("--filter", options.filter,
                       "With text, json, csv or markdown: only what the explorer's search finds, with its sums")
          ->type_name("QUERY")
          ->check(not_empty());
  CLI::Option* tensor = command->add_option("--tensor", options.tensor, "Name of the tensor whose values are written")
                            ->type_name("NAME")
                            ->excludes(filter);
  command->add_option("--slice", options.slice, "The part of it, as PyTorch indexes: \"0,:,3:10\", \"[..., 0].T\"")
      ->type_name("PART")
      ->needs(tensor);
  command
      ->add_option("--range", options.range,
                   "Values that a heat map's colours reach: symmetric around 0, full, 1-99 (percentiles) or LOW:HIGH")
      ->type_name("RANGE")
      ->needs(tensor);
  CLI::Option* against =
      command
          ->add_option("--against", options.against,
                       "Another file: the heat map is of the tensor minus the one of the same name there")
          ->type_name("PATH")
          ->needs(tensor)
          ->excludes("--slice");
  command->add_option("--against-tensor", options.against_tensor, "Its name there, where it is another")
      ->type_name("NAME")
      ->needs(against);
  command
      ->add_option_function<std::string>(
          "--size",
          [&options](const std::string& text) {
            const std::string wrong = parse_box(text, options.width, options.height, 1, 1'000'000);
            if (!wrong.empty()) throw CLI::ValidationError("--size", wrong);
          },
          "Size of a map or heat map; the box that a tree is fitted into")
      ->type_name("WxH");
  command->add_option("--by", options.metric, "What the area of a map's tile stands for")
      ->check(CLI::IsMember({"parameters", "bytes"}))
      ->type_name("parameters|bytes");
  command
      ->add_option("--colour", options.colour,
                   "What the colour of a map's tile says; std, zeros and absmax read all values")
      ->check(CLI::IsMember({"kind", "dtype", "class", "std", "zeros", "absmax"}))
      ->type_name("kind|dtype|class|std|zeros|absmax");
  command->add_flag("--dark", options.is_dark, "The dark theme for pictures");
  command->add_option("-o,--output", options.output, "File to write; - is standard output")->type_name("FILE");
  command->add_flag("--force", options.force, "Write over a file that is there");
  return command;
}

CLI::App* add_convert(CLI::App& app, ConvertOptions& options) {
  CLI::App* command =
      app.add_subcommand("convert", "Write a file's tensors as another format: safetensors, or what torch.save writes");
  command->footer("");
  command->add_option("A", options.input, "File, folder or web address")->required()->type_name("");
  command->add_option("B", options.output, "File to write; - is standard output")->required()->type_name("");
  command->add_option("--to", options.format, "safetensors or torch; else as the ending of B says")
      ->check(CLI::IsMember({"safetensors", "torch"}))
      ->type_name("FORMAT");
  command->add_flag("--force", options.force, "Write over a file that is there");
  return command;
}

}  // namespace nns::cli
