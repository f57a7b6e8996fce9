// What the writers write, read back by our own readers, and by hand where a byte has its place.
#include <gmock/gmock.h>

#include <chrono>
#include <cstring>
#include <random>

#include "core/checkpoint/convert.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/scan.h"
#include "core/checkpoint/value_pickler.h"
#include "core/checkpoint/write_safetensors.h"
#include "core/checkpoint/write_torch.h"
#include "core/checkpoint/zip_archive.h"
#include "core/checkpoint/zip_writer.h"
#include "core/object/interpreter.h"
#include "tests/support/files.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using object::Dict;
using object::Interpreter;
using object::Ref;
using object::Value;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;
using testing::HasSubstr;
using namespace std::string_literals;

std::string text_of(base::MemorySink& sink) {
  return {reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size()};
}

class Write : public testing::Test {
 protected:
  std::string torch(const Value& value) {
    base::MemorySink sink;
    const auto written = write_torch(sink, in, value);
    EXPECT_TRUE(written.ok()) << written.error().message();
    return text_of(sink);
  }
  std::string refused(const Value& value) {
    base::MemorySink sink;
    const auto written = write_torch(sink, in, value);
    return written.ok() ? "written" : written.error().message();
  }
  using Named = std::vector<std::pair<std::string, Ref<Tensor>>>;
  std::string safetensors(const Named& tensors, const SafetensorsMetadata& metadata = {}) {
    base::MemorySink sink;
    const auto written = write_safetensors(sink, tensors, metadata);
    return written.ok() ? text_of(sink) : written.error().message();
  }
  Ref<Tensor> numbers(const Dims& shape, DType dtype, unsigned seed) {
    auto made = tensor::empty(in, shape, dtype);
    std::mt19937 random(seed);
    auto* const bytes = reinterpret_cast<unsigned char*>(made->data());
    for (std::uint64_t i = 0; i < made->nbytes(); ++i) {
      bytes[i] = static_cast<unsigned char>(dtype == DType::Bool ? random() & 1U : random());
    }
    return made;
  }
  Ref<Dict> ordered(const Named& tensors) {
    const Ref<Dict> made = in.ordered_dict();
    for (const auto& [name, tensor] : tensors) made->set(in.text(name), Value(tensor));
    return made;
  }
  // The bytes of a tensor of a document, in row-major order.
  static std::string read(Checkpoint& document, std::string_view name) {
    const TensorEntry* const entry = tests::find_tensor(document, name);
    if (entry == nullptr) return "no such tensor";
    const auto at = static_cast<std::uint32_t>(entry - document.tensors.data());
    auto bytes = document.value_bytes(at);
    if (!bytes.ok()) return bytes.error().message();
    const auto shape = document.shape(*entry);
    const auto stride = document.stride(*entry);
    ElementSource source{
        *bytes, entry->dtype, {shape.begin(), shape.end()}, {stride.begin(), stride.end()}, entry->storage_offset};
    if (!source.check().ok()) return source.check().error().message();
    OrderedItems items(std::move(source));
    const auto count = static_cast<std::size_t>(entry->numel);
    const auto all = items.read(0, count);
    if (!all.ok()) return all.error().message();
    return {reinterpret_cast<const char*>(*all), count * tensor::item_bytes(entry->dtype)};
  }
  static std::string bytes_of(const Tensor& tensor) {
    const auto packed = tensor::clone(tensor);
    if (packed->nbytes() == 0) return {};
    return {reinterpret_cast<const char*>(packed->data()), packed->nbytes()};
  }
  static ScanReport scan(std::string_view bytes) {
    ScanTask task(base::make_memory_source("file", tests::to_bytes(bytes)));
    while (true) {
      const auto done = task.step(base::Budget(std::chrono::hours(1)));
      if (!done.ok() || *done) return task.report();
    }
  }
  Interpreter in;
};

TEST_F(Write, SafetensorsAreLaidOutAsTheReferenceDoes) {
  const auto a = tensor::from_values(in, {2}, std::vector<double>{1, 2}, DType::Float32);
  const auto b = tensor::from_values(in, {}, std::vector<double>{3}, DType::UInt8);
  const auto c = tensor::from_values(in, {1, 1}, std::vector<double>{4}, DType::Float64);
  const std::string header =
      R"({"__metadata__":{"a":"1","format":"pt"},"c":{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},"b":{"dtype":"U8","shape":[],"data_offsets":[16,17]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  std::string expected(8, '\0');
  expected[0] = static_cast<char>(padded.size());
  expected += padded + "\0\0\0\0\0\0\x10\x40"s + "\0\0\x80\x3f\0\0\0\x40"s + "\x03";
  EXPECT_EQ(safetensors({{"a", a}, {"b", b}, {"c", c}}, {{"format", "pt"}, {"a", "1"}}), expected);
}

TEST_F(Write, SafetensorsComeBackInEveryDtype) {
  Named tensors;
  unsigned seed = 0;
  for (const tensor::DTypeInfo& dtype : tensor::kDTypes) {
    if (dtype.safetensors_name.empty()) continue;
    tensors.emplace_back("x." + std::string(dtype.torch_name), numbers({3, 5}, dtype.dtype, ++seed));
    tensors.emplace_back("none." + std::string(dtype.torch_name), numbers({0, 2}, dtype.dtype, ++seed));
  }
  // A scalar has no last dimension that could count its two numbers.
  EXPECT_THAT(safetensors({{"x", numbers({}, DType::Float4E2M1FNX2, 1)}}), HasSubstr("without dimensions"));
  tensors.emplace_back("turned \"\\\n\x01 \xC3\xA9", tensor::transpose(*numbers({4, 3}, DType::Float32, 99), 0, 1));
  const auto document = tests::open_text(safetensors(tensors));
  ASSERT_TRUE(document.ok()) << document.error().message();
  ASSERT_EQ((*document)->tensors.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) EXPECT_EQ(read(**document, name), bytes_of(*tensor)) << name;
}

TEST_F(Write, SafetensorsRefuseWhatTheyCannotSay) {
  const auto a = numbers({4}, DType::Float32, 1);
  EXPECT_THAT(safetensors({{"a", a}, {"b", tensor::as_strided(*a, {2}, {1}, 2)}}),
              HasSubstr("tensors 'a' and 'b' share memory"));
  EXPECT_THAT(safetensors({{"a", a}, {"a", numbers({4}, DType::Float32, 2)}}), HasSubstr("two tensors 'a'"));
  EXPECT_THAT(safetensors({{"__metadata__", a}}), HasSubstr("another name"));
  EXPECT_THAT(safetensors({{"\xFF", a}}), HasSubstr("no UTF-8"));
  EXPECT_THAT(safetensors({{"q", numbers({4}, DType::Complex128, 2)}}), HasSubstr("a dtype that safetensors has"));
  EXPECT_THAT(safetensors({{"m", tensor::empty(in, {2}, DType::Float32, tensor::Device::Meta)}}),
              HasSubstr("tensor 'm' on meta"));
}

TEST_F(Write, TorchFilesComeBackInEveryDtype) {
  Named tensors;
  unsigned seed = 0;
  for (const tensor::DTypeInfo& dtype : tensor::kDTypes) {
    if (dtype.kind == tensor::DTypeKind::Quantized) continue;
    tensors.emplace_back(std::string(dtype.torch_name), numbers({3, 5}, dtype.dtype, ++seed));
    tensors.emplace_back("none_" + std::string(dtype.torch_name), numbers({0, 2}, dtype.dtype, ++seed));
  }
  const std::string file = torch(Value(ordered(tensors)));
  const auto document = tests::open_text(file);
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->format, "torch zip");
  EXPECT_TRUE((*document)->notes.empty()) << (*document)->notes[0];
  ASSERT_EQ((*document)->tensors.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const TensorEntry* const entry = tests::find_tensor(**document, name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->dtype, tensor->dtype());
    EXPECT_EQ(read(**document, name), bytes_of(*tensor)) << name;
  }
  EXPECT_EQ(scan(file).verdict(), Verdict::Safe);
  EXPECT_GT(scan(file).pickles, 0U);
}

TEST_F(Write, ViewsShareTheirStorage) {
  const auto base = numbers({4, 6}, DType::Float32, 1);
  const Named tensors{{"base", base},
                      {"turned", tensor::transpose(*base, 0, 1)},
                      {"part", tensor::as_strided(*base, {2, 2}, {6, 3}, 7)},
                      {"other", numbers({2}, DType::Float32, 2)},
                      {"again", base}};
  const auto document = tests::open_text(torch(Value(ordered(tensors))));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->storages.size(), 2U);
  for (const auto& [name, tensor] : tensors) EXPECT_EQ(read(**document, name), bytes_of(*tensor)) << name;
  const TensorEntry& part = *tests::find_tensor(**document, "part");
  EXPECT_EQ(part.storage_offset, 7U);
  EXPECT_THAT((*document)->stride(part), testing::ElementsAre(6, 3));
}

TEST_F(Write, ParametersKeepWhatTheyAre) {
  const auto data = numbers({2}, DType::Float32, 1);
  const auto document =
      tests::open_text(torch(Value(ordered({{"w", tensor::make_parameter(in, *data).value()},
                                            {"frozen", tensor::make_parameter(in, *data, false).value()},
                                            {"plain", data}}))));
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto is = [&](std::string_view name) {
    const TensorEntry& entry = *tests::find_tensor(**document, name);
    return std::pair(entry.is_parameter, entry.requires_grad);
  };
  EXPECT_EQ(is("w"), std::pair(true, true));
  EXPECT_EQ(is("frozen"), std::pair(true, false));
  EXPECT_EQ(is("plain"), std::pair(false, false));
}

TEST_F(Write, MembersLieAtMultiplesOf64AndTellTheFormat) {
  const std::string file =
      torch(Value(ordered({{"a", numbers({3}, DType::Float32, 1)}, {"b", numbers({5}, DType::Int8, 2)}})));
  const auto archive = ZipArchive::open(base::make_memory_source("file", tests::to_bytes(file)));
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < (*archive)->members().size(); ++i) {
    names.emplace_back((*archive)->members()[i].name);
    EXPECT_EQ((*archive)->stored_offset(i).value() % checkpoint::ZipWriter::kAlignment, 0U) << names.back();
    EXPECT_TRUE((*archive)->read(i, 1U << 20U).value().crc_matches) << names.back();
  }
  EXPECT_THAT(names, testing::ElementsAre("archive/data.pkl", "archive/.format_version", "archive/.storage_alignment",
                                          "archive/byteorder", "archive/data/0", "archive/data/1", "archive/version",
                                          "archive/.data/serialization_id"));
  const auto content = [&](std::string_view name) {
    const auto bytes = (*archive)->read((*archive)->find(name), 100).value();
    return std::string(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size());
  };
  EXPECT_EQ(content("archive/version"), "3\n");
  EXPECT_EQ(content("archive/byteorder"), "little");
  EXPECT_EQ(content("archive/.data/serialization_id").size(), 40U);
}

TEST_F(Write, PicklesAreThoseOfPython) {
  const auto pickled = [&](const Value& value) { return ValuePickler(in).pickle(value).value(); };
  // python3 -c "import pickle; print(pickle.dumps(..., 2))", without what the memo says of strings met once.
  EXPECT_EQ(pickled(Value()), "\x80\x02N.");
  EXPECT_EQ(pickled(Value(true)), "\x80\x02\x88.");
  EXPECT_EQ(pickled(Value(255)), "\x80\x02K\xff.");
  EXPECT_EQ(pickled(Value(256)), "\x80\x02M\0\x01."s);
  EXPECT_EQ(pickled(Value(-1)), "\x80\x02J\xff\xff\xff\xff.");
  EXPECT_EQ(pickled(Value(std::int64_t{1} << 31)), "\x80\x02\x8a\x05\0\0\0\x80\0."s);
  EXPECT_EQ(pickled(Value(std::numeric_limits<std::int64_t>::min())), "\x80\x02\x8a\x08\0\0\0\0\0\0\0\x80."s);
  EXPECT_EQ(pickled(Value(1.5)), "\x80\x02G\x3f\xf8\0\0\0\0\0\0."s);
  EXPECT_EQ(pickled(in.text("a")), "\x80\x02X\x01\0\0\0aq\0."s);
  EXPECT_EQ(pickled(Value(in.tuple({1, 2}))), "\x80\x02K\x01K\x02\x86q\0."s);
  EXPECT_EQ(pickled(Value(in.tuple())), "\x80\x02).");
  EXPECT_EQ(pickled(Value(in.list({1}))),
            "\x80\x02]q\0K\x01"
            "a."s);
  const Ref<Dict> dict = in.dict();
  dict->set(in.text("x"), Value(in.list({1, 2})));
  EXPECT_EQ(pickled(Value(dict)),
            "\x80\x02}q\0X\x01\0\0\0xq\x01]q\x02(K\x01K\x02"
            "es."s);
}

TEST_F(Write, AListThatHoldsItselfIsWrittenOnce) {
  const auto list = in.list();
  list->append(Value(list));
  EXPECT_EQ(ValuePickler(in).pickle(Value(list)).value(),
            "\x80\x02]q\0h\0"
            "a."s);
  list->items().clear();
}

TEST_F(Write, CheckpointsOfTrainingComeBack) {
  const Ref<Dict> model = ordered({{"fc.weight", numbers({2, 3}, DType::Float32, 1)}});
  const Ref<Dict> versions = in.ordered_dict();
  versions->set(in.text(""), Value(in.dict()));
  model->instance_dict(true)->set(in.intern("_metadata"), Value(versions));
  const Ref<Dict> slot = in.dict();
  slot->set(in.text("step"), Value(tensor::full(in, {}, 3)));
  slot->set(in.text("exp_avg"), Value(numbers({2, 3}, DType::Float32, 2)));
  const Ref<Dict> states = in.dict();
  states->set(Value(0), Value(slot));
  const Ref<Dict> group = in.dict();
  group->set(in.text("lr"), Value(0.001));
  group->set(in.text("betas"), Value(in.tuple({0.9, 0.999})));
  group->set(in.text("foreach"), Value());
  group->set(in.text("params"), Value(in.list({0})));
  const Ref<Dict> optimizer = in.dict();
  optimizer->set(in.text("state"), Value(states));
  optimizer->set(in.text("param_groups"), Value(in.list({Value(group)})));
  const Ref<Dict> all = in.dict();
  all->set(in.text("epoch"), Value(12));
  all->set(in.text("model"), Value(model));
  all->set(in.text("optimizer"), Value(optimizer));
  all->set(in.text("dtype"), tensor::TensorLibrary::of(in).dtype_value(DType::BFloat16));
  all->set(in.text("shape"), tensor::size_value(in, {1, 2}));
  const std::string file = torch(Value(all));
  EXPECT_EQ(scan(file).verdict(), Verdict::Safe);
  const auto document = tests::open_text(file);
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->tensors.size(), 3U);
  const std::string tree = tests::tree_text(**document);
  for (const char* part : {"epoch", "fc", "exp_avg", "betas", "param_groups"}) EXPECT_THAT(tree, HasSubstr(part));
}

TEST_F(Write, ThousandsOfEntriesGoInBatches) {
  Named tensors;
  const auto shared = numbers({1}, DType::Float32, 1);
  for (int i = 0; i < 2500; ++i) tensors.emplace_back(fmt::format("layer.{}", i), shared);
  const auto document = tests::open_text(torch(Value(ordered(tensors))));
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ((*document)->tensors.size(), 2500U);
  EXPECT_EQ((*document)->storages.size(), 1U);
}

TEST_F(Write, WhatHasNoPlaceInAPickleIsNamed) {
  const Ref<Dict> dict = in.dict();
  dict->set(in.text("hooks"),
            Value(in.list({Value(in.function(
                "f(x)", [](Interpreter&, std::span<const Value> a) -> object::PyResult<Value> { return a[0]; }))})));
  EXPECT_THAT(refused(Value(dict)), HasSubstr("an object of class 'function' at ['hooks'][0]"));
  Value deep(in.list());
  for (int i = 0; i < 600; ++i) deep = Value(in.list({deep}));
  EXPECT_THAT(refused(deep), HasSubstr("more than 500 deep"));
}

TEST_F(Write, AFailingSinkStopsTheWriter) {
  class FullDisk final : public base::ByteSink {
   public:
    using base::ByteSink::write;
    base::Result<void> write(std::span<const std::byte> bytes) override {
      left_ -= std::min(left_, bytes.size());
      if (left_ > 0) return {};
      return base::Error{"the disk is full", {}, {}, {}};
    }

   private:
    std::size_t left_ = 700;
  };
  FullDisk disk;
  const auto written = write_torch(disk, in, Value(ordered({{"a", numbers({1000}, DType::Float32, 1)}})));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().found, "the disk is full");
}

TEST_F(Write, ZipMembersMustBeAsLongAsAnnounced) {
  base::MemorySink sink;
  checkpoint::ZipWriter zip(sink);
  ASSERT_TRUE(zip.begin("a", 3).ok());
  ASSERT_TRUE(zip.write(tests::to_bytes("12")).ok());
  EXPECT_THAT(zip.end().error().message(), HasSubstr("2 bytes for member 'a'"));
}

TEST_F(Write, ManyMembersNeedZip64) {
  base::MemorySink sink;
  checkpoint::ZipWriter zip(sink);
  for (int i = 0; i < 70'000; ++i) ASSERT_TRUE(zip.add(fmt::format("{}", i), "x").ok());
  ASSERT_TRUE(zip.finish().ok());
  const auto archive = ZipArchive::open(base::make_memory_source("file", std::move(sink.bytes())));
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  EXPECT_EQ((*archive)->members().size(), 70'000U);
  EXPECT_NE((*archive)->find("69999"), std::numeric_limits<std::uint32_t>::max());
}

// Every file of other projects that can be read, written as either format and read again: the same bits.
TEST_F(Write, FilesOfOtherProjectsComeBackTheSame) {
  const auto data = tests::test_data_folder();
  if (!data) GTEST_SKIP() << "NNSCOPE_TEST_DATA is not set";
  int converted = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(*data / "checkpoints")) {
    if (!file.is_regular_file() || file.file_size() > (std::uintmax_t{8} << 20U)) continue;
    const auto opened = tests::open_document(tests::open_file(file.path()));
    if (!opened.ok() || (*opened)->tensors.empty()) continue;
    Checkpoint& before = **opened;
    for (const WrittenFormat format : {WrittenFormat::Safetensors, WrittenFormat::TorchZip}) {
      base::MemorySink sink;
      const auto written = convert(before, format, sink);
      if (!written.ok()) {
        // A dtype that the format has not, or values that nobody can read: said of a tensor.
        EXPECT_THAT(written.error().message(), HasSubstr("tensor")) << file.path();
        continue;
      }
      const std::string bytes = text_of(sink);
      EXPECT_EQ(scan(bytes).verdict(), Verdict::Safe) << file.path();
      const auto after = tests::open_text(bytes);
      ASSERT_TRUE(after.ok()) << file.path() << ": " << after.error().message();
      ASSERT_EQ((*after)->tensors.size(), before.tensors.size()) << file.path();
      for (const TensorEntry& entry : before.tensors) {
        const std::string name(before.name(entry));
        const std::size_t lost = format == WrittenFormat::Safetensors ? shared_prefix(before).size() : 0;
        const std::string new_name = name.substr(lost);
        const TensorEntry* const found = tests::find_tensor(**after, new_name);
        ASSERT_NE(found, nullptr) << file.path() << " " << name;
        EXPECT_EQ(found->dtype, entry.dtype);
        if (entry.nbytes < (1U << 20U) && entry.numel > 0) {
          ASSERT_EQ(read(**after, new_name), read(before, name)) << file.path() << " " << name;
        }
      }
      ++converted;
    }
  }
  EXPECT_GT(converted, 20);
}

}  // namespace
}  // namespace nns::checkpoint
