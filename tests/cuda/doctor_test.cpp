// What `nnscope doctor` finds.
#include "native/cuda/doctor.h"

#include <iostream>

#include "tests/cuda/gpu_fixture.h"

namespace nns::tests {
namespace {

TEST(Examine, NamesForEachThingThatIsMissingWhatWouldBeNeeded) {
  const cuda::Diagnosis diagnosis = cuda::examine();
  ASSERT_FALSE(diagnosis.lines.empty());
  for (const cuda::DiagnosisLine& line : diagnosis.lines) {
    EXPECT_FALSE(line.what.empty());
    EXPECT_FALSE(line.found.empty()) << line.what;
    EXPECT_TRUE(line.finding != cuda::Finding::Missing || !line.remedy.empty()) << line.what;
  }
}

class Examination : public GpuFixture {};

TEST_F(Examination, FindsThatAGpuThatIsThereComputes) {
  const cuda::Diagnosis diagnosis = cuda::examine();
  for (const cuda::DiagnosisLine& line : diagnosis.lines) {
    std::cout << line.what << ": " << line.found << "\n";
    EXPECT_NE(line.finding, cuda::Finding::Broken) << line.what << ": " << line.found;
  }
  EXPECT_TRUE(diagnosis.can_compute);
}

}  // namespace
}  // namespace nns::tests
