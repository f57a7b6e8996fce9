// The ops as Python calls them: how arguments are matched, and PyTorch's words for those that do not fit.
#include <gtest/gtest.h>

#include "tests/ops/py.h"

namespace nns::py {
namespace {

Py vector() { return torch("tensor")(list({1.0, 2.0, 3.0})); }
Py matrix() { return torch("tensor")(list({list({1.0, 2.0}), list({3.0, 4.0})})); }

TEST(BoundOp, TakesArgumentsByPositionAndByName) {
  EXPECT_EQ(shown([] { return torch("add")({vector(), vector(), kw("alpha", 2)}); }), "tensor([3., 6., 9.])");
  EXPECT_EQ(shown([] { return vector().attr("add")(kw("other", 1)); }), "tensor([2., 3., 4.])");
  EXPECT_EQ(shown([] { return torch("sum")({kw("input", matrix()), kw("dim", 0)}); }), "tensor([4., 6.])");
  EXPECT_EQ(shown([] { return torch("add")({2, vector()}); }), "tensor([3., 4., 5.])");
}

TEST(BoundOp, SizesAreATupleOrLooseInts) {
  EXPECT_EQ(shown([] { return matrix().attr("view")({4, 1}).attr("shape"); }), "torch.Size([4, 1])");
  EXPECT_EQ(shown([] { return matrix().attr("view")(tuple({4})).attr("shape"); }), "torch.Size([4])");
  EXPECT_EQ(shown([] { return matrix().attr("permute")({1, 0}); }), "tensor([[1., 3.],\n        [2., 4.]])");
  EXPECT_EQ(shown([] { return matrix().attr("sum")(tuple({0, 1})); }), "tensor(10.)");
  EXPECT_EQ(
      error_of([] {
        matrix().attr("view")({4, "a"});
      }),
      "TypeError: view(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of "
      "ints,but got str\"");
}

TEST(BoundOp, InPlaceGivesTheTensorItself) {
  const Outcome outcome = run([] {
    const Py x = vector();
    builtin("print")({is(x.attr("add_")(1), x), x, x.attr("_version")});
    builtin("print")(is(in_place("*", x, 2), x));
  });
  EXPECT_EQ(outcome.out, "True tensor([2., 3., 4.]) 1\nTrue\n");
}

TEST(BoundOp, SeveralResultsHaveNames) {
  EXPECT_EQ(shown([] { return matrix().attr("max")(1); }),
            "torch.return_types.max(\nvalues=tensor([2., 4.]),\nindices=tensor([1, 1]))");
  EXPECT_EQ(shown([] { return matrix().attr("min")(kw("dim", 0)).attr("values"); }), "tensor([1., 2.])");
}

TEST(BoundOp, OutIsWritten) {
  EXPECT_EQ(shown([] {
              const Py out = torch("zeros")(3);
              torch("mul")({vector(), 2, kw("out", out)});
              return out;
            }),
            "tensor([2., 4., 6.])");
  EXPECT_EQ(error_of([] {
              torch("exp")({vector().attr("requires_grad_")(), kw("out", torch("zeros")(3))});
            }),
            "RuntimeError: exp(): functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad.");
}

TEST(BoundOpError, NamesTheArgumentThatIsOfAnotherType) {
  EXPECT_EQ(error_of([] { vector().attr("add")("a"); }),
            "TypeError: add(): argument 'other' (position 1) must be Tensor, not str");
  EXPECT_EQ(error_of([] {
              torch("add")({vector(), "a"});
            }),
            "TypeError: add(): argument 'other' (position 2) must be Tensor, not str");
  EXPECT_EQ(error_of([] { torch("relu")(3); }),
            "TypeError: relu(): argument 'input' (position 1) must be Tensor, not int");
  EXPECT_EQ(error_of([] {
              torch("cumsum")({vector(), kw("dim", "a")});
            }),
            "TypeError: cumsum(): argument 'dim' must be int, not str");
  EXPECT_EQ(error_of([] { torch("cat")(3); }),
            "TypeError: cat(): argument 'tensors' (position 1) must be tuple of Tensors, not int");
  EXPECT_EQ(error_of([] {
              torch("cat")(list({vector(), 3}));
            }),
            "TypeError: expected Tensor as element 1 in argument 1, but got int");
}

TEST(BoundOpError, CountsTheArguments) {
  EXPECT_EQ(error_of([] { torch("relu")(); }), "TypeError: relu() missing 1 required positional arguments: \"input\"");
  EXPECT_EQ(error_of([] { torch("mm")(); }),
            "TypeError: mm() missing 2 required positional argument: \"input\", \"mat2\"");
  EXPECT_EQ(error_of([] {
              torch("relu")({vector(), 1});
            }),
            "TypeError: relu() takes 1 positional argument but 2 were given");
  EXPECT_EQ(error_of([] {
              vector().attr("cumsum")({0, 1});
            }),
            "TypeError: cumsum() takes 1 positional argument but 2 were given");
  EXPECT_EQ(error_of([] {
              torch("relu")({vector(), kw("dim", 0)});
            }),
            "TypeError: relu() got an unexpected keyword argument 'dim'");
  EXPECT_EQ(error_of([] {
              torch("relu")({vector(), kw("input", vector())});
            }),
            "TypeError: relu() got multiple values for argument 'input'");
}

TEST(BoundOpError, ListsTheOverloads) {
  EXPECT_EQ(error_of([] {
              torch("eq")({vector(), "a"});
            }),
            "TypeError: eq() received an invalid combination of arguments - got (Tensor, str), but expected one of:\n"
            " * (Tensor input, Tensor other, *, Tensor out = None)\n"
            " * (Tensor input, Number other, *, Tensor out = None)\n");
  EXPECT_EQ(error_of([] { vector().attr("eq")("a"); }),
            "TypeError: eq() received an invalid combination of arguments - got (str), but expected one of:\n"
            " * (Tensor other)\n"
            "      didn't match because some of the arguments have invalid types: (!str!)\n"
            " * (Number other)\n"
            "      didn't match because some of the arguments have invalid types: (!str!)\n");
}

TEST(TensorOperator, LeavesUnknownOperandsToTheOther) {
  EXPECT_EQ(error_of([] { binary("+", vector(), "a"); }),
            "TypeError: unsupported operand type(s) for +: 'Tensor' and 'str'");
  EXPECT_EQ(error_of([] { binary("@", vector(), 2); }),
            "TypeError: unsupported operand type(s) for @: 'Tensor' and 'int'");
  EXPECT_EQ(error_of([] { binary("<", vector(), "a"); }),
            "TypeError: '<' not supported between instances of 'Tensor' and 'str'");
  EXPECT_EQ(shown([] { return binary("==", vector(), "a"); }), "False");
}

TEST(TensorOperator, ANumberMayStandInFront) {
  EXPECT_EQ(shown([] { return binary("-", 1, vector()); }), "tensor([ 0., -1., -2.])");
  EXPECT_EQ(shown([] { return binary("/", 6, vector()); }), "tensor([6., 3., 2.])");
  EXPECT_EQ(shown([] { return binary("**", 2, vector()); }), "tensor([2., 4., 8.])");
  EXPECT_EQ(shown([] { return binary(">", 2, vector()); }), "tensor([ True, False, False])");
  EXPECT_EQ(shown([] { return binary("//", 7, vector()); }), "tensor([7., 3., 2.])");
  EXPECT_EQ(shown([] { return unary("-", vector()); }), "tensor([-1., -2., -3.])");
}

TEST(NumberOperator, FollowsPython) {
  EXPECT_EQ(shown([] { return binary("//", -7, 2); }), "-4");
  EXPECT_EQ(shown([] { return binary("%", -7, 3); }), "2");
  EXPECT_EQ(shown([] { return binary("%", 7.5, -2.0); }), "-0.5");
  EXPECT_EQ(shown([] { return binary("/", 1, 2); }), "0.5");
  EXPECT_EQ(shown([] { return binary("**", 2, -1); }), "0.5");
  EXPECT_EQ(error_of([] { binary("/", 1, 0); }), "ZeroDivisionError: division by zero");
  EXPECT_EQ(error_of([] { binary("+", 1, "a"); }), "TypeError: unsupported operand type(s) for +: 'int' and 'str'");
  EXPECT_EQ(shown([] { return binary("*", list({1, 2}), 2); }), "[1, 2, 1, 2]");
}

}  // namespace
}  // namespace nns::py
