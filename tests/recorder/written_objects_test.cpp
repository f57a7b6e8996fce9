// Objects that a program writes into in every way that is recorded as a difference, shown as they were.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/recorder/recorded_program.h"

namespace nns::tests {
namespace {

using trace::EventId;

/// Runs a program that tells before each `pass` with print(repr(...)) what `object` holds, and compares that with the
/// recording at that `pass`. Gives how often that was.
int compare(const std::string& source, const std::string& object) {
  const RecordedProgram run(source);
  EXPECT_EQ(run.error, "");
  int compared = 0;
  std::size_t begin = 0;
  for (EventId at = 0; at < run.trace.size(); ++at) {
    const trace::Event& event = run.trace.event(at);
    if (event.kind != trace::EventKind::Statement) continue;
    const trace::Position place = run.trace.position(event);
    if (source.substr(place.begin, place.end - place.begin) != "pass") continue;
    const std::size_t end = run.out.find('\n', begin);
    const trace::ObjectView view = run.object(at, object);
    EXPECT_EQ(fmt::format("{} {}", view.total, run.entries(view, at)), run.out.substr(begin, end - begin)) << at;
    begin = end + 1;
    ++compared;
  }
  EXPECT_EQ(begin, run.out.size());
  return compared;
}

constexpr const char* kTellList = "def tell(a):\n    print(len(a), ', '.join(map(repr, a[:64])))\n";

TEST(WrittenObjects, AListWhoseItemsComeAndGoAnywhere) {
  EXPECT_EQ(compare(std::string(kTellList) + R"(
a = []
for i in range(200):
    if i % 3 != 1:
        a.insert(i % 7 - 3, i)
    elif i % 2:
        a.append(-i)
    else:
        a.insert(1000, 'end')
    if i % 4 == 0:
        a.pop()
    if i % 9 == 0 and a:
        a.pop(0)
    if i % 11 == 0 and len(a) > 2:
        a.pop(-2)
        a[1] = i
    tell(a)
    pass
)",
                    "a"),
            200);
}

// What stands behind the entries that are kept comes into sight when one of them goes.
TEST(WrittenObjects, AListThatIsLongerThanWhatIsKeptShrinks) {
  EXPECT_EQ(compare(std::string(kTellList) + R"(
a = list(range(70))
while a:
    a.pop(len(a) // 2)
    tell(a)
    pass
    if len(a) % 10 == 3:
        a.insert(2, 'x')
        a.insert(66, 'y')
        a.pop(True)
        a.pop(0)
        a.pop()
        tell(a)
        pass
)",
                    "a"),
            70);
}

TEST(WrittenObjects, CallsThatFailChangeNothing) {
  EXPECT_EQ(compare(std::string(kTellList) + R"(
class Index:
    def __index__(self):
        return 1
a = [1, 2, 3]
for call in (lambda: a.pop(7), lambda: a.pop('x'), lambda: a.insert(None, 4), lambda: a.insert(0)):
    try:
        call()
    except (IndexError, TypeError):
        failed = True
    tell(a)
    pass
a.insert(Index(), 9)
tell(a)
pass
a.pop(Index())
tell(a)
pass
)",
                    "a"),
            6);
}

TEST(WrittenObjects, AnInstanceWhoseAttributesComeAndGo) {
  EXPECT_EQ(compare(R"(
class P:
    def __init__(self):
        self.x = 0
        self.y = 0.5
def tell(p):
    print(len(p.__dict__), ', '.join(f"{k!r}: {v!r}" for k, v in p.__dict__.items()))
p = P()
q = P()
for i in range(150):
    p.x = i
    p.y += q.x
    q.x = -i
    if i % 20 == 3:
        p.late = i
    if i % 20 == 9:
        del p.x
    if i % 30 == 5:
        del p.late
        p.late = 'again'
    if i == 70:
        p.__dict__ = {'y': 1.5, 'x': 2}
    if i > 100:
        setattr(p, 'z', i)
    tell(p)
    pass
)",
                    "p"),
            150);
}

// By all ways to its __dict__; a dict that was an object's once tells nothing of it any more.
TEST(WrittenObjects, AnInstanceWhoseDictIsWritten) {
  EXPECT_EQ(compare(R"(
class P:
    kind = 'p'
class Taken:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)
def tell(p):
    print(len(p.__dict__), ', '.join(f"{k!r}: {v!r}" for k, v in p.__dict__.items()))
p = P()
tell(p)
pass
names = p.__dict__
for i in range(60):
    p.__dict__['z'] = i
    tell(p)
    pass
    vars(p)['k%d' % (i % 3)] = -i
    tell(p)
    pass
    names.update(late=i, z='later')
    if i % 4 == 1:
        del names['late']
    if i % 4 == 2:
        p.__dict__.pop('k0', None)
    tell(p)
    pass
    if i % 10 == 7:
        p.__dict__ = {'new': i}
        names['z'] = 'of nobody'
        tell(p)
        pass
        if i > 40:
            names = p.__dict__
p = Taken(a=1, b='two')
tell(p)
pass
)",
                    "p"),
            188);
}

TEST(WrittenObjects, AModuleWhoseDictIsWritten) {
  const RecordedProgram run(R"(
import torch.nn as nn
m = nn.Linear(2, 2)
m.__dict__['note'] = 'plain'
pass
)");
  ASSERT_EQ(run.error, "");
  const EventId at = run.at_line(5, 0);
  const trace::ObjectView view = run.object(at, "m");
  EXPECT_NE(run.entries(view, at).find("'note': 'plain'"), std::string::npos) << run.entries(view, at);
}

TEST(WrittenObjects, ADictWhoseKeysComeAndGo) {
  EXPECT_EQ(compare(R"(
d = {}
for i in range(150):
    d['k%d' % (i % 9)] = i
    d[i % 4] = 'v'
    if i % 5 == 0:
        del d[i % 4]
    if i % 7 == 0:
        d.pop('k3', None)
    d['k0'] = -i
    print(len(d), ', '.join(f"{k!r}: {v!r}" for k, v in d.items()))
    pass
)",
                    "d"),
            150);
}

// An int of more than 48 bits is kept as its text.
TEST(WrittenObjects, LongIntsAreToldApartAndFoundTheSame) {
  const RecordedProgram run(
      "def f():\n    for i in range(6):\n        a = 2 ** 60 + i // 2\n        pass\n    return a\nf()\n");
  EventId at = 0;
  for (int i = 0; i < 6; ++i) {
    at = run.at_line(4, at + 1);
    EXPECT_EQ(run.value(at, "a"), std::to_string((std::int64_t{1} << 60) + i / 2));
    trace::MomentOptions options;
    options.since = at - 1;
    const trace::Moment moment = trace::moment_at(run.trace, at, options);
    for (const trace::NameView& name : moment.frames.front().names) {
      if (name.name != "a") continue;
      EXPECT_EQ(name.has_changed, i % 2 == 0) << i;
    }
  }
}

}  // namespace
}  // namespace nns::tests
