// Text up to a line "----" is an index, a config.json or other JSON, the rest is what every shard holds.
#include "core/checkpoint/model_config.h"
#include "tests/fuzz/open_fuzz.h"

namespace {

class OneShard final : public nns::checkpoint::FileSet {
 public:
  explicit OneShard(std::string bytes) : bytes_(std::move(bytes)) {}
  std::optional<nns::base::Result<std::shared_ptr<nns::base::ByteSource>>> open(std::string_view name) override {
    using Opened = nns::base::Result<std::shared_ptr<nns::base::ByteSource>>;
    if (++calls_ % 5 == 4) return Opened(nns::base::Error{"no such file", {}, std::string(name), std::nullopt});
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes_.data());
    return Opened(nns::tests::fuzz_source(data, bytes_.size()));
  }
  std::vector<std::string> names() override { return {}; }

 private:
  std::string bytes_;
  int calls_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find("----\n");
  const auto files = std::make_shared<OneShard>(cut == std::string::npos ? std::string() : text.substr(cut + 5));
  nns::tests::fuzz_reader(nns::checkpoint::open_json, data, std::min(size, cut), files);
  // The same text as the configuration of a model.
  const auto document = nns::tests::open_text(text);
  if (!document.ok()) return 0;
  for (const auto name : {nns::checkpoint::kConfigName, nns::checkpoint::kQuantizeConfigName})
    (void)nns::checkpoint::add_config(std::string_view(text).substr(0, cut), **document, name);
  return 0;
}
