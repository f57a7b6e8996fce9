#include "core/live/document_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/sample_document.h"

namespace nns::live {
namespace {

std::shared_ptr<const DocumentView> view_of(live::Bytes bytes) {
  auto message = Message::verify(std::move(bytes));
  EXPECT_TRUE(message.ok());
  auto view = DocumentView::check(*message);
  EXPECT_TRUE(view.ok());
  return *view;
}

// The refusal of a document after `damage` changed one of its columns in place.
std::string refusal_after(const std::function<void(wire::Document&)>& damage) {
  live::Bytes bytes = tests::DocumentBuilder().begin("a").tensor("weight", {2, 3}).end().begin("b").end().message();
  damage(*static_cast<wire::Document*>(wire::GetMutableMessage(bytes.data())->mutable_body()));
  auto message = Message::verify(std::move(bytes));
  if (!message.ok()) return message.error().message();
  const auto view = DocumentView::check(*message);
  return view.ok() ? "accepted" : view.error().message();
}

TEST(DocumentViewCheck, GettersGiveWhatTheColumnsSay) {
  const auto view = view_of(tests::DocumentBuilder("net")
                                .begin("layers", "ModuleList")
                                .begin("0", "Linear")
                                .tensor("weight", {2, 3})
                                .message());
  EXPECT_EQ(view->row_count(), 4U);
  EXPECT_EQ(view->title(), "net");
  EXPECT_EQ(view->parent(0), kNone);
  EXPECT_EQ(view->end(1), 4U);
  EXPECT_EQ(view->class_name(2), "Linear");
  EXPECT_EQ(view->kind(3), RowKind::Parameter);
  EXPECT_EQ(view->path(3), "layers.0.weight");
  EXPECT_EQ(view->path(0), "");
  EXPECT_EQ(view->parameters(0), 6U);
  const std::uint32_t tensor = view->tensor(3);
  EXPECT_EQ(view->dtype_name(tensor), "float32");
  EXPECT_THAT(view->shape(tensor), testing::ElementsAre(2, 3));
  EXPECT_THAT(view->stride(tensor), testing::ElementsAre(3, 1));
  EXPECT_EQ(view->node(tensor), 3U);
  EXPECT_EQ(view->nbytes(tensor), 24U);
}

TEST(DocumentViewPath, NamesBelowAContainerAreJoinedBySlashes) {
  const auto view = view_of(tests::DocumentBuilder()
                                .begin("optimizer", "dict", RowKind::Container)
                                .begin("state", "dict", RowKind::Container)
                                .tensor("step", {}, RowKind::Tensor)
                                .message());
  EXPECT_EQ(view->path(3), "optimizer/state/step");
}

// `Tree.structure` and others are not asked: any number is fine there.
#define NNS_MUTATE(table, column, at, value) \
  refusal_after([](wire::Document& document) { document.mutable_##table()->mutable_##column()->Mutate(at, value); })

TEST(DocumentViewCheck, ADamagedColumnIsRefusedAndNamed) {
  EXPECT_THAT(NNS_MUTATE(tree, parent, 0, 0), testing::HasSubstr("root"));
  EXPECT_THAT(NNS_MUTATE(tree, end, 0, 3), testing::HasSubstr("root"));
  EXPECT_THAT(NNS_MUTATE(tree, parent, 2, 2), testing::HasSubstr("row 2"));
  EXPECT_THAT(NNS_MUTATE(tree, parent, 2, 0), testing::HasSubstr("row 2"));
  EXPECT_THAT(NNS_MUTATE(tree, end, 2, 2), testing::HasSubstr("row 2"));
  EXPECT_THAT(NNS_MUTATE(tree, end, 2, 4), testing::HasSubstr("row 2"));
  EXPECT_THAT(NNS_MUTATE(tree, end, 1, 1), testing::HasSubstr("row 1"));
  EXPECT_THAT(NNS_MUTATE(tree, name, 1, 99), testing::HasSubstr("string"));
  EXPECT_THAT(NNS_MUTATE(tree, class_name, 1, UINT32_MAX), testing::HasSubstr("string"));
  EXPECT_THAT(NNS_MUTATE(tree, preview, 1, 99), testing::HasSubstr("string"));
  EXPECT_THAT(NNS_MUTATE(tree, kind, 1, 6), testing::HasSubstr("kind"));
  EXPECT_THAT(NNS_MUTATE(tree, tensor, 1, 1), testing::HasSubstr("tensor 1"));
  EXPECT_THAT(NNS_MUTATE(tree, text_offsets, 1, 1000), testing::HasSubstr("string"));
  EXPECT_THAT(NNS_MUTATE(tensors, node, 0, 4), testing::HasSubstr("row 4"));
  EXPECT_THAT(NNS_MUTATE(tensors, dtype, 0, 1), testing::HasSubstr("dtype"));
  EXPECT_THAT(NNS_MUTATE(tensors, rank, 0, 3), testing::HasSubstr("shape"));
  EXPECT_THAT(NNS_MUTATE(tensors, dims_begin, 0, UINT32_MAX), testing::HasSubstr("shape"));
}

TEST(DocumentViewCheck, ACloseRowThatClaimsAnotherSubtreeIsRefused) {
  // Row 3 is a sibling of row 1; as its child it would have to begin before row 1 ends.
  EXPECT_THAT(NNS_MUTATE(tree, parent, 3, 1), testing::HasSubstr("row 3"));
}

TEST(DocumentViewCheck, TheSampleItselfIsAccepted) {
  EXPECT_EQ(refusal_after([](wire::Document&) {}), "accepted");
}

}  // namespace
}  // namespace nns::live
