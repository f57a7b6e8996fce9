#include "core/checkpoint/write_torch.h"

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/checkpoint/value_pickler.h"
#include "core/checkpoint/zip_writer.h"

namespace nns::checkpoint {
namespace {

// Writes into the member that is open.
class MemberSink final : public base::ByteSink {
 public:
  explicit MemberSink(ZipWriter& zip) : zip_(zip) {}
  base::Result<void> write(std::span<const std::byte> bytes) override { return zip_.write(bytes); }

 private:
  ZipWriter& zip_;
};

}  // namespace

base::Result<void> write_torch(base::ByteSink& sink, object::Interpreter& interpreter, const object::Value& value,
                               std::string_view archive, const StorageWriter& meta_storages) {
  ValuePickler pickler(interpreter, meta_storages != nullptr);
  NNS_TRY_ASSIGN(const std::string pickle, pickler.pickle(value));
  ZipWriter zip(sink);
  const auto member = [archive](std::string_view name) { return fmt::format("{}/{}", archive, name); };
  NNS_TRY(zip.add(member("data.pkl"), pickle));
  NNS_TRY(zip.add(member(".format_version"), "1"));
  NNS_TRY(zip.add(member(".storage_alignment"), fmt::format("{}", ZipWriter::kAlignment)));
  NNS_TRY(zip.add(member("byteorder"), "little"));
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < pickler.storages().size(); ++i) {
    const tensor::Storage& storage = *pickler.storages()[i];
    NNS_TRY(zip.begin(member(fmt::format("data/{}", i)), storage.bytes()));
    if (storage.device() == tensor::Device::Meta) {
      MemberSink out(zip);
      NNS_TRY(meta_storages(storage, out));
    } else if (storage.bytes() > 0) {
      const auto size = static_cast<std::int64_t>(storage.bytes());
      const auto host = tensor::on_host(
          *tensor::make_tensor(storage.interpreter(), {pickler.storages()[i], {size}, {1}, 0, tensor::DType::UInt8}));
      if (!host.ok()) return base::Error{host.error().message(), "a device that gives back what it holds", {}, {}};
      NNS_TRY(zip.write(std::span<const std::byte>(host.value()->data(), static_cast<std::size_t>(size))));
    }
    NNS_TRY(zip.end());
    bytes += storage.bytes();
  }
  NNS_TRY(zip.add(member("version"), "3\n"));
  // Forty digits that tell one file from another. torch takes checksums of all members; ours come from the pickle and
  // the sizes, so that the bytes of large files are gone through once.
  const std::uint64_t first = base::hash_text(pickle);
  NNS_TRY(zip.add(member(".data/serialization_id"), fmt::format("{:020d}{:020d}", first, bytes)));
  return zip.finish();
}

}  // namespace nns::checkpoint
