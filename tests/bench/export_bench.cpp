// What saving costs: rows to text, tree and heat map to pictures. What is written is packed as a file's PNG is, and
// then only counted.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstring>

#include "core/live/endpoint.h"
#include "core/session/host.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"
#include "ui/app/tensor_exports.h"
#include "ui/exports/picture.h"

namespace nns {
namespace {

class CountingFile final : public host::SaveFile {
 public:
  CountingFile() { deflateInit(&stream_, Z_BEST_SPEED); }
  ~CountingFile() override { deflateEnd(&stream_); }
  void write(std::string_view bytes) override {
    benchmark::DoNotOptimize(bytes.data());
    size += bytes.size();
  }
  void write_packed(std::string_view bytes, bool last) override {
    stream_.next_in = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    do {
      stream_.next_out = packed_.data();
      stream_.avail_out = static_cast<unsigned>(packed_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      size += packed_.size() - stream_.avail_out;
    } while (stream_.avail_out == 0);
  }
  std::uint64_t pending() const override { return 0; }
  void finish() override {}
  base::Result<bool> ended() const override { return true; }
  std::uint64_t size = 0;

 private:
  z_stream stream_{};
  std::array<unsigned char, 65536> packed_{};
};

/// An explorer whose Dear ImGui context has the typefaces, with a document of 100,000 rows.
struct Rows {
  tests::Explorer explorer{{tests::blocks_sample(33'333)}};
  std::shared_ptr<const live::DocumentView> document;
  exports::PictureLook look;
  Rows() {
    explorer.app().open_sample("blocks");
    explorer.settle();
    if (!explorer.app().mirror().documents().empty()) document = explorer.app().mirror().documents().front();
    look.theme = &widgets::dark_theme();
    ImFont* const font = ImGui::GetIO().Fonts->Fonts[0];
    look.fonts = {font, font, font};
  }
};

template <class Make>
void export_rows(benchmark::State& state, Make make) {
  Rows rows;
  if (rows.document == nullptr || rows.document->row_count() < 100'000)
    return state.SkipWithError("there is no document of 100,000 rows");
  std::uint64_t size = 0;
  for (auto _ : state) {
    CountingFile file;
    const std::unique_ptr<exports::Export> work = make(rows);
    base::Result<bool> done = false;
    while (done.ok() && !*done) done = work->step(file, base::Budget::unlimited());
    if (!done.ok()) return state.SkipWithError("it cannot be exported");
    size = file.size;
  }
  state.counters["file_MB"] = static_cast<double>(size) / 1e6;
}

void text(benchmark::State& state, exports::TextFormat format) {
  export_rows(state, [format](Rows& rows) { return exports::make_document_text(rows.document, format); });
}
void svg(benchmark::State& state) {
  export_rows(state, [](Rows& rows) {
    return exports::make_svg(exports::make_tree_picture(rows.document, rows.look), rows.look.fonts.strong);
  });
}
void png(benchmark::State& state) {
  export_rows(state,
              [](Rows& rows) { return exports::make_png(exports::make_tree_picture(rows.document, rows.look)); });
}

/// The one file that is looked at.
class OneFile final : public session::SourceProvider {
 public:
  explicit OneFile(std::string_view bytes)
      : source_(base::make_memory_source("w.safetensors", tests::to_bytes(bytes))) {}
  std::optional<base::Result<Opened>> open(std::uint64_t, const std::string&, const std::string&) override {
    return Opened{source_, std::make_shared<tests::MemoryFileSet>()};
  }

 private:
  std::shared_ptr<base::ByteSource> source_;
};

/// 4,096 x 4,096 values of float32 through a Host; `pixels` along each side, 0: the picture's own size.
void heat_png(benchmark::State& state, int pixels) {
  constexpr std::uint64_t kSide = 4096;
  const tests::Explorer typefaces;
  std::string bytes = tests::plan_safetensors({{"w", "F32", {kSide, kSide}}}).beginning;
  const std::size_t begin = bytes.size();
  bytes.resize(begin + kSide * kSide * sizeof(float));
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    const std::size_t row = i / kSide;
    const float value = std::sin(static_cast<float>(i % kSide) * 0.01F) * std::cos(static_cast<float>(row) * 0.02F);
    std::memcpy(bytes.data() + begin + i * sizeof value, &value, sizeof value);
  }
  auto [viewer, host_end] = live::make_queue({}, {});
  app::Requests requests(std::move(viewer));
  session::Host host(std::move(host_end), std::make_shared<OneFile>(bytes), {});
  live::Mirror mirror;
  const auto work_on = [&] {
    host.run(base::Budget::unlimited());
    bool is_right = true;
    while (auto message = requests.receive()) is_right &= mirror.apply(std::move(*message)).ok();
    return is_right;
  };
  requests.open_source(1, "w.safetensors", "");
  if (!work_on() || mirror.documents().empty()) return state.SkipWithError("the file is not open");
  const auto document = mirror.documents().front();
  exports::PictureLook look;
  look.theme = &widgets::dark_theme();
  ImFont* const font = ImGui::GetIO().Fonts->Fonts[0];
  look.fonts = {font, font, font};
  look.width = look.height = pixels;
  for (auto _ : state) {
    CountingFile file;
    const auto work = exports::make_png(app::export_heat_map(
        requests, mirror, {document, 0, base::whole_slice(document->shape(0)), {-1, 1}, {}}, look));
    base::Result<bool> done = false;
    while (done.ok() && !*done) {
      done = work->step(file, base::Budget::unlimited());
      if (!work_on()) return state.SkipWithError("a damaged message");
    }
    if (!done.ok()) return state.SkipWithError("it cannot be exported");
    state.counters["file_MB"] = static_cast<double>(file.size) / 1e6;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kSide * kSide * sizeof(float)));
}

[[maybe_unused]] const int kRegistered = [] {
  using exports::TextFormat;
  for (const auto& [name, format] :
       {std::pair("export/tree_100000/text", TextFormat::Text), std::pair("export/tree_100000/json", TextFormat::Json),
        std::pair("export/tree_100000/csv", TextFormat::Csv)}) {
    benchmark::RegisterBenchmark(name, text, format)->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("export/tree_100000/svg", svg)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("export/tree_100000/png", png)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("export/heat_png/2048", heat_png, 0)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("export/heat_png/8192", heat_png, 8192)->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace nns
