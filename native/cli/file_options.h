#pragma once

#include <string>

namespace CLI {
class App;
}

namespace nns::cli {

struct ConvertOptions;
struct DiffOptions;
struct ExportOptions;
struct InspectOptions;

// The commands that read files, with their options: each is added to `app` and writes into `options`, which must
// outlive it.
CLI::App* add_inspect(CLI::App& app, InspectOptions& options);
CLI::App* add_diff(CLI::App& app, DiffOptions& options);
CLI::App* add_export(CLI::App& app, ExportOptions& options);
CLI::App* add_convert(CLI::App& app, ConvertOptions& options);

/// "1600x1000" into width and height, each from `least` to `most`; what is wrong with it, or nothing.
std::string parse_box(const std::string& text, int& width, int& height, int least, int most);

}  // namespace nns::cli
