#include "core/session/host.h"
#include "core/session/package_job.h"
#include "core/session/python_program.h"
#include "core/session/trace_log_document.h"
#include "core/session/training_messages.h"

namespace nns::session {

Abilities all_abilities() {
  return {.samples = built_in_samples(),
          .programs = make_python_program,
          .first_document = 1,
          .check_source = check_python_source,
          .read_lesson = lesson::read_lesson,
          .open_trace_log = make_open_trace_log_job,
          .read_package = make_read_package_job,
          .recipes = recipe_list};
}

}  // namespace nns::session
