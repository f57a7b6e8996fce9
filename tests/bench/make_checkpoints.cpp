// Writes the large and odd checkpoints that benchmarks and browser tests open: make_checkpoints FOLDER
// The data are holes, so that the 810 GB file takes a few kilobytes of disk.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "tests/support/make_safetensors.h"
#include "tests/support/make_torch_zip.h"

namespace {

void write(const std::filesystem::path& path, const std::string& beginning, std::uint64_t size) {
  std::ofstream(path, std::ios::binary).write(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  std::filesystem::resize_file(path, size);
  fmt::print("{:>16} bytes  {}\n", size, path.string());
}

void write_safetensors(const std::filesystem::path& path, const std::vector<nns::tests::PlannedTensor>& tensors) {
  const nns::tests::PlannedFile file = nns::tests::plan_safetensors(tensors);
  write(path, file.beginning, file.size);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: make_checkpoints FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    fmt::print(stderr, "{}: {}\n", folder.string(), failed.message());
    return 2;
  }
  write_safetensors(folder / "llama_405b_tiny.safetensors", nns::tests::llama_405b_tiny());
  write_safetensors(folder / "deepseek_v3_tiny.safetensors", nns::tests::deepseek_v3_tiny());
  write_safetensors(folder / "llama_2gb.safetensors", nns::tests::llama_2gb());
  write_safetensors(folder / "llama_405b_full.safetensors", nns::tests::llama_405b_full());
  const std::string zip = nns::tests::torch_zip_of_10000();
  write(folder / "gpt_10k.pt", zip, zip.size());
  return 0;
}
