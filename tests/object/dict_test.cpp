#include "core/object/dict.h"

#include <gtest/gtest.h>

#include <random>

#include "core/object/copy.h"
#include "core/object/default_dict.h"
#include "core/object/interpreter.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

std::string text_of(Interpreter& in, const Ref<Dict>& dict) { return repr(in, Value(dict)).value(); }

TEST(DictSet, OverwritingKeepsTheKeysPlace) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  dict->set(in.intern("a"), Value(1));
  dict->set(in.intern("b"), Value(2));
  dict->set(in.intern("a"), Value(3));
  EXPECT_EQ(text_of(in, dict), "{'a': 3, 'b': 2}");
}

TEST(DictErase, ARemovedKeyComesBackAtTheEnd) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  for (const char* name : {"a", "b", "c"}) dict->set(in.intern(name), Value(0));
  EXPECT_TRUE(dict->erase(in.intern("a")));
  EXPECT_FALSE(dict->erase(in.intern("a")));
  dict->set(in.intern("a"), Value(1));
  EXPECT_EQ(text_of(in, dict), "{'b': 0, 'c': 0, 'a': 1}");
}

TEST(DictFind, TextsAreFoundWhetherInternedOrNot) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  dict->set(in.text("layer.0.weight"), Value(1));
  dict->set(in.intern("bias"), Value(2));
  ASSERT_NE(dict->find(in.intern("layer.0.weight")), nullptr);
  ASSERT_NE(dict->find(in.text("bias")), nullptr);
  ASSERT_NE(dict->find(std::string_view("bias")), nullptr);
  EXPECT_EQ(dict->find(in.intern("weight")), nullptr);
}

TEST(DictFind, EqualNumbersAreOneKey) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  dict->set(Value(1), in.text("one"));
  EXPECT_TRUE(dict->contains(Value(1.0)));
  EXPECT_TRUE(dict->contains(Value(true)));
  dict->set(in.tuple({Value(1), in.text("x")}), Value(5));
  EXPECT_TRUE(dict->contains(in.tuple({Value(1.0), in.text("x")})));
}

TEST(DictAnyOperations, AgreeWithAPlainListOfPairs) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  std::vector<std::pair<int, int>> model;
  std::mt19937 random(7);
  for (int step = 0; step < 20'000; ++step) {
    const int key = static_cast<int>(random() % 120);
    const auto found = std::find_if(model.begin(), model.end(), [key](const auto& pair) { return pair.first == key; });
    if (random() % 3 != 0) {
      dict->set(Value(key), Value(step));
      if (found != model.end()) {
        found->second = step;
      } else {
        model.emplace_back(key, step);
      }
    } else {
      EXPECT_EQ(dict->erase(Value(key)), found != model.end());
      if (found != model.end()) model.erase(found);
    }
    ASSERT_EQ(dict->size(), model.size());
  }
  std::size_t i = 0;
  for (std::size_t at = 0; Dict::Entry* entry = dict->next(at); ++i) {
    EXPECT_EQ(entry->key.as_int(), model[i].first);
    EXPECT_EQ(entry->value.as_int(), model[i].second);
  }
  EXPECT_EQ(i, model.size());
}

TEST(DictMoveToEnd, TheFrontComesFirst) {
  Interpreter in;
  const Ref<Dict> dict = in.ordered_dict();
  for (int i = 0; i < 12; ++i) dict->set(Value(i), Value());
  dict->move_to_end(Value(11), false);
  dict->move_to_end(Value(3), true);
  std::size_t at = 0;
  EXPECT_EQ(dict->next(at)->key.as_int(), 11);
  at = dict->slot_count();
  EXPECT_EQ(dict->previous(at)->key.as_int(), 3);
  EXPECT_EQ(dict->size(), 12U);
}

TEST(DictRead, AnEmptyContainerBecomesRealOnce) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  dict->set(in.intern("hooks"), Value::empty(EmptyKind::OrderedDict));
  const Value first = *dict->find(in.intern("hooks"));
  ASSERT_NE(first.as<Dict>(), nullptr);
  EXPECT_TRUE(dict->find(in.intern("hooks"))->is(first));
  EXPECT_EQ(in.type_of(first).name(), "OrderedDict");
}

TEST(DictIterator, ANewKeyDuringIterationIsAnError) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  dict->set(Value(1), Value());
  const Value iterator = iter(in, Value(dict)).value();
  EXPECT_EQ(next(in, iterator).value().as_int(), 1);
  dict->set(Value(2), Value());
  const auto after = next(in, iterator);
  ASSERT_FALSE(after.ok());
  EXPECT_EQ(after.error().message(), "dictionary changed size during iteration");
}

TEST(DictWatch, EveryChangeIsCounted) {
  Interpreter in;
  const Ref<Dict> dict = in.dict();
  std::uint64_t changes = 0;
  dict->watch(&changes);
  dict->set(Value(1), Value());
  dict->set(Value(1), Value(2));
  dict->erase(Value(1));
  EXPECT_EQ(changes, 3U);
}

TEST(DefaultDict, MakesWhatIsMissingWhenItIsReadWithBrackets) {
  Interpreter in;
  const Ref<DefaultDict> dict =
      make_default_dict(define_default_dict(in), Value(static_cast<Object*>(in.builtins().list)));
  const Value made = getitem(in, Value(dict), in.text("a")).value();
  made.as<List>()->append(Value(1));
  EXPECT_EQ(text_of(in, dict), "defaultdict(<class 'list'>, {'a': [1]})");
  EXPECT_EQ(dict->find(std::string_view("b")), nullptr);
  EXPECT_TRUE(in.call_method(Value(dict), in.intern("get"), {in.text("b")}).value().is_none());
  EXPECT_EQ(dict->size(), 1U);
}

TEST(DefaultDict, WithoutAFactoryAMissingKeyIsAnError) {
  Interpreter in;
  const Ref<DefaultDict> dict = make_default_dict(define_default_dict(in), Value());
  const auto read = getitem(in, Value(dict), Value(3));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().type(), "KeyError");
  EXPECT_EQ(read.error().message(), "3");
}

TEST(DefaultDict, CopiesKeepTheFactory) {
  Interpreter in;
  const Value factory(static_cast<Object*>(in.builtins().dict));
  const Value dict(make_default_dict(define_default_dict(in), factory));
  ASSERT_TRUE(setitem(in, dict, in.text("a"), Value(in.list())).ok());
  const Value shallow = in.call_method(dict, in.intern("copy")).value();
  const Value deep = deep_copy(in, dict).value();
  for (const Value& copy : {shallow, deep}) {
    EXPECT_EQ(repr(in, copy).value(), "defaultdict(<class 'dict'>, {'a': []})");
    EXPECT_EQ(repr(in, getitem(in, copy, in.text("b")).value()).value(), "{}");
  }
  EXPECT_TRUE(shallow.as<Dict>()->find("a")->is(*dict.as<Dict>()->find("a")));
  EXPECT_FALSE(deep.as<Dict>()->find("a")->is(*dict.as<Dict>()->find("a")));
}

}  // namespace
}  // namespace nns::object
