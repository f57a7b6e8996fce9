// x[key] and x[key] = value as Python writes them, and PyTorch's words for keys that do not fit.
#include <gtest/gtest.h>

#include "tests/ops/py.h"

namespace nns::py {
namespace {

// 0 .. 5 in two rows of three.
Py grid() { return torch("arange")(6.0).attr("reshape")({2, 3}); }
Py places(std::initializer_list<Py> items) { return torch("tensor")(list(items)); }

TEST(TensorSubscript, IntsSlicesAndNoneGiveViews) {
  EXPECT_EQ(shown([] { return grid().item(1); }), "tensor([3., 4., 5.])");
  EXPECT_EQ(shown([] { return grid().item(tuple({-1, 0})); }), "tensor(3.)");
  EXPECT_EQ(shown([] {
              return grid().item(tuple({slice({}, {}), slice({}, {}, 2)}));
            }),
            "tensor([[0., 2.],\n        [3., 5.]])");
  EXPECT_EQ(shown([] { return grid().item(tuple({ellipsis(), 0})); }), "tensor([0., 3.])");
  EXPECT_EQ(shown([] { return grid().item(tuple({Py(), 1})).attr("shape"); }), "torch.Size([1, 3])");
  EXPECT_EQ(shown([] { return grid().item(true).attr("shape"); }), "torch.Size([1, 2, 3])");
  EXPECT_EQ(shown([] { return grid().item(false).attr("shape"); }), "torch.Size([0, 2, 3])");
}

TEST(TensorSubscript, TensorsAndListsChooseItems) {
  EXPECT_EQ(shown([] {
              return grid().item(tuple({slice({}, {}), places({2, 0})}));
            }),
            "tensor([[2., 0.],\n        [5., 3.]])");
  EXPECT_EQ(shown([] { return grid().item(list({1, 0, 1})).attr("shape"); }), "torch.Size([3, 3])");
  EXPECT_EQ(shown([] { return grid().item(tuple({places({0, 1}), places({-1, 0})})); }), "tensor([2., 3.])");
  EXPECT_EQ(shown([] {
              const Py x = grid();
              return x.item(binary(">", x, 2.5));
            }),
            "tensor([3., 4., 5.])");
  EXPECT_EQ(shown([] { return grid().item(places({true, false})); }), "tensor([[0., 1., 2.]])");
  // Indices with a slice between them stand in front.
  EXPECT_EQ(shown([] {
              const Py cube = torch("zeros")({4, 5, 6});
              return cube.item(tuple({places({0, 1}), slice({}, {}), places({2, 3})})).attr("shape");
            }),
            "torch.Size([2, 5])");
}

TEST(TensorSubscript, AssignmentWritesAndCounts) {
  const Outcome outcome = run([] {
    const Py x = torch("zeros")({2, 3});
    x.set_item(0, 1.5);
    x.set_item(tuple({1, slice(1, {})}), torch("tensor")(list({2.0, 3.0})));
    builtin("print")({x.attr("tolist")(), x.attr("_version")});
    x.set_item(binary(">", x, 1.9), 9);
    x.set_item(tuple({slice({}, {}), places({0})}), -1.0);
    builtin("print")({x.attr("tolist")()});
  });
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out,
            "[[1.5, 1.5, 1.5], [0.0, 2.0, 3.0]] 2\n"
            "[[-1.0, 1.5, 1.5], [-1.0, 9.0, 9.0]]\n");
}

TEST(TensorSubscript, GradientsFlowThroughAssignment) {
  const Outcome outcome = run([] {
    const Py x = torch("ones")({3, kw("requires_grad", true)});
    const Py v = torch("tensor")({list({2.0, 3.0}), kw("requires_grad", true)});
    const Py y = binary("*", x, 1);
    y.set_item(places({2, 0}), v);
    binary("*", y, torch("tensor")(list({1.0, 10.0, 100.0}))).attr("sum")().attr("backward")();
    builtin("print")({x.attr("grad").attr("tolist")(), v.attr("grad").attr("tolist")()});
  });
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.out, "[0.0, 10.0, 0.0] [100.0, 1.0]\n");
}

TEST(TensorSubscriptError, SaysWhatDoesNotFit) {
  EXPECT_EQ(error_of([] { grid().item(2); }), "IndexError: index 2 is out of bounds for dimension 0 with size 2");
  EXPECT_EQ(error_of([] {
              grid().item(tuple({0, 3}));
            }),
            "IndexError: index 3 is out of bounds for dimension 1 with size 3");
  EXPECT_EQ(error_of([] { grid().item(tuple({0, 0, 0})); }), "IndexError: too many indices for tensor of dimension 2");
  EXPECT_EQ(
      error_of([] { torch("tensor")(1.0).item(0); }),
      "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
      "convert a 0-dim tensor to a number");
  EXPECT_EQ(error_of([] { grid().item("a"); }), "TypeError: new(): invalid data type 'str'");
  EXPECT_EQ(error_of([] { grid().item(slice({}, {}, -1)); }), "ValueError: step must be greater than zero");
  EXPECT_EQ(error_of([] {
              grid().item(places({true, false, true}));
            }),
            "IndexError: The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [2, 3] at "
            "index 0");
  EXPECT_EQ(error_of([] {
              grid().item(tuple({places({0, 1}), places({0, 1, 2})}));
            }),
            "IndexError: shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]");
  EXPECT_EQ(error_of([] { grid().item(places({0.5})); }),
            "IndexError: tensors used as indices must be long, int, byte or bool tensors");
  EXPECT_EQ(error_of([] { grid().item(places({5})); }),
            "IndexError: index 5 is out of bounds for dimension 0 with size 2");
  EXPECT_EQ(error_of([] { grid().set_item(0, "a"); }), "TypeError: can't assign a str to a torch.FloatTensor");
  EXPECT_EQ(error_of([] {
              grid().set_item(0, places({1.0, 2.0}));
            }),
            "RuntimeError: The expanded size of the tensor (3) must match the existing size (2) at non-singleton "
            "dimension 0.  Target sizes: [3].  Tensor sizes: [2]");
}

TEST(TensorSelection, ChoosesByMaskByPlaceAndInOrder) {
  EXPECT_EQ(shown([] { return torch("masked_select")({grid(), binary("<", grid(), 2)}); }), "tensor([0., 1.])");
  EXPECT_EQ(shown([] { return torch("nonzero")(places({0, 3, 0, 5})); }), "tensor([[1],\n        [3]])");
  EXPECT_EQ(shown([] { return torch("take")({grid(), places({4, 0})}); }), "tensor([4., 0.])");
  EXPECT_EQ(shown([] {
              return places({3.0, 1.0, 2.0}).attr("sort")(kw("descending", true)).attr("indices");
            }),
            "tensor([0, 2, 1])");
  EXPECT_EQ(shown([] { return torch("argsort")(places({3.0, 1.0, 2.0})); }), "tensor([1, 2, 0])");
  EXPECT_EQ(shown([] { return torch("topk")({places({3.0, 1.0, 2.0}), 2}).attr("values"); }), "tensor([3., 2.])");
  EXPECT_EQ(shown([] { return places({1, 2}).attr("repeat_interleave")(2); }), "tensor([1, 1, 2, 2])");
  EXPECT_EQ(shown([] { return torch("zeros")(3).attr("index_fill")({0, places({1}), 5}); }), "tensor([0., 5., 0.])");
  EXPECT_EQ(shown([] { return torch("allclose")({places({1.0}), places({1.0 + 1e-7})}); }), "True");
  EXPECT_EQ(shown([] { return torch("diff")(places({1, 4, 9})); }), "tensor([3, 5])");
}

TEST(TensorEinsum, IsTheSumOfProducts) {
  EXPECT_EQ(shown([] {
              return torch("einsum")({"ij,kj->ik", grid(), grid()});
            }),
            "tensor([[ 5., 14.],\n        [14., 50.]])");
  EXPECT_EQ(shown([] { return torch("einsum")({"ij->j", grid()}); }), "tensor([3., 5., 7.])");
  EXPECT_EQ(shown([] { return torch("einsum")({"ij,ij->", grid(), grid()}); }), "tensor(55.)");
  EXPECT_EQ(shown([] { return torch("einsum")({"...j,j", grid(), places({1.0, 0.0, 2.0})}); }), "tensor([ 4., 13.])");
  EXPECT_EQ(shown([] { return torch("einsum")({"ii", torch("eye")(3)}); }), "tensor(3.)");
  EXPECT_EQ(shown([] { return torch("tensordot")({grid(), grid(), kw("dims", 2)}); }), "tensor(55.)");
}

TEST(TensorShape, HasTorchsOtherNames) {
  EXPECT_EQ(shown([] {
              return torch("zeros")({2, 3, 4}).attr("movedim")({0, -1}).attr("shape");
            }),
            "torch.Size([3, 4, 2])");
  EXPECT_EQ(shown([] {
              return torch("meshgrid")({places({1, 2}), places({3, 4}), kw("indexing", "ij")}).item(0);
            }),
            "tensor([[1, 1],\n        [2, 2]])");
  EXPECT_EQ(shown([] { return grid().attr("T").attr("shape"); }), "torch.Size([3, 2])");
  EXPECT_EQ(shown([] {
              return torch("vstack")(list({places({1, 2}), places({3, 4})}));
            }),
            "tensor([[1, 2],\n        [3, 4]])");
  EXPECT_EQ(shown([] { return places({1, 2}).attr("tile")({2, 1}).attr("shape"); }), "torch.Size([2, 2])");
}

}  // namespace
}  // namespace nns::py
