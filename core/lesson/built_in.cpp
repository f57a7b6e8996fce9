#include "core/lesson/lesson.h"
#include "core/lesson/lesson_texts.h"

namespace nns::lesson {

std::string_view text_of_built_in(std::string_view name) {
  if (name == "conv1") return lesson_texts::kConv1Md;
  if (name == "setattr") return lesson_texts::kSetattrMd;
  if (name == "ddp") return lesson_texts::kDdpMd;
  if (name == "dataparallel") return lesson_texts::kDataparallelMd;
  if (name == "overlap") return lesson_texts::kOverlapMd;
  if (name == "init") return lesson_texts::kInitMd;
  if (name == "call") return lesson_texts::kCallMd;
  if (name == "state") return lesson_texts::kStateMd;
  if (name == "variables") return lesson_texts::kVariablesMd;
  if (name == "sequential") return lesson_texts::kSequentialMd;
  if (name == "guards") return lesson_texts::kGuardsMd;
  if (name == "breaks") return lesson_texts::kBreaksMd;
  return {};
}

}  // namespace nns::lesson
