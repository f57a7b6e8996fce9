// Writes the fuzzers' seed files, one folder a fuzzer: make_corpus FOLDER
#include <filesystem>
#include <fstream>
#include <string>

#include "core/checkpoint/ggml_types.h"
#include "tests/support/make_gguf.h"
#include "tests/support/make_npy.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/make_serialized_json.h"
#include "tests/support/make_torch_legacy.h"
#include "tests/support/make_torch_zip.h"

namespace {

using nns::tests::PickleWriter;
using nns::tests::ZipWriter;

std::filesystem::path root;

/// A literal with its zeros.
template <std::size_t Size>
std::string bytes_of(const char (&text)[Size]) {
  return std::string(text, Size - 1);
}

void seed(const std::string& fuzzer, const std::string& name, const std::string& bytes) {
  // A scan takes whatever may hold a pickle.
  if (fuzzer == "pickle" || fuzzer == "zip" || fuzzer == "npy" || fuzzer == "plain_zip" || fuzzer == "torch_legacy")
    seed("scan", fuzzer + "_" + name, bytes);
  std::filesystem::create_directories(root / fuzzer);
  std::ofstream(root / fuzzer / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void pickle_seed(const std::string& name, const std::string& bytes) {
  seed("pickle", name, bytes);
  seed("torch_zip", name, bytes);
}

PickleWriter::Tensor tensor(std::int64_t rows) {
  PickleWriter::Tensor tensor;
  tensor.storage_numel = 16;
  tensor.shape = {rows, 2};
  tensor.stride = {2, 1};
  return tensor;
}

void write_safetensors() {
  const auto file =
      nns::tests::plan_safetensors({{"a.0.weight", "F32", {2, 3}}, {"a.0.bias", "BF16", {2}}, {"a.1.w", "I64", {}}});
  seed("safetensors", "three", file.whole());
  seed("safetensors", "empty", nns::tests::safetensors_with_header("{}"));
  seed(
      "safetensors", "small_types",
      nns::tests::safetensors_with_header(
          R"({"__metadata__":{"a":"b"},"f":{"dtype":"F4","shape":[2,4],"data_offsets":[0,4]},"s":{"shape":[4],"dtype":"F6_E2M3","x":[1],"data_offsets":[4,7]}})",
          7));
  const std::string index =
      R"({"metadata":{"total_size":9},"weight_map":{"a.0.weight":"x.safetensors","b.w":"y.safetensors"}})";
  seed("json", "two_shards", index + "----\n" + file.whole());
  seed("json", "torch_shards", index + "----\n" + nns::tests::make_torch_zip(PickleWriter().empty_dict().stop(), {}));
  seed("json", "config", R"({"architectures":["Net"],"n":[1,2.5,null,true],"deep":{"a":{"b":"\n"}}})");
  seed("json", "escapes", R"({"weight_map":{"\u0061\n":"x"},"other":[1,{"a":null}]})");
}

void write_exported_programs() {
  const std::string node =
      R"({"target": "torch.ops.aten.f.x", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}, {"name": "g", "arg": {"as_graph": {"name": "g", "graph": {"inputs": [], "outputs": [], "nodes": []}}}, "kind": 2}], "outputs": [{"as_tensors": [{"name": "y"}, {"name": "z"}]}], "metadata": {"nn_module_stack": "a,b,C;d,e,F", "stack_trace": "File \"a\", line 3, in f\n  x"}})";
  seed(
      "exported_program", "net",
      R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "y"}}], "nodes": [)" +
          node +
          R"(], "tensor_values": {"x": {"dtype": 7, "sizes": [{"as_int": 2}, {"as_expr": {"expr_str": "s0"}}]}}}, "signature": {"input_specs": [{"parameter": {"arg": {"name": "x"}, "parameter_name": "w"}}], "output_specs": []}}, "range_constraints": {"s0": {"min_val": 2, "max_val": null}}, "guards_code": ["a"]})");
}

void write_trace_logs() {
  const std::string head = "V0403 07:28:48.051000 1 a.py:1] ";
  const std::string of = ", \"frame_id\": 0, \"frame_compile_id\": 1}\n";
  seed("trace_log", "graph",
       head + "{\"str\": [\"a.py\", 0]}\n" + head +
           "{\"dynamo_start\": {\"stack\": [{\"line\": 7, \"name\": \"f\", \"filename\": 0}]}" + of + head +
           "{\"dynamo_output_graph\": {}" + of +
           "\tdef forward(self, x : \"f32[2]\"):\n\t    # File: a.py:1 in f, code: x.cos()\n"
           "\t    y: \"f32[2]\" = x.cos();  x = None\n\t    return (y,)\n");
  seed("trace_log", "guards",
       head + "{\"dynamo_cpp_guards_str\": {}" + of + "\t+- GuardManager: source=L['x'], accessed_by=A\n" +
           "\t| +- TENSOR_MATCH: check_tensor(L['x'])  # y = x  # a.py:3 in f\n" + head + "{\"dynamo_guards\": {}" +
           of + "\t[{\"code\": \"len(L['x']) == 2\", \"user_stack\": null}]\n");
  seed("trace_log", "break",
       head + "{\"artifact\": {\"name\": \"dynamo_graph_break_reason\"}" + of +
           "\tGraph Break Reason: call\n\t  Explanation: e\n\t  Hint: h\n\t  File \"a.py\", line 9, in f\n\t    x\n" +
           head + "{\"artifact\": {\"name\": \"recompile_reasons\"}" + of + "\t[\"0/0: size\"]\n" + head +
           "{\"compilation_metrics\": {\"co_name\": \"f\", \"a_s\": 1.5, \"b_us\": 2, \"fail_type\": \"E\"}" + of);
}

void write_pickles() {
  PickleWriter state;
  state.ordered_dict().mark().text("fc.weight").tensor(tensor(4)).text("fc.bias").parameter(tensor(1)).set_items();
  pickle_seed("state_dict", state.stop());

  PickleWriter nested;
  nested.empty_dict().mark().text("state_dict").empty_dict().mark().text("a.b").tensor(tensor(2)).set_items();
  nested.text("epoch")
      .integer(70000)
      .text("loss")
      .real(0.5)
      .text("list")
      .empty_list()
      .mark()
      .integer(-1)
      .none()
      .boolean(true)
      .appends();
  nested.text("sizes").numbers({1, 2, 3, 4, 1LL << 40}).set_items();
  pickle_seed("nested", nested.stop());

  PickleWriter module;
  module.global("torch.nn.modules.linear", "Linear").empty_tuple().new_object().empty_dict().mark();
  module.text("training")
      .boolean(true)
      .text("_parameters")
      .ordered_dict()
      .mark()
      .text("weight")
      .parameter(tensor(2))
      .set_items();
  module.text("_buffers")
      .ordered_dict()
      .text("_forward_hooks")
      .ordered_dict()
      .mark()
      .integer(3)
      .global("a", "hook")
      .set_items();
  module.text("_modules").ordered_dict().set_items().build();
  pickle_seed("module", module.stop());

  PickleWriter cycle;
  cycle.empty_list();
  const std::uint32_t list = cycle.memo_size() - 1;
  cycle.mark().get(list).get(list).global("os", "system").mark().text("true").tuple().reduce().appends();
  pickle_seed("cycle", cycle.stop());

  PickleWriter array;
  array.global("numpy.core.multiarray", "_reconstruct")
      .mark()
      .global("numpy", "ndarray")
      .numbers({0})
      .text("b")
      .tuple()
      .reduce();
  array.mark()
      .integer(1)
      .numbers({2})
      .global("numpy", "dtype")
      .mark()
      .text("i2")
      .boolean(false)
      .boolean(true)
      .tuple()
      .reduce();
  array.mark().integer(3).text("<").none().none().none().integer(-1).integer(-1).integer(0).tuple().build();
  array.boolean(false)
      .global("_codecs", "encode")
      .mark()
      .text("ab\xC3\xBF\x01")
      .text("latin1")
      .tuple()
      .reduce()
      .tuple()
      .build();
  pickle_seed("numpy", array.stop());

  pickle_seed("protocol0", "(dp0\nS'a\\x41'\np1\nI5\nsVb\\u00e9\nL12345678901234567890L\nsF1.5\nNsI01\n(lp2\ns.");
  pickle_seed("protocol4", bytes_of("\x80\x04\x95\x1c\0\0\0\0\0\0\0\x8c\x01"
                                    "a\x94\x8c\x01"
                                    "b\x93\x94(K\x01\x8f\x94(K\x02\x90"
                                    "C\x02xy\x91t\x81\x94."));
  pickle_seed("opcodes", bytes_of("\x80\x05(K\x01K\x02i"
                                  "a\nb\n0(ca\nc\nK\x01o}\x92"
                                  "0\x82\x01\x8a\x09\1\2\3\4\5\6\7\x08\x09\x8b\1\0\0\0\xffT\1\0\0\0aU\1b2"
                                  "10Pid\nN."));
}

void write_zips() {
  ZipWriter zip;
  ZipWriter::Options deflated;
  deflated.deflated = true;
  ZipWriter::Options large;
  large.zip64 = true;
  PickleWriter pickle;
  pickle.empty_dict().mark().text("w").tensor(tensor(2)).set_items();
  zip.add("a/data.pkl", pickle.stop(), deflated);
  zip.add("a/byteorder", "big");
  zip.add("a/data/0", std::string(64, 'x'), large);
  zip.finish(true);
  seed("zip", "zip64_deflated", zip.whole());
  seed("zip", "torch", nns::tests::make_torch_zip(pickle.stop(), {{"0", std::string(64, '\0')}}));
  ZipWriter empty;
  empty.finish();
  seed("zip", "empty", empty.whole());
}

void write_gguf() {
  using nns::tests::GgufWriter;
  for (const std::uint32_t version : {1U, 2U, 3U, 4U}) {
    GgufWriter f(version == 4 ? 3 : version, version == 4);
    f.text("general.architecture", "llama").alignment(32);
    f.key("f", f.kF32, f.number<float>(1.5F)).key("b", f.kBool, f.number<std::uint8_t>(1));
    f.array("tokens", f.kString, 2, f.string("a") + f.string("bc"));
    f.array("nested", f.kArray, 1, f.number<std::uint32_t>(f.kU16) + f.length(2) + "abcd");
    f.tensor("blk.0.w", {32, 2}, 2, std::string(36, 'q')).tensor("b", {4}, 0, std::string(16, 'b'));
    seed("gguf", "version" + std::to_string(version), f.whole());
  }
  // Each type with one block.
  for (std::uint32_t id = 0; id < 64; ++id) {
    const auto* const type = nns::checkpoint::find_ggml_type(id);
    if (type == nullptr) continue;
    GgufWriter f;
    f.tensor("t", {type->block_values}, id, std::string(type->block_bytes, static_cast<char>(id + 0x33)));
    seed("gguf", std::string(type->name), f.whole());
  }
}

void write_npy() {
  using nns::tests::npy;
  using nns::tests::npy_with_header;
  seed("npy", "matrix", npy("<f4", "(2, 3)", std::string(24, 'f')));
  seed("npy", "fortran", npy(">c16", "(2, 1)", std::string(32, 'c'), true));
  seed("npy", "scalar", npy("|b1", "()", "\1"));
  PickleWriter pickle;
  pickle.global("os", "system").mark().text("true").tuple().reduce();
  seed("npy", "objects", npy("|O", "(1,)", pickle.stop()));
  seed("npy", "fields",
       npy_with_header("{'descr': [(('t', 'x'), '<i4'), ('y', '<f8', (2, 2))], 'fortran_order': False, 'shape': (1L,)}",
                       std::string(36, 'x'), 3));
  seed("npy", "short", npy_with_header(R"({"shape":(),"descr":"<i\x34","fortran_order":False})", "abcd", 2));
}

void write_legacy() {
  const std::string floats(64, '\1');
  PickleWriter state;
  state.ordered_dict().mark().text("fc.weight").tensor(tensor(4)).text("fc.bias").parameter(tensor(1)).set_items();
  seed("torch_legacy", "state_dict", nns::tests::make_torch_legacy(state.stop(), {{"0", 16, floats}}));

  PickleWriter module;
  module.mark().text("module").global("pkg", "Net").text("net.py").text("class Net: pass").tuple().raw("Q");
  module.empty_tuple().new_object().empty_dict().mark().text("_parameters").global("collections", "OrderedDict");
  module.empty_list()
      .mark()
      .empty_list()
      .mark()
      .text("w")
      .parameter(tensor(2))
      .appends()
      .appends()
      .raw("\x85")
      .reduce();
  module.text("_modules").ordered_dict().set_items().build();
  seed("torch_legacy", "module", nns::tests::make_torch_legacy(module.stop(), {{"0", 16, floats}}));

  PickleWriter views;
  views.empty_list().mark().mark().text("storage").global("torch", "HalfStorage").text("1").text("cpu").integer(4);
  views.mark().text("2").integer(1).integer(2).tuple().tuple().raw("Q").tensor(tensor(1)).appends();
  seed("torch_legacy", "views",
       nns::tests::make_torch_legacy(views.stop(), {{"1", 4, std::string(8, '\2')}, {"0", 16, floats}}));
}

void write_script() {
  const std::string code =
      "class A(Module):\n  __parameters__ = [\"weight\", ]\n  __buffers__ = []\n  weight : Tensor\n"
      "  __annotations__[\"0\"] = __torch__.B\n  def forward(self: __torch__.A,\n    x: Tensor) -> Tensor:\n"
      "    return x\nclass B(Module):\n  __parameters__ = []\n  def __setstate__(self: __torch__.B) -> None:\n"
      "    self.dtype = (state)[2]\n    _1 = (self).set_weight_bias((state)[0], (state)[1], )\n    return None\n";
  PickleWriter net;
  net.global("__torch__", "A").empty_tuple().new_object().empty_dict().mark().text("weight").tensor(tensor(2));
  net.text("sizes").global("torch.jit._pickle", "build_intlist").empty_list().raw("\x85").reduce().text("0");
  net.global("__torch__", "B").empty_tuple().new_object().mark().global("torch._utils", "_rebuild_qtensor").mark();
  net.mark().text("storage").global("torch", "QInt8Storage").text("0").text("cpu").integer(4).tuple().raw("Q");
  net.integer(0).numbers({4}).numbers({1}).mark().global("torch", "per_tensor_affine").real(0.5).integer(0).tuple();
  net.boolean(false).ordered_dict().tuple().reduce().none().integer(12).tuple().build().set_items().build();
  PickleWriter constants;
  constants.mark().tensor(tensor(1)).tuple();
  seed(
      "script_json", "net",
      R"({"protoVersion":"3","mainModule":{"submodules":[{"name":"fc","parameters":[{"isBuffer":false,"tensorId":"0",)"
      R"("name":"weight"}],"torchscriptArena":{"key":"code/a.py"}}],"name":"Net","attributes":[{"type":"int","name":)"
      R"("n","id":"0"}]},"tensors":[{"dims":["2","2"],"offset":"0","strides":["2","1"],"requiresGrad":true,"dataType":)"
      R"("INT8","isQuantized":true,"scale":0.5,"data":{"key":"tensors/0"},"device":"cpu"}]})"
      "----\n" +
          PickleWriter().mark().integer(7).tuple().stop());
  seed("torch_script", "net", code + "----\n" + net.stop() + "----\n" + constants.stop());
}

void write_plain_zip() {
  const auto member = [](char kept, const std::string& bytes) {
    return std::string{kept, static_cast<char>(bytes.size() & 0xFFU), static_cast<char>(bytes.size() >> 8U)} + bytes;
  };
  PickleWriter state;
  state.ordered_dict().mark().text("fc.weight").tensor(tensor(4)).set_items();
  const std::string json = R"({"n_envs": 4, "policy": {":type:": "x"}, "gamma": 0.5, "none": null})";
  seed("plain_zip", "agent", member(0, json) + member(2, state.stop()) + member(3, state.stop()) + member(1, "2.1\n"));
  seed("plain_zip", "formats",
       member(1, nns::tests::safetensors_with_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4)) +
           member(0, nns::tests::make_torch_legacy(state.stop(), {{"0", 16, std::string(64, '\1')}})));
}

/// What a scan looks into beside what the readers' seeds hold.
void write_serialized() {
  PickleWriter state;
  state.global("collections", "deque").empty_tuple().reduce();
  const std::string bad = "cposix\nsystem\n(S'id'\ntR.";
  const std::string json = nns::tests::serialized_json({{"gamma", "0.5"}}, {{"buffer", state.stop()}, {"policy", bad}});
  seed("scan", "serialized_json", json);
  seed("scan", "serialized_zip", nns::tests::zip_of({{"data", json}, {"policy.pth", "no zip"}}));
  seed("scan", "serialized_escapes",
       R"({"a": [{"\u003aserialized:" : "\u0067*\n)" + nns::tests::base64(bad) + R"(==", "b": {}}]})");
}

void write_pt2() {
  seed(
      "pt2_zip", "net",
      R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [], "nodes": [{"target": "f",)"
      R"("inputs": [{"name": "a", "arg": {"as_ints": [1, 2]}}], "outputs": [{"as_tensor": {"name": "y"}}],)"
      R"("metadata": {"nn_module_stack": "s,,p.N;s,a.b,q.M"}}]}, "module_call_graph": [{"fqn": "a.b"}]}})"
      "----\n"
      R"({"config": {"a.b.w": {"path_name": "w", "is_param": true, "use_pickle": false, "tensor_meta": {"dtype": 7,)"
      R"("sizes": [{"as_int": 2}], "requires_grad": true, "device": {"type": "cpu", "index": null},)"
      R"("strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}}}})");
  PickleWriter state;
  state.ordered_dict().mark().text("a.b.w");
  state.parameter({"0", "FloatStorage", 16, 0, {2, 2}, {2, 1}, true}).set_items();
  seed("pt2_zip", "saved",
       R"({"graph_module": {"signature": {"input_specs": [{"parameter": {"arg": {"name": "p"},)"
       R"("parameter_name": "a.b.w"}}, {"buffer": {"buffer_name": "c"}}]}}})"
       "----\n----\n" +
           state.stop());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  root = arguments[1];
  write_safetensors();
  write_trace_logs();
  write_exported_programs();
  write_pickles();
  write_zips();
  write_gguf();
  write_npy();
  write_legacy();
  write_script();
  write_plain_zip();
  write_serialized();
  write_pt2();
  return 0;
}
