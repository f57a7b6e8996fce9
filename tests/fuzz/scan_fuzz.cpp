// A scan ends, whatever it is given; slices of no time find what one slice finds.
#include "core/checkpoint/scan.h"
#include "tests/fuzz/open_fuzz.h"

namespace {

nns::checkpoint::ScanReport scan(const std::uint8_t* data, std::size_t size, nns::base::Budget::Clock::duration slice,
                                 bool& is_read) {
  nns::checkpoint::ScanTask task(nns::tests::fuzz_source(data, size));
  while (true) {
    const auto done = task.step(nns::base::Budget(slice));
    if (!done.ok() && done.error().found.empty()) nns::tests::fail_fuzz("a refusal without a reason");
    is_read = done.ok();
    if (!done.ok() || *done) return task.report();
    if (task.done() > task.total()) nns::tests::fail_fuzz("more done than there is");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bool whole_read = false;
  bool sliced_read = false;
  const auto whole = scan(data, size, std::chrono::hours(1), whole_read);
  const auto sliced = scan(data, size, std::chrono::nanoseconds(0), sliced_read);
  if (whole_read != sliced_read || whole.findings.size() != sliced.findings.size() ||
      whole.verdict() != sliced.verdict()) {
    nns::tests::fail_fuzz("slices find something else");
  }
  for (const auto& finding : whole.findings) {
    if (finding.name.empty() && finding.why.empty()) nns::tests::fail_fuzz("a finding that says nothing");
  }
  return 0;
}
