#include "ui/model/search.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/sample_document.h"
#include "ui/model/filtered_rows.h"

namespace nns::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tests::DocumentBuilder;

std::shared_ptr<const SearchIndex> index_of(DocumentBuilder& builder) {
  auto message = live::Message::verify(builder.message());
  auto view = live::DocumentView::check(*message);
  EXPECT_TRUE(view.ok());
  return std::make_shared<const SearchIndex>(*view);
}

/// Two blocks with attention and a feed-forward part, an embedding, a tied head, a buffer.
std::shared_ptr<const SearchIndex> small_model() {
  DocumentBuilder builder("gpt");
  builder.begin("wte", "Embedding").tensor("weight", {1000, 64}).flags(live::kShared).dtype("bfloat16").end();
  builder.begin("h", "ModuleList");
  for (int block = 0; block < 2; ++block) {
    builder.begin(fmt::format("{}", block), "GPT2Block");
    builder.begin("attn", "GPT2Attention");
    builder.begin("c_attn", "Conv1D").tensor("weight", {64, 192}).dtype("bfloat16").tensor("bias", {192}).end();
    builder.begin("c_proj", "Conv1D").tensor("weight", {64, 64}).dtype("bfloat16").tensor("bias", {64}).end();
    builder.tensor("mask", {1, 1, 32, 32}, live::RowKind::Buffer).end();
    builder.begin("mlp", "GPT2MLP").begin("c_fc", "Conv1D").tensor("weight", {64, 256}).end().end();
    builder.end();
  }
  builder.end();
  builder.begin("lm_head", "Linear").tensor("weight", {1000, 64}).dtype("bfloat16").storage_of(0);
  builder.flags(live::kShared | live::kRepeatedParameter | live::kRepeatedBytes).end();
  return index_of(builder);
}

SearchRun run_of(const std::shared_ptr<const SearchIndex>& index, std::string_view text) {
  SearchQuery query = parse_query(text);
  EXPECT_FALSE(query.error.has_value()) << text << ": " << query.error->found;
  SearchRun run(std::move(query), index, true);
  EXPECT_TRUE(run.step(base::Budget::unlimited()));
  return run;
}

std::vector<std::string> paths(const SearchRun& run) {
  std::vector<std::string> found;
  for (const std::uint32_t row : run.hits()) found.push_back(run.index().document().path(row));
  return found;
}
std::vector<std::string> found(std::string_view text) { return paths(run_of(small_model(), text)); }

TEST(SearchWords, AValueIsFoundByItsText) {
  DocumentBuilder builder("agent");
  builder.begin("optimizer", "Adam").value("name", "\"RMSprop\"").value("lr", "0.0007").end();
  builder.begin("rms", "Norm").tensor("weight", {4}).end();
  const auto index = index_of(builder);
  EXPECT_THAT(paths(run_of(index, "0.0007")), ElementsAre("optimizer.lr"));
  EXPECT_THAT(paths(run_of(index, "rms")), ElementsAre("rms", "optimizer.name")) << "names come first";
  EXPECT_THAT(paths(run_of(index, "name:0.0007")), IsEmpty());
}

TEST(SearchWords, TheBestNameIsFirstAndWhatLiesInAHitIsNoHitOnceMore) {
  EXPECT_THAT(found("attn"), ElementsAre("h.0.attn", "h.1.attn", "h.0.attn.c_attn", "h.1.attn.c_attn"));
}

TEST(SearchWords, AllOfThemMustBeInTheNamesFromTheTopDown) {
  EXPECT_THAT(found("attn weight"), ElementsAre("h.0.attn.c_attn.weight", "h.0.attn.c_proj.weight",
                                                "h.1.attn.c_attn.weight", "h.1.attn.c_proj.weight"));
  EXPECT_THAT(found("weight attn 1.attn"), ElementsAre("h.1.attn.c_attn.weight", "h.1.attn.c_proj.weight"));
  EXPECT_THAT(found("ATTN C_PROJ Bias"), ElementsAre("h.0.attn.c_proj.bias", "h.1.attn.c_proj.bias"));
}

TEST(SearchWords, ClassesCountWhereTheyStandAndBelow) {
  EXPECT_THAT(found("GPT2MLP"), ElementsAre("h.0.mlp", "h.1.mlp"));
  EXPECT_THAT(found("gpt2attention proj weight"), ElementsAre("h.0.attn.c_proj.weight", "h.1.attn.c_proj.weight"));
  EXPECT_THAT(found("class:=Linear"), ElementsAre("lm_head"));
  EXPECT_THAT(found("class:attn"), IsEmpty());
  EXPECT_THAT(found("name:=attn"), ElementsAre("h.0.attn", "h.1.attn"));
}

TEST(SearchWords, APathSpansNames) {
  EXPECT_THAT(found("h.1.attn"), ElementsAre("h.1.attn"));
  EXPECT_THAT(found("1.attn.c_p"), ElementsAre("h.1.attn.c_proj"));
  EXPECT_THAT(found("h.1.0"), IsEmpty());
}

TEST(SearchWords, AMinusTakesAwayWithAllThatLiesThere) {
  EXPECT_THAT(found("weight -name:=h"), ElementsAre("wte.weight", "lm_head.weight"));
  EXPECT_THAT(found("attn -c_attn -0.attn weight"), ElementsAre("h.1.attn.c_proj.weight"));
}

TEST(SearchConditions, ElementTypesByAnyOfTheirNames) {
  EXPECT_THAT(found("bf16 -name:=h"), ElementsAre("wte.weight", "lm_head.weight"));
  EXPECT_THAT(found("dtype:bfloat16 proj"), ElementsAre("h.0.attn.c_proj.weight", "h.1.attn.c_proj.weight"));
  EXPECT_THAT(found("proj -dtype:bf16"), ElementsAre("h.0.attn.c_proj.bias", "h.1.attn.c_proj.bias"));
  EXPECT_THAT(found("fp32 c_fc"), ElementsAre("h.0.mlp.c_fc.weight", "h.1.mlp.c_fc.weight"));
}

TEST(SearchConditions, Sizes) {
  EXPECT_THAT(found(">20k"), ElementsAre("wte.weight", "lm_head.weight"));
  EXPECT_THAT(found("=16384 0"), ElementsAre("h.0.mlp.c_fc.weight"));
  EXPECT_THAT(found("size:10K..20K h.0"), ElementsAre("h.0.attn.c_attn.weight", "h.0.mlp.c_fc.weight"));
  EXPECT_THAT(found(">=256KB"), ElementsAre("wte.weight", "lm_head.weight"));
  EXPECT_THAT(found(">250KiB"), IsEmpty());
  EXPECT_THAT(found("bytes:<=256 0"), ElementsAre("h.0.attn.c_proj.bias"));
  EXPECT_THAT(found("kind:module >20k -0 -1"), ElementsAre("", "wte", "h", "lm_head"))
      << "modules are weighed where they are asked for";
}

TEST(SearchConditions, Shapes) {
  EXPECT_THAT(found("shape:64,*  0"),
              ElementsAre("h.0.attn.c_attn.weight", "h.0.attn.c_proj.weight", "h.0.mlp.c_fc.weight"));
  EXPECT_THAT(found("shape:64x192"), ElementsAre("h.0.attn.c_attn.weight", "h.1.attn.c_attn.weight"));
  EXPECT_THAT(found("shape:(1, ..., 32) 0"), ElementsAre("h.0.attn.mask"));
  EXPECT_THAT(found("shape:...,64,64 0"), ElementsAre("h.0.attn.c_proj.weight"));
  EXPECT_THAT(found("shape:>500,64"), ElementsAre("wte.weight", "lm_head.weight"));
  EXPECT_THAT(found("shape:64"), ElementsAre("h.0.attn.c_proj.bias", "h.1.attn.c_proj.bias"));
  EXPECT_THAT(found("rank:>2"), ElementsAre("h.0.attn.mask", "h.1.attn.mask"));
  EXPECT_THAT(found("shape:()"), IsEmpty());
}

TEST(SearchConditions, KindsAndSigns) {
  EXPECT_THAT(found("kind:buffer"), ElementsAre("h.0.attn.mask", "h.1.attn.mask"));
  EXPECT_THAT(found("kind:tensors 0.attn"),
              ElementsAre("h.0.attn.c_attn.weight", "h.0.attn.c_attn.bias", "h.0.attn.c_proj.weight",
                          "h.0.attn.c_proj.bias", "h.0.attn.mask"));
  EXPECT_THAT(found("is:tied"), ElementsAre("wte.weight", "lm_head.weight"));
}

TEST(SearchPatterns, AreAboutWholePaths) {
  EXPECT_THAT(found("/^h\\.[1-9]\\.mlp$/"), ElementsAre("h.1.mlp"));
  EXPECT_THAT(found("/c_(attn|fc)\\.weight$/ -h.0"), ElementsAre("h.1.attn.c_attn.weight", "h.1.mlp.c_fc.weight"));
  EXPECT_THAT(found("/attn$/ bias"), ElementsAre("h.0.attn.c_attn.bias", "h.0.attn.c_proj.bias", "h.1.attn.c_attn.bias",
                                                 "h.1.attn.c_proj.bias"));
  EXPECT_THAT(found("/\\.bias"), testing::SizeIs(4)) << "while the closing / is not typed yet";
}

TEST(SearchMetadata, KeysAndValues) {
  const auto model = small_model();
  const SearchRun run = run_of(model, "meta:format");
  EXPECT_THAT(run.metadata_hits(), ElementsAre(0U));
  EXPECT_THAT(run.hits(), IsEmpty());
  EXPECT_THAT(run_of(model, "meta:nothing").metadata_hits(), IsEmpty());
  EXPECT_THAT(run_of(model, "format").metadata_hits(), ElementsAre(0U));
}

TEST(SearchFuzzy, LettersInTheirOrderWhereNothingHasTheWord) {
  const SearchRun run = run_of(small_model(), "h1cfcw");
  EXPECT_TRUE(run.is_fuzzy());
  EXPECT_THAT(paths(run), ElementsAre("h.1.mlp.c_fc.weight"));
  EXPECT_FALSE(run_of(small_model(), "attn").is_fuzzy());
  EXPECT_THAT(found("zzz"), IsEmpty());
  // "lmw": the letters that begin parts are better than those inside of a part.
  EXPECT_THAT(found("lmhw").front(), "lm_head.weight");
}

TEST(SearchTotals, CountWhatLiesInTheHitsOnce) {
  const auto model = small_model();
  const SearchTotals attention = run_of(model, "attn").totals();
  EXPECT_EQ(attention.parameters, 2U * (64 * 192 + 192 + 64 * 64 + 64));
  EXPECT_EQ(attention.bytes, 4 * (attention.parameters + 2 * 32 * 32)) << "buffers have bytes, too";
  EXPECT_EQ(attention.tensors, 10U);
  EXPECT_EQ(run_of(model, "attn -bias").totals().parameters, 2U * (64 * 192 + 64 * 64));
  EXPECT_EQ(run_of(model, "1000,64 shape:1000,64").totals().parameters, 0U);
  EXPECT_EQ(run_of(model, "shape:1000,64").totals().parameters, 64'000U) << "tied weights are counted once";
  EXPECT_EQ(run_of(model, "lm_head").totals().parameters, 64'000U) << "even if the row that is counted is no hit";
  EXPECT_EQ(run_of(model, "lm_head").totals().bytes, 256'000U);
}

TEST(SearchRun, InSlicesFindsTheSame) {
  DocumentBuilder builder("many");
  for (int block = 0; block < 3000; ++block) {
    builder.begin(fmt::format("block{}", block)).tensor("weight", {2, 2}).tensor("bias", {2}).end();
  }
  const auto index = index_of(builder);
  SearchRun whole = run_of(index, "/block1.*\\.w/ weight");
  SearchRun slices(parse_query("/block1.*\\.w/ weight"), index, true);
  int steps = 0;
  while (!slices.step(base::Budget(std::chrono::nanoseconds(0)))) ASSERT_LT(++steps, 1000);
  EXPECT_GT(steps, 5);
  EXPECT_EQ(slices.hits(), whole.hits());
  EXPECT_EQ(slices.totals().parameters, whole.totals().parameters);
  EXPECT_EQ(whole.hits().size(), 1111U);
}

TEST(SearchFilter, MarksWhatIsAboveAndBelow) {
  const auto model = small_model();
  const FilterResult result = find_matches(model, parse_query("1.mlp"));
  EXPECT_EQ(result.match_count, 1U);
  int matches = 0;
  for (std::uint32_t row = 0; row < result.marks.size(); ++row) {
    const std::string path = model->document().path(row);
    if ((result.marks[row] & kMatches) != 0) ++matches;
    EXPECT_EQ((result.marks[row] & kMatchBelow) != 0, path.empty() || path == "h" || path == "h.1") << path;
    EXPECT_EQ((result.marks[row] & kBelowMatch) != 0, path.starts_with("h.1.mlp.")) << path;
  }
  EXPECT_EQ(matches, 1);
}

TEST(SearchFilter, WhatMustNotBeThereIsNotMarkedInsideOfAMatch) {
  const auto model = small_model();
  const FilterResult result = find_matches(model, parse_query("attn -bias"));
  for (std::uint32_t row = 0; row < result.marks.size(); ++row) {
    const std::string path = model->document().path(row);
    EXPECT_EQ(result.marks[row] != 0, path.find("wte") == std::string::npos && path.find("mlp") == std::string::npos &&
                                          path.find("lm_head") == std::string::npos &&
                                          path.find("bias") == std::string::npos)
        << path;
  }
}

TEST(SearchFilter, SumsOfARowAreThoseOfWhatMatchesInIt) {
  const auto model = small_model();
  const auto found = filter_rows(model->shared_document(), "weight");
  ASSERT_TRUE(found.ok());
  const FilteredRows& rows = *found;
  const auto row_of = [&](std::string_view path) {
    std::uint32_t row = 0;
    while (model->document().path(row) != path) ++row;
    return row;
  };
  constexpr std::uint64_t kBlock = 64 * 192 + 64 * 64 + 64 * 256;
  EXPECT_EQ(rows.parameters[row_of("h.0")], kBlock);
  EXPECT_EQ(rows.parameters[row_of("h")], 2 * kBlock);
  EXPECT_EQ(rows.parameters[row_of("wte")], 64'000U);
  // The tied weight counts in each of its modules, and once above both.
  EXPECT_EQ(rows.parameters[row_of("lm_head")], 64'000U);
  EXPECT_EQ(rows.parameters[0], 2 * kBlock + 64'000U);
  EXPECT_EQ(rows.parameters[0], rows.totals.parameters);
  EXPECT_EQ(rows.bytes[0], rows.totals.bytes);
  EXPECT_EQ(rows.tensors.size(), 8U);
  EXPECT_FALSE(rows.is_shown(row_of("h.0.attn.c_attn.bias")));
  EXPECT_FALSE(rows.is_match(row_of("h.0.attn.c_attn")));

  const auto wrong = filter_rows(model->shared_document(), "a shape:x");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().where, testing::HasSubstr("a shape:x"));
  EXPECT_FALSE(filter_rows(model->shared_document(), "  ").ok());
}

TextError query_error(std::string_view text) {
  const SearchQuery query = parse_query(text);
  EXPECT_TRUE(query.error.has_value()) << text;
  EXPECT_TRUE(query.terms.empty());
  return query.error.value_or(TextError());
}

TEST(QueryErrors, SayWhatAndWhere) {
  EXPECT_EQ(query_error("attn shap:3").found, "no field is called shap:");
  EXPECT_EQ(query_error("attn shap:3").begin, 5U);
  EXPECT_EQ(query_error("attn shap:3").end, 10U);
  EXPECT_EQ(query_error("shape:4,y").found, "shape:4,y is no shape");
  EXPECT_EQ(query_error(">1Q").found, ">1Q is no number");
  EXPECT_EQ(query_error("size:").found, "nothing behind size:");
  EXPECT_EQ(query_error("kind:moon").found, "moon is none of them");
  EXPECT_EQ(query_error("kind:moon").expected, "module, parameter, param, buffer, tensor, container, value, other");
  EXPECT_EQ(query_error("a /b(c/").begin, 4U);
  EXPECT_EQ(query_error("a.b" + std::string(300, 'c')).found, "the text is too long");
  EXPECT_EQ(query_error("\"\"").found, "an empty text");
  std::string many;
  for (int word = 0; word < 40; ++word) many += "w ";
  EXPECT_EQ(query_error(many).found, "too many conditions");
}

TEST(QueryErrors, NoTextIsATrap) {
  constexpr std::string_view kSigns = "a1.,:*<>=-!/\"()[]x kMBbf16 shape: size:";
  std::uint32_t state = 1;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int letter = 0; letter < round % 14; ++letter) {
      state = state * 1664525U + 1013904223U;
      text += kSigns[(state >> 8U) % kSigns.size()];
    }
    const SearchQuery query = parse_query(text);
    if (query.error) {
      EXPECT_LE(query.error->begin, query.error->end) << text;
      EXPECT_LE(query.error->end, text.size()) << text;
      EXPECT_FALSE(query.error->expected.empty()) << text;
    }
  }
}

TEST(QueryExamples, WhatTheReadmeAndTheBoxSayIsUnderstood) {
  for (const char* text :
       {"attn weight", "-bias",        "\"two words\"", "h.0.attn",     "/(q|k)_proj\\.weight$/",
        "bf16",        "dtype:float8", "class:Linear",  "name:=weight", "kind:buffer",
        "is:tied",     ">1M",          "10k..20k",      ">=2GB",        "bytes:<512",
        "rank:2",      "shape:4096,*", "shape:...,768", "meta:licence", "attn bf16 >1M shape:768,*"}) {
    const SearchQuery query = parse_query(text);
    EXPECT_FALSE(query.error.has_value()) << text;
    EXPECT_FALSE(query.terms.empty()) << text;
  }
  EXPECT_EQ(parse_query("10k..20k").terms[0].kind, QueryTerm::Kind::Count);
}

TEST(QueryCommands, BeginWithAGreaterThanButNoNumber) {
  EXPECT_EQ(command_text(">theme"), "theme");
  EXPECT_EQ(command_text("> theme"), " theme");
  EXPECT_EQ(command_text(">"), "");
  EXPECT_FALSE(command_text(">1M").has_value());
  EXPECT_FALSE(command_text(">=1M").has_value());
  EXPECT_FALSE(command_text("attn >1M").has_value());
}

}  // namespace
}  // namespace nns::model
