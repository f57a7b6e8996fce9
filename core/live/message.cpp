#include "core/live/message.h"

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

namespace nns::live {

namespace {

// Deeper or larger than anything this protocol says: three levels of tables, and one table an attribute or global.
constexpr flatbuffers::uoffset_t kMaxDepth = 16;
constexpr flatbuffers::uoffset_t kMaxTables = 4'000'000;

base::Error bad_enumerator(std::string_view field, unsigned value) {
  return {.found = fmt::format("{} is {}", field, value),
          .expected = "an enumerator of the protocol",
          .where = "stream",
          .offset = {}};
}

base::Result<void> check_replicas(const wire::TraceReplicas& replicas) {
  const std::uint32_t count = replicas.object()->size();
  for (const wire::TraceReplicaRow* row : *replicas.rows()) {
    if (row->values()->size() != count || row->fates()->size() != count) {
      return base::Error{.found = fmt::format("a row of {} values and {} fates for {} replicas", row->values()->size(),
                                              row->fates()->size(), count),
                         .expected = "one of each a replica",
                         .where = "stream",
                         .offset = {}};
    }
    for (const std::uint8_t fate : *row->fates()) {
      if (fate > static_cast<std::uint8_t>(wire::ReplicaFate::MAX))
        return bad_enumerator("TraceReplicaRow.fates", unsigned{fate});
    }
  }
  return {};
}

// Of bits any number may come: who reads them takes those that it knows.
base::Result<void> check_training_enumerators(const wire::Message& message) {
  if (const auto* control = message.body_as_ControlTraining()) {
    if (control->action() > wire::TrainingAction::MAX)
      return bad_enumerator("ControlTraining.action", static_cast<unsigned>(control->action()));
  } else if (const auto* hook = message.body_as_AddHook()) {
    if (hook->point() > wire::HookPoint::MAX)
      return bad_enumerator("AddHook.point", static_cast<unsigned>(hook->point()));
  } else if (const auto* training = message.body_as_Training()) {
    if (training->state() > wire::TrainingState::MAX)
      return bad_enumerator("Training.state", static_cast<unsigned>(training->state()));
  } else if (const auto* scalars = message.body_as_TrainingScalars()) {
    if (scalars->kind() > wire::ScalarKind::MAX)
      return bad_enumerator("TrainingScalars.kind", static_cast<unsigned>(scalars->kind()));
  } else if (const auto* log = message.body_as_TrainingLog()) {
    for (const wire::LogLine* line : *log->lines()) {
      if (line->level() > wire::LogLevel::MAX)
        return bad_enumerator("LogLine.level", static_cast<unsigned>(line->level()));
    }
  } else if (const auto* timeline = message.body_as_TrainingTimeline()) {
    for (const wire::Span* span : *timeline->spans()) {
      if (span->kind() > wire::SpanKind::MAX) return bad_enumerator("Span.kind", static_cast<unsigned>(span->kind()));
    }
  } else if (const auto* history = message.body_as_TensorHistory()) {
    for (const wire::Touch* touch : *history->touches()) {
      if (touch->kind() > wire::TouchKind::MAX)
        return bad_enumerator("Touch.kind", static_cast<unsigned>(touch->kind()));
    }
  } else if (const auto* alert = message.body_as_TrainingAlert()) {
    if (alert->phase() > wire::SpanKind::MAX)
      return bad_enumerator("TrainingAlert.phase", static_cast<unsigned>(alert->phase()));
  }
  return {};
}

// The verifier of FlatBuffers takes any number for an enumerator; who switches over one must not meet others.
base::Result<void> check_enumerators(const wire::Message& message) {
  if (const auto* job = message.body_as_Job()) {
    if (job->state() > wire::JobState::MAX) return bad_enumerator("Job.state", static_cast<unsigned>(job->state()));
  } else if (const auto* document = message.body_as_Document()) {
    if (document->kind() > wire::DocumentKind::MAX) {
      return bad_enumerator("Document.kind", static_cast<unsigned>(document->kind()));
    }
    for (const wire::Global* global : *document->globals()) {
      if (global->verdict() > wire::Verdict::MAX) {
        return bad_enumerator("Global.verdict", static_cast<unsigned>(global->verdict()));
      }
    }
  } else if (const auto* safety = message.body_as_Safety()) {
    for (const wire::Finding* finding : *safety->findings()) {
      if (finding->verdict() > wire::Verdict::MAX)
        return bad_enumerator("Finding.verdict", static_cast<unsigned>(finding->verdict()));
    }
  } else if (const auto* values = message.body_as_ReadTensorFile()) {
    if (values->format() > wire::ValueFormat::MAX)
      return bad_enumerator("ReadTensorFile.format", static_cast<unsigned>(values->format()));
  } else if (const auto* output = message.body_as_ProgramOutput()) {
    if (output->kind() > wire::OutputKind::MAX)
      return bad_enumerator("ProgramOutput.kind", static_cast<unsigned>(output->kind()));
  } else if (const auto* move = message.body_as_MoveInTrace()) {
    if (move->move() > wire::TraceMove::MAX)
      return bad_enumerator("MoveInTrace.move", static_cast<unsigned>(move->move()));
  } else if (const auto* moment = message.body_as_TraceMoment()) {
    if (moment->kind() > wire::TraceEvent::MAX)
      return bad_enumerator("TraceMoment.kind", static_cast<unsigned>(moment->kind()));
    for (const auto* objects : {moment->objects(), moment->selected()}) {
      for (const wire::TraceObject* object : *objects) {
        if (object->kind() > wire::TraceObjectKind::MAX)
          return bad_enumerator("TraceObject.kind", static_cast<unsigned>(object->kind()));
      }
    }
    if (const wire::TraceReplicas* const replicas = moment->replicas()) return check_replicas(*replicas);
  } else if (const auto* looks = message.body_as_SourceLooks()) {
    for (const wire::SourceToken* token : *looks->tokens()) {
      if (token->kind() > wire::TokenKind::MAX)
        return bad_enumerator("SourceToken.kind", static_cast<unsigned>(token->kind()));
    }
  } else if (const auto* details = message.body_as_ObjectDetails()) {
    for (const wire::Attribute* attribute : *details->attributes()) {
      if (attribute->place() > wire::AttributePlace::MAX) {
        return bad_enumerator("Attribute.place", static_cast<unsigned>(attribute->place()));
      }
    }
  } else if (const auto* find = message.body_as_FindValue()) {
    if (find->what() > wire::FindWhat::MAX)
      return bad_enumerator("FindValue.what", static_cast<unsigned>(find->what()));
  } else if (const auto* numbers = message.body_as_ModelStatistics()) {
    for (const wire::TensorNumbers* tensor : *numbers->tensors()) {
      if (tensor->state() > wire::NumbersState::MAX) {
        return bad_enumerator("TensorNumbers.state", static_cast<unsigned>(tensor->state()));
      }
    }
  } else {
    return check_training_enumerators(message);
  }
  return {};
}

}  // namespace

base::Result<Message> Message::verify(Bytes bytes) {
  return verify_shared(std::make_shared<const Bytes>(std::move(bytes)));
}

base::Result<Message> Message::verify_shared(std::shared_ptr<const Bytes> shared) {
  const Bytes& bytes = *shared;
  const auto refuse = [](std::string found, std::string expected) {
    return base::Error{
        .found = std::move(found), .expected = std::move(expected), .where = "stream", .offset = std::nullopt};
  };
  constexpr std::uint64_t kSmallest = 8;
  if (bytes.size() < kSmallest || static_cast<std::uint64_t>(bytes.size()) >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return refuse(fmt::format("a message of {} bytes", bytes.size()), "between 8 bytes and 2 GiB");
  }
  if (!wire::MessageBufferHasIdentifier(bytes.data())) {
    return refuse("bytes without the mark of this protocol",
                  fmt::format("\"{}\" at byte 4", wire::MessageIdentifier()));
  }
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(shared->data()), shared->size(), kMaxDepth,
                                 kMaxTables);
  if (!wire::VerifyMessageBuffer(verifier)) return refuse("a damaged message", "every offset inside the message");
  const wire::Message* root = wire::GetMessage(shared->data());
  if (root->body_type() == wire::Body::NONE || root->body_type() > wire::Body::MAX) {
    return refuse(fmt::format("a message of kind {}", static_cast<unsigned>(root->body_type())),
                  fmt::format("a kind from 1 to {}", static_cast<unsigned>(wire::Body::MAX)));
  }
  NNS_TRY(check_enumerators(*root));
  return Message(std::move(shared), root);
}

flatbuffers::Offset<wire::Problem> create_problem(flatbuffers::FlatBufferBuilder& builder, const base::Error& error) {
  const auto found = builder.CreateString(error.found);
  const auto expected = builder.CreateString(error.expected);
  const auto where = builder.CreateString(error.where);
  return wire::CreateProblem(builder, found, expected, where, error.offset.value_or(0), error.offset.has_value());
}

base::Error error_of(const wire::Problem& problem) {
  base::Error error{.found = std::string(text_of(problem.found())),
                    .expected = std::string(text_of(problem.expected())),
                    .where = std::string(text_of(problem.where())),
                    .offset = std::nullopt};
  if (problem.has_offset()) error.offset = problem.offset();
  return error;
}

}  // namespace nns::live
