#include "native/cli/doctor_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "native/cli/exit_status.h"
#include "native/cuda/doctor.h"

namespace nns::cli {

int run_doctor(const Terminal& terminal) {
  const cuda::Diagnosis diagnosis = cuda::examine();
  std::size_t width = 0;
  bool is_broken = false;
  for (const cuda::DiagnosisLine& line : diagnosis.lines) width = std::max(width, line.what.size());
  for (const cuda::DiagnosisLine& line : diagnosis.lines) {
    const bool is_fine = line.finding == cuda::Finding::Fine;
    is_broken = is_broken || line.finding == cuda::Finding::Broken;
    const Style style = is_fine                                  ? Style::Value
                        : line.finding == cuda::Finding::Missing ? Style::Warning
                                                                 : Style::Danger;
    fmt::print("{:<{}}  {}\n", line.what, width, terminal.paint(style, printable(line.found)));
    if (!line.remedy.empty()) fmt::print("{:<{}}  needs: {}\n", "", width, printable(line.remedy));
  }
  fmt::print("{}\n", diagnosis.can_compute ? "Modules can be computed on a GPU here."
                                           : "Everything is computed on the CPU here.");
  return is_broken ? kFound : kFine;
}

}  // namespace nns::cli
