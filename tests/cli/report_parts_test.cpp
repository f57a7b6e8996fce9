#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "native/cli/json_writer.h"
#include "native/cli/table.h"
#include "native/cli/terminal.h"

namespace nns::cli {
namespace {

std::string written(void (*write)(JsonWriter&)) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = ::open_memstream(&text, &size);
  {
    JsonWriter json(out);
    write(json);
  }
  std::fclose(out);
  std::string result(text, size);
  std::free(text);
  return result;
}

TEST(JsonWriter, PutsCommasAndNests) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_object();
              json.key("a");
              json.begin_list();
              json.number(std::uint64_t{1});
              json.number(std::int64_t{-2});
              json.begin_object();
              json.end_object();
              json.end_list();
              json.key("b");
              json.null();
              json.key("c");
              json.boolean(true);
              json.end_object();
            }),
            R"({"a": [1, -2, {}], "b": null, "c": true})");
}

TEST(JsonWriter, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(written([](JsonWriter& json) { json.text("q\"\\\n\x01\x7f é"); }), "\"q\\\"\\\\\\u000a\\u0001\\u007f é\"");
  EXPECT_EQ(written([](JsonWriter& json) {
              json.text(
                  "a\xff"
                  "b\xc3");
            }),
            "\"a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\"");
}

TEST(JsonWriter, WritesNumbersThatComeBackTheSame) {
  EXPECT_EQ(written([](JsonWriter& json) { json.number(0.1); }), "0.1");
  EXPECT_EQ(written([](JsonWriter& json) { json.number(1e300); }), "1e+300");
  EXPECT_EQ(written([](JsonWriter& json) { json.number(std::nan("")); }), "\"nan\"");
  EXPECT_EQ(written([](JsonWriter& json) { json.number(-HUGE_VAL); }), "\"-inf\"");
}

TEST(Printable, LeavesNothingThatATerminalWouldObey) {
  EXPECT_EQ(printable("plain é 漢"), "plain é 漢");
  EXPECT_EQ(printable("\x1b[31m\n\t\x7f"), "\\x1b[31m\\n\\t\\x7f");
  EXPECT_EQ(printable("a\xff\xc2\x9b"), "a\\xff\\x9b");
  EXPECT_EQ(printable("\u202Etxt"), "\\u202etxt");
}

TEST(DisplayWidth, CountsWhatATerminalShows) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("├─ é"), 4U);
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
}

TEST(CutToWidth, KeepsColoursAndCountsColumns) {
  EXPECT_EQ(cut_to_width("layers", 6), "layers");
  EXPECT_EQ(cut_to_width("layers", 5), "laye…");
  EXPECT_EQ(cut_to_width("層層層", 5), "層層…");
  EXPECT_EQ(cut_to_width("層層層", 4), "層…");
  EXPECT_EQ(cut_to_width("\x1b[2mab\x1b[0m\x1b[36mcdef\x1b[0m", 4), "\x1b[2mab\x1b[0m\x1b[36mc…\x1b[0m");
  EXPECT_EQ(cut_to_width("\x1b[2mab\x1b[0m", 2), "\x1b[2mab\x1b[0m");
  EXPECT_EQ(cut_to_width("ab", 0), "");
}

std::string printed(const Table& table, int columns) {
  std::FILE* const out = std::tmpfile();
  table.print(out, Terminal{.output_columns = columns});
  std::string text(static_cast<std::size_t>(std::ftell(out)), '\0');
  std::rewind(out);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), out), text.size());
  std::fclose(out);
  return text;
}

TEST(Table, IsCutWhereATerminalIsNarrower) {
  Table table({{"name"}, {"class"}, {"bytes", true}});
  table.add({{"a_rather_long_name_of_a_module"}, {"Linear"}, {"12"}});
  EXPECT_EQ(printed(table, 0), printed(table, 200));
  EXPECT_NE(printed(table, 0).find("a_rather_long_name_of_a_module  Linear"), std::string::npos);
  EXPECT_EQ(printed(table, 30),
            "name             class   bytes\n"
            "a_rather_long_…  Linear     12\n");
  // Numbers and what has twelve columns are never cut.
  EXPECT_NE(printed(table, 5).find("a_rather_lo…  Linear     12"), std::string::npos) << printed(table, 5);
}

TEST(TerminalPaint, AddsColoursOnlyWhereTheyAreWanted) {
  EXPECT_EQ(Terminal{}.paint(Style::Danger, "x"), "x");
  EXPECT_EQ((Terminal{.colour = true}.paint(Style::Danger, "x")), "\x1b[1;31mx\x1b[0m");
}

}  // namespace
}  // namespace nns::cli
