// `nnscope export` as a process; what it writes is read by other programs' parsers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/cli/process.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/valued_safetensors.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class Export : public ::testing::Test {
 protected:
  void SetUp() override {
    const PlannedFile plan = plan_safetensors({{"a.0.weight", "F32", {2, 3}},
                                               {"a.0.bias", "BF16", {2}},
                                               {R"(b,\"c\"|<d>&e.weight)", "F32", {3}},
                                               {long_name_, "F32", {1}}});
    const std::string bytes = plan.whole();
    std::ofstream(file_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  Process::Result save(std::vector<std::string> arguments) const {
    std::vector<std::string> all = {"export", file_};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_nnscope(all);
  }
  /// A file with conv.weight, (2, 3, 4, 3), whose values are their row-major numbers; number 48 is NaN.
  std::string values_file() const {
    std::string file = path("values.safetensors");
    std::string bytes = plan_safetensors({{"conv.weight", "F32", {2, 3, 4, 3}}}).beginning;
    for (int i = 0; i < 72; ++i) {
      const float value = i == 48 ? NAN : static_cast<float>(i);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  /// What python3 prints of a program that is given a path; empty where there is none.
  std::string python(const std::string& program, const std::string& argument) const {
    const std::string out = path("python.out");
    std::ofstream(path("program.py")) << program;
    const std::string command = "python3 '" + path("program.py") + "' '" + argument + "' > '" + out + "' 2>&1";
    if (std::system("python3 -c pass > /dev/null 2>&1") != 0) return {};
    EXPECT_EQ(std::system(command.c_str()), 0) << text_of(out);
    return text_of(out);
  }

  TemporaryFolder folder_;
  const std::string file_ = path("model.safetensors");
  const std::string long_name_ = "long." + std::string(3000, 'n') + ".weight";
};

TEST_F(Export, TextIsATreeWithTotalsAndCutsNothing) {
  const auto result = save({"--as", "text"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Total params: 12\n"));
  EXPECT_THAT(result.out, HasSubstr(std::string(3000, 'n')));
  EXPECT_THAT(result.out, HasSubstr("└─ "));
}

TEST_F(Export, JsonAndCsvSayTheSameToOtherParsers) {
  const json whole = json::parse(save({"--as", "json"}).out);
  EXPECT_EQ(whole["parameters"], 12);
  EXPECT_EQ(save({"--as", "csv", "-o", path("t.csv")}).status, 0);
  const std::string rows =
      python("import csv,sys,json\nprint(json.dumps(list(csv.DictReader(open(sys.argv[1])))))", path("t.csv"));
  if (rows.empty()) GTEST_SKIP() << "no python3";
  const json read = json::parse(rows);
  ASSERT_EQ(read.size(), whole["rows"].size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i]["path"], whole["rows"][i]["path"]);
    EXPECT_EQ(std::stoull(read[i]["parameters"].get<std::string>()), whole["rows"][i]["parameters"]);
  }
  EXPECT_THAT(save({"--as", "csv"}).out, HasSubstr("\"b,\"\"c\"\"|<d>&e\""));
  EXPECT_THAT(save({"--as", "markdown"}).out, HasSubstr("b,\"c\"\\|\\<d\\>&e"));
}

TEST_F(Export, ASpreadsheetRunsNoCell) {
  const std::string file = path("formula.safetensors");
  const std::string bytes =
      plan_safetensors({{"=cmd|' /c calc'!A0.weight", "F32", {2}}, {"-1+x.bias", "F32", {2}}}).whole();
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const std::string csv = run_nnscope({"export", file, "--as", "csv"}).out;
  EXPECT_THAT(csv, HasSubstr(",\"'=cmd|' /c calc'!A0\""));
  EXPECT_THAT(csv, HasSubstr(",\"'-1+x\""));
  EXPECT_THAT(csv, Not(HasSubstr(",=")));
}

TEST_F(Export, WhatWasInferredIsMarkedAsThat) {
  const json whole = json::parse(save({"--as", "json"}).out);
  EXPECT_EQ(whole["rows"][0]["inferred"], true);
  for (const json& row : whole["rows"]) EXPECT_EQ(row.contains("class"), row.contains("inferred")) << row;
  EXPECT_THAT(save({"--as", "csv"}).out, HasSubstr(",value,inferred\n"));
  EXPECT_THAT(save({"--as", "csv"}).out, HasSubstr(",true\n"));
  const std::string text = save({"--as", "text"}).out;
  EXPECT_THAT(text, HasSubstr("≈ "));
  EXPECT_THAT(text, HasSubstr("≈: class inferred from names and shapes\n"));
  EXPECT_THAT(save({"--as", "markdown"}).out, HasSubstr("| module | ≈ "));
}

TEST_F(Export, WhatIsInAMissingFileHasNoShape) {
  const std::string index = path("lost.index.json");
  std::ofstream(index) << R"({"weight_map":{"a.weight":"two.safetensors"}})";
  const auto saved = run_nnscope({"export", index, "--as", "json", "-o", path("lost.json")});
  EXPECT_EQ(saved.status, 0) << saved.err;
  const json rows = json::parse(text_of(path("lost.json")))["rows"];
  EXPECT_TRUE(rows.back()["shape"].is_null()) << rows;
}

TEST_F(Export, SvgIsXmlWithEveryNameWhole) {
  for (const std::string view : {"tree", "map"}) {
    EXPECT_EQ(save({"--as", "svg", "--view", view, "-o", path(view + ".svg")}).status, 0);
    const std::string text = python(
        "import sys,xml.etree.ElementTree as e\n"
        "print(' '.join(t.text or '' for t in e.parse(sys.argv[1]).iter()))",
        path(view + ".svg"));
    if (text.empty()) GTEST_SKIP() << "no python3";
    EXPECT_THAT(text, HasSubstr("b,\"c\"|<d>&e"));
    EXPECT_THAT(text, HasSubstr(std::string(3000, 'n')));
  }
}

TEST_F(Export, AMapIsColouredByAStatisticOfTheValues) {
  std::string before;
  for (const std::string colour : {"kind", "std", "zeros", "absmax"}) {
    const std::string out = path(colour + ".svg");
    const auto made = save({"--as", "svg", "--view", "map", "--colour", colour, "-o", out});
    EXPECT_EQ(made.status, 0) << made.err;
    // Each has colours and a legend of its own.
    EXPECT_NE(text_of(out), before) << colour;
    before = text_of(out);
  }
  EXPECT_THAT(text_of(path("zeros.svg")), HasSubstr("to 100%"));
  EXPECT_EQ(save({"--as", "svg", "--view", "map", "--colour", "median"}).status, 2);
}

TEST_F(Export, PngIsReadByItsChunksChecksumsAndRows) {
  const char* program = R"(
import struct,sys,zlib
d=open(sys.argv[1],'rb').read(); assert d[:8]==b'\x89PNG\r\n\x1a\n'
p=8; z=b''; types=[]
while p<len(d):
    n,t=struct.unpack('>I4s',d[p:p+8]); types.append(t)
    assert zlib.crc32(d[p+4:p+8+n])==struct.unpack('>I',d[p+8+n:p+12+n])[0]
    if t==b'IHDR': w,h,depth,colour=struct.unpack('>IIBB',d[p+8:p+18])
    if t==b'IDAT': z+=d[p+8:p+8+n]
    p+=12+n
raw=zlib.decompress(z); assert len(raw)==h*(3*w+1),(len(raw),w,h)
assert all(raw[y*(3*w+1)] in (0,2) for y in range(h)) and types[-1]==b'IEND' and (depth,colour)==(8,2)
print(w,h)
)";
  EXPECT_EQ(save({"--as", "png", "--view", "map", "--size", "700x300", "-o", path("map.png")}).status, 0);
  const std::string size = python(program, path("map.png"));
  if (size.empty()) GTEST_SKIP() << "no python3";
  EXPECT_EQ(size, "700 300\n");
  EXPECT_EQ(save({"--as", "png", "-o", path("tree.png")}).status, 0);
  EXPECT_FALSE(python(program, path("tree.png")).empty());
  EXPECT_EQ(save({"--as", "png", "--dark", "--size", "50x50", "-o", path("small.png")}).status, 0);
  EXPECT_FALSE(python(program, path("small.png")).empty());
}

/// Checks the table of objects and the lengths of streams, then prints the pages' sizes and all texts, decoded by the
/// file's own maps from glyphs to letters.
constexpr const char* kReadPdf = R"(
import re,sys
d=open(sys.argv[1],'rb').read(); assert d[:8]==b'%PDF-1.7' and d.endswith(b'%%EOF\n')
table=int(re.search(rb'startxref\n(\d+)\n',d)[1]); assert d[table:table+5]==b'xref\n'
lines=d[table:].split(b'\n'); count=int(lines[1].split()[1]); objects={}
for n in range(1,count):
    at=int(lines[2+n][:10]); head=b'%d 0 obj\n'%n; assert d[at:at+len(head)]==head,(n,at)
    body=d[at+len(head):]; end=body.index(b'\nendobj\n')
    m=re.match(rb'<<.*?/Length (\d+)>>\nstream\n',body,re.S) if body[:end].find(b'>>\nstream\n')>=0 else None
    if m:
        size=int(m[1]); assert body[m.end()+size:m.end()+size+18]==b'\nendstream\nendobj\n',n
        objects[n]=(m[0],body[m.end():m.end()+size])
    else: objects[n]=(body[:end],b'')
ref=lambda text,key: int(re.search(rb'/'+key+rb' (\d+) 0 R',text)[1])
catalog=objects[int(re.search(rb'/Root (\d+) 0 R',d[table:])[1])][0]
kids=[int(k) for k in re.findall(rb'(\d+) 0 R',re.search(rb'/Kids \[(.*?)\]',objects[ref(catalog,b'Pages')][0])[1])]
letters={}
for name,n in re.findall(rb'/(F\d+) (\d+) 0 R',objects[ref(objects[kids[0]][0],b'Font')][0]):
    font=objects[int(n)][0]; widths=objects[int(re.search(rb'/DescendantFonts \[(\d+)',font)[1])][0]; assert b'/W [' in widths
    descriptor=objects[ref(widths,b'FontDescriptor')][0]; program=objects[int(re.search(rb'/FontFile\d (\d+)',descriptor)[1])]
    assert len(program[1])>1000
    letters[name]={c:bytes.fromhex(u.decode()).decode('utf-16-be') for c,u in re.findall(rb'<(\w{4})> <(\w+)>\n',objects[ref(font,b'ToUnicode')][1])}
for k in kids:
    page=objects[k][0]; print(re.search(rb'/MediaBox \[(.*?)\]',page)[1].decode(),len(re.findall(rb'/I\d+ \d+ 0 R',page)),'images')
    for line in objects[ref(page,b'Contents')][1].split(b'\n'):
        runs=re.findall(rb'/(F\d+) [\d.]+ Tf <(\w+)> Tj',line)
        if runs: print(''.join(letters[f].get(h[i:i+4],'?') for f,h in runs for i in range(0,len(h),4)))
)";

TEST_F(Export, PdfHasEveryNameWholeAsText) {
  EXPECT_EQ(save({"--as", "pdf", "-o", path("tree.pdf")}).status, 0);
  const std::string tree = python(kReadPdf, path("tree.pdf"));
  if (tree.empty()) GTEST_SKIP() << "no python3";
  EXPECT_THAT(tree, HasSubstr("b,\"c\"|<d>&e"));
  EXPECT_THAT(tree, HasSubstr(std::string(3000, 'n')));
  EXPECT_THAT(tree, testing::StartsWith("0 0 14400.00 ")) << "a name of 3,000 letters is wider than a page can be";
  EXPECT_EQ(save({"--as", "pdf", "--view", "map", "--size", "800x600", "-o", path("map.pdf")}).status, 0);
  EXPECT_THAT(python(kReadPdf, path("map.pdf")), testing::StartsWith("0 0 600.00 450.00 0 images\n"));
  const std::string values = values_file();
  const auto part =
      run_nnscope({"export", values, "--tensor", "conv.weight", "--slice", "1,1", "--as", "pdf", "-o", path("h.pdf")});
  EXPECT_EQ(part.status, 0) << part.err;
  const std::string heat = python(kReadPdf, path("h.pdf"));
  EXPECT_THAT(heat, HasSubstr("conv.weight[1, 1, :, :]"));
  EXPECT_THAT(heat, HasSubstr("\n59\n"));
  EXPECT_THAT(heat, HasSubstr("NaN"));
  EXPECT_THAT(text_of(path("h.pdf")), HasSubstr("/Falling scn"));
}

TEST_F(Export, APdfHigherThanAPageGoesOn) {
  std::vector<PlannedTensor> many;
  for (int i = 0; i < 2'000; ++i) many.push_back({"layers.x" + std::to_string(i) + ".weight", "F32", {1}});
  const std::string file = path("many.safetensors");
  const std::string bytes = plan_safetensors(many).whole();
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_EQ(run_nnscope({"export", file, "--as", "pdf", "-o", path("many.pdf")}).status, 0);
  const std::string text = python(kReadPdf, path("many.pdf"));
  if (text.empty()) GTEST_SKIP() << "no python3";
  std::size_t pages = 0;
  for (std::size_t at = text.find("0 0 "); at != std::string::npos; at = text.find("\n0 0 ", at + 1)) ++pages;
  EXPECT_GE(pages, 2U);
  for (int i = 0; i < 2'000; ++i) EXPECT_THAT(text, HasSubstr("\nx" + std::to_string(i) + "\n"));
}

TEST_F(Export, ALargePictureTakesLittleMemory) {
  const auto result = save({"--as", "png", "--view", "map", "--size", "20000x10000", "-o", path("large.png")});
  EXPECT_EQ(result.status, 0) << result.err;
  if (NNSCOPE_MEASURES_MEMORY) {
    EXPECT_LT(result.peak_kib, 64 * 1024);
  }
}

TEST_F(Export, ValuesOfATensorAreNpyOrCsv) {
  const auto result = save({"--as", "npy", "--tensor", "a.0.bias", "-o", path("t.npy")});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string bytes = text_of(path("t.npy"));
  EXPECT_THAT(bytes, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_EQ(bytes.size(), 128U + 8U);
  EXPECT_EQ(save({"--as", "csv", "--tensor", "b,\"c\"|<d>&e.weight"}).out, "0,0,0\n");
  EXPECT_EQ(save({"--as", "npy", "--tensor", "none"}).status, 2);
  EXPECT_EQ(save({"--as", "npy"}).status, 2);
  EXPECT_EQ(save({"--as", "json", "--tensor", "a.0.bias"}).status, 2);
}

TEST_F(Export, APartOfATensorIsWrittenAndWrongPartsAreExplained) {
  const std::string file = values_file();
  const auto part = [&](const std::string& slice, const std::string& format, const std::string& out) {
    return run_nnscope({"export", file, "--tensor", "conv.weight", "--slice", slice, "--as", format, "-o", out});
  };
  EXPECT_EQ(part("1,:,2:4", "csv", "-").out, "42,43,44\n45,46,47\n54,55,56\n57,58,59\n66,67,68\n69,70,71\n");
  EXPECT_EQ(part("[..., 0, 0].T", "csv", "-").out, "0,36\n12,nan\n24,60\n");
  EXPECT_EQ(part("0,:,::2", "npy", path("p.npy")).status, 0);
  EXPECT_THAT(text_of(path("p.npy")), HasSubstr("'shape': (3, 2, 3)"));
  EXPECT_EQ(text_of(path("p.npy")).size(), 128U + 3 * 2 * 3 * 4);
  for (const auto& [slice, words] : {std::pair("0,:,9", "character 5: index 9 is outside axis 2, which has 4"),
                                     std::pair("0,x", "character 3: \"x\""),
                                     std::pair("0,0,0,0,0", "too many indices for a tensor of 4 dimensions")}) {
    const auto result = part(slice, "csv", "-");
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_THAT(result.err, HasSubstr("the shape is (2, 3, 4, 3)"));
  }
  EXPECT_EQ(save({"--as", "text", "--slice", "0"}).status, 2) << "a part of which tensor?";
}

TEST_F(Export, AHeatMapIsAPictureOfThePart) {
  const std::string file = values_file();
  const auto picture = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"export", file, "--tensor", "conv.weight", "--force"};
    all.insert(all.end(), more.begin(), more.end());
    return run_nnscope(all);
  };
  EXPECT_EQ(picture({"--slice", "1,1", "--as", "svg", "-o", path("h.svg")}).status, 0);
  const std::string svg = text_of(path("h.svg"));
  for (const char* part : {"conv.weight[1, 1, :, :]", "float32 2 \xC3\x97 3 \xC3\x97 4 \xC3\x97 3", "part (4, 3)",
                           ">59</text>", "url(#falling)", "data:image/png;base64,"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  const char* pixels = R"(
import struct,sys,zlib
d=open(sys.argv[1],'rb').read(); p=8; z=b''
while p<len(d):
    n,t=struct.unpack('>I4s',d[p:p+8])
    if t==b'IHDR': w,h=struct.unpack('>II',d[p+8:p+16])
    if t==b'IDAT': z+=d[p+8:p+8+n]
    p+=12+n
raw=zlib.decompress(z); rows=[]; last=bytes(3*w)
for y in range(h):
    f=raw[y*(3*w+1)]; line=raw[y*(3*w+1)+1:(y+1)*(3*w+1)]
    if f==2: line=bytes((a+b)&255 for a,b in zip(line,last))
    last=line; rows.append(line)
c=len(set(r[i:i+3] for r in rows for i in range(0,3*w,3)))
print(w,h,c,*(rows[0][0:3]),*(rows[h-1][3*w-3:3*w]))
)";
  // Below 240 x 160 the cells alone: here one a pixel, and the ends of the range in the corners.
  EXPECT_EQ(picture({"--slice", "0,0", "--as", "png", "--size", "3x4", "--range", "0:11", "-o", path("h.png")}).status,
            0);
  const std::string small = python(pixels, path("h.png"));
  if (small.empty()) GTEST_SKIP() << "no python3";
  EXPECT_THAT(small, testing::StartsWith("3 4 12 "));
  EXPECT_EQ(picture({"--as", "png", "--size", "1000x700", "--dark", "--range", "1-99", "-o", path("h.png")}).status, 0);
  EXPECT_THAT(python(pixels, path("h.png")), testing::StartsWith("1000 700 "));
  EXPECT_EQ(picture({"--as", "png", "--range", "wide", "-o", path("x.png")}).status, 2);
  EXPECT_EQ(picture({"--as", "png", "--slice", "0:0", "-o", path("x.png")}).status, 2);
  EXPECT_FALSE(fs::exists(path("x.png")));
}

TEST_F(Export, AHeatMapOfTheDifferenceOfTwoFiles) {
  const auto write = [&](const std::string& name, const std::string& tensor, float first) {
    std::vector<float> values(6, 1.0F);
    values[0] = first;
    std::ofstream(path(name), std::ios::binary)
        << valued_safetensors({float_tensor(tensor, {2, 3}, values), float_tensor("other", {3, 2}, values)});
  };
  write("old.safetensors", "fc.weight", 3);
  write("new.safetensors", "module.fc.weight", 0.5F);
  const auto picture = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"export",    path("new.safetensors"), "--tensor", "module.fc.weight",
                                    "--against", path("old.safetensors"), "--force"};
    all.insert(all.end(), more.begin(), more.end());
    return run_nnscope(all);
  };
  const auto done = picture({"--against-tensor", "fc.weight", "--as", "svg", "-o", path("d.svg")});
  EXPECT_EQ(done.status, 0) << done.err;
  const std::string svg = text_of(path("d.svg"));
  for (const char* part : {">module.fc.weight</text>", "A: old.safetensors, fc.weight", "B: new.safetensors",
                           "float32 2 \xC3\x97 3", ">2.5</text>"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  EXPECT_EQ(picture({"--against-tensor", "fc.weight", "--as", "png", "--range", "-1:1", "-o", path("d.png")}).status,
            0);
  const auto shapes = picture({"--against-tensor", "other", "--as", "png", "-o", path("x.png")});
  EXPECT_EQ(shapes.status, 2);
  EXPECT_THAT(shapes.err, HasSubstr("two of one shape"));
  const auto name = picture({"--as", "png", "-o", path("x.png")});
  EXPECT_EQ(name.status, 2);
  EXPECT_THAT(name.err, HasSubstr("no tensor is called"));
  EXPECT_EQ(picture({"--against-tensor", "fc.weight", "--as", "npy", "-o", path("x.npy")}).status, 2);
  EXPECT_EQ(picture({"--against-tensor", "fc.weight", "--as", "png", "--range", "full", "-o", path("x.png")}).status,
            2);
  EXPECT_FALSE(fs::exists(path("x.png")));
}

TEST_F(Export, ALargeHeatMapTakesLittleMemory) {
  const auto large = path("large.safetensors");
  const PlannedFile plan = plan_safetensors({{"w", "F32", {6000, 4000}}});
  std::ofstream out(large, std::ios::binary);
  out.write(plan.beginning.data(), static_cast<std::streamsize>(plan.beginning.size()));
  out.seekp(static_cast<std::streamoff>(plan.beginning.size() + 96'000'000 - 1));
  out.put('\0');
  out.close();
  for (const char* size : {"16000x12000", "900x700"}) {
    const auto result = run_nnscope({"export", large, "--tensor", "w", "--as", "png", "--size", size, "--range", "-1:1",
                                     "--force", "-o", path("large.png")});
    EXPECT_EQ(result.status, 0) << result.err;
    if (NNSCOPE_MEASURES_MEMORY) {
      EXPECT_LT(result.peak_kib, 160 * 1024) << "of which the file's pages are 94 MiB";
    }
  }
}

TEST_F(Export, ControlCEndsItAndLeavesNoFile) {
  const PlannedFile plan = plan_safetensors({{"w", "F32", {100'000, 20'000}}});
  const fs::path large = folder_.write_sparse("large.safetensors", plan.beginning, plan.size);
  for (const char* format : {"csv", "png"}) {
    const std::string out = path(std::string("large.") + format);
    Process process(
        {"export", large, "--tensor", "w", "--as", format, "--range", "-1:1", "--size", "20000x100000", "-o", out});
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    process.signal(SIGINT);
    EXPECT_EQ(process.wait().status, 130);
    EXPECT_FALSE(fs::exists(out));
  }
  for (const auto& entry : fs::directory_iterator(folder_.path())) EXPECT_NE(entry.path().extension(), ".part");
}

TEST_F(Export, StatisticsOfAPartArePrinted) {
  const std::string file = values_file();
  const auto result = run_nnscope({"inspect", file, "--tensor", "conv.weight", "--slice", "1", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const json told = json::parse(result.out);
  EXPECT_EQ(told["part_shape"], json({3, 4, 3}));
  EXPECT_EQ(told["nan"], 1);
  EXPECT_EQ(told["count"], 36);
  EXPECT_EQ(told["quantiles"]["0.5"], 54.0);
  const auto text = run_nnscope({"inspect", file, "--tensor", "conv.weight", "--slice", "1"});
  EXPECT_THAT(text.out, HasSubstr("1, the first at [1, 1, 0, 0]"));
  EXPECT_EQ(run_nnscope({"inspect", file, "--tensor", "none"}).status, 2);
  EXPECT_EQ(run_nnscope({"inspect", file, "--slice", "1"}).status, 2);
  EXPECT_EQ(run_nnscope({"inspect", file, "--tensor", "conv.weight", "--slice", "5"}).status, 2);
}

TEST_F(Export, AFileThatIsThereStaysUnlessForced) {
  std::ofstream(path("there.json")) << "mine";
  EXPECT_EQ(save({"--as", "json", "-o", path("there.json")}).status, 2);
  EXPECT_EQ(text_of(path("there.json")), "mine");
  EXPECT_EQ(save({"--as", "json", "-o", path("there.json"), "--force"}).status, 0);
  EXPECT_NE(text_of(path("there.json")), "mine");
  EXPECT_EQ(save({"--as", "json", "-o", path("no/folder.json")}).status, 2);
  EXPECT_EQ(run_nnscope({"export", path("none"), "--as", "text"}).status, 2);
  EXPECT_EQ(save({"--as", "gif"}).status, 2);
  EXPECT_EQ(run_nnscope_with_full_disk({"export", file_, "--as", "text"}).status, 1);
  // Nothing half written is left.
  for (const auto& entry : fs::directory_iterator(folder_.path())) EXPECT_NE(entry.path().extension(), ".part");
}

TEST_F(Export, AFilterLeavesWhatMatchesInEveryFormat) {
  const auto csv = save({"--as", "csv", "--filter", "a.0 weight"});
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_THAT(csv.out,
              testing::StartsWith("level,path,name,kind,class,dtype,shape,parameters,bytes,value,inferred,match\n"));
  EXPECT_THAT(csv.out, HasSubstr("a.0.weight,weight,parameter,,float32,2x3,6,24,,,true\n"));
  EXPECT_THAT(csv.out, testing::Not(HasSubstr("bias")));

  const json found = json::parse(save({"--as", "json", "--filter", "a.0 weight"}).out);
  EXPECT_EQ(found["filter"], "a.0 weight");
  EXPECT_EQ(found["matches"], 1);
  EXPECT_EQ(found["parameters"], 6);
  EXPECT_EQ(found["tensors"], 1);
  ASSERT_EQ(found["rows"].size(), 4U);
  EXPECT_EQ(found["rows"][0]["parameters"], 6);
  EXPECT_EQ(found["rows"][0]["match"], false);
  EXPECT_EQ(found["rows"][3]["match"], true);

  const std::string text = save({"--as", "text", "--filter", "a.0 weight"}).out;
  EXPECT_THAT(text, HasSubstr("      └─ weight"));
  EXPECT_THAT(text, HasSubstr("Filter: a.0 weight\nMatches: 1\nTotal params: 6\n"));
  const std::string markdown = save({"--as", "markdown", "--filter", "a.0 weight"}).out;
  EXPECT_THAT(markdown, HasSubstr("- Matches: 1\n- Total params: 6\n"));
  EXPECT_THAT(markdown, testing::Not(HasSubstr("bias")));
}

TEST_F(Export, AFilterThatMatchesNothingWritesNothing) {
  const std::string into = path("none.csv");
  const auto none = save({"--as", "csv", "--filter", "nowhere", "-o", into});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("nothing matches \"nowhere\""));
  EXPECT_FALSE(fs::exists(into));
  EXPECT_EQ(save({"--as", "csv", "--filter", "shape:x"}).status, 2);
  const auto picture = save({"--as", "svg", "--filter", "weight"});
  EXPECT_EQ(picture.status, 2);
  EXPECT_THAT(picture.err, HasSubstr("text, json, csv or markdown"));
}

}  // namespace
}  // namespace nns::tests
