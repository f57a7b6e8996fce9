#include "core/live/mirror.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/live/commands.h"

namespace nns::live {

namespace {

base::Error bad_answer(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "stream", .offset = std::nullopt};
}

base::Result<void> check_tensor(const DocumentView& document, std::uint32_t tensor) {
  if (tensor < document.tensor_count()) return {};
  return bad_answer(fmt::format("an answer about tensor {}", tensor), fmt::format("below {}", document.tensor_count()));
}

base::Result<void> check_details(const DocumentView& document, const wire::ObjectDetails& details) {
  const auto is_row = [&](std::uint32_t row) { return row < document.row_count(); };
  if (!is_row(details.node())) {
    return bad_answer(fmt::format("an answer about row {}", details.node()),
                      fmt::format("below {}", document.row_count()));
  }
  for (const wire::Attribute* attribute : *details.attributes()) {
    if (attribute->node() != kNone && !is_row(attribute->node())) {
      return bad_answer(fmt::format("an attribute that is shown by row {}", attribute->node()),
                        fmt::format("below {}", document.row_count()));
    }
  }
  for (const std::uint32_t row : *details.also_at()) {
    if (!is_row(row)) {
      return bad_answer(fmt::format("an object that row {} shows, too", row),
                        fmt::format("below {}", document.row_count()));
    }
  }
  return {};
}

base::Result<void> check_facts(const DocumentView& document, const wire::TensorFacts& facts) {
  NNS_TRY(check_tensor(document, facts.tensor()));
  if (facts.shape()->size() != facts.stride()->size()) {
    return bad_answer(
        fmt::format("a tensor with {} sizes and {} strides", facts.shape()->size(), facts.stride()->size()),
        "as many strides as sizes");
  }
  for (const std::uint32_t other : *facts.shares_with()) NNS_TRY(check_tensor(document, other));
  return {};
}

base::Result<void> check_statistics(const DocumentView& document, const wire::TensorStatistics& statistics) {
  NNS_TRY(check_tensor(document, statistics.tensor()));
  if (statistics.quantile_at()->size() != statistics.quantiles()->size()) {
    return bad_answer(
        fmt::format("{} quantiles at {} places", statistics.quantiles()->size(), statistics.quantile_at()->size()),
        "one each");
  }
  return {};
}

base::Result<void> check_tile(const DocumentView& document, const wire::HeatTile& tile) {
  NNS_TRY(check_tensor(document, tile.tensor()));
  const std::uint64_t cells = std::uint64_t{tile.width()} * tile.height();
  const std::uint64_t extents = tile.for_file() ? 0 : cells;
  if (tile.mean()->size() != cells || tile.low()->size() != extents || tile.high()->size() != extents) {
    return bad_answer(
        fmt::format("a tile of {} x {} cells with {} values", tile.width(), tile.height(), tile.mean()->size()),
        fmt::format("{} values", cells));
  }
  if (tile.row_begin() > tile.row_end() || tile.row_end() > tile.rows() || tile.column_begin() > tile.column_end() ||
      tile.column_end() > tile.columns()) {
    return bad_answer(fmt::format("a tile of rows {} to {} and columns {} to {}", tile.row_begin(), tile.row_end(),
                                  tile.column_begin(), tile.column_end()),
                      fmt::format("inside {} x {}", tile.rows(), tile.columns()));
  }
  return {};
}

base::Result<void> check_values(const DocumentView& document, const wire::Values& values) {
  NNS_TRY(check_tensor(document, values.tensor()));
  const auto& offsets = *values.offsets();
  const std::uint64_t rows = values.row_end() - values.row_begin();
  const std::uint64_t columns = values.column_end() - values.column_begin();
  std::uint64_t count = 0;
  bool holds = values.row_begin() <= values.row_end() && values.column_begin() <= values.column_end() &&
               !__builtin_mul_overflow(rows, columns, &count) && offsets.size() == count + 1;
  for (std::uint32_t i = 0; holds && i < offsets.size(); ++i) {
    holds = offsets.Get(i) >= (i == 0 ? 0 : offsets.Get(i - 1)) && offsets.Get(i) <= values.text()->size();
  }
  if (holds) return {};
  return bad_answer(fmt::format("{} texts of values", offsets.size()), "one a value, inside the text");
}

// Each row lies behind its parent and behind the row that it repeats; the first is the module that was called.
base::Result<void> check_call(const wire::CallSummary& call) {
  const auto& rows = *call.rows();
  if (rows.size() == 0) return bad_answer("a call without rows", "the row of the module that was called");
  for (std::uint32_t at = 0; at < rows.size(); ++at) {
    const wire::CallRow& row = *rows.Get(at);
    const bool has_parent = at == 0 ? row.parent() == kNone : row.parent() < at;
    if (has_parent && (row.same_as() == kNone || row.same_as() < at)) continue;
    return bad_answer(fmt::format("row {} of a call below row {}, the same as {}", at, row.parent(), row.same_as()),
                      "rows before it");
  }
  return {};
}

// Columns of one length, what a node takes before it, modules behind those around them, files that there are.
base::Result<void> check_graph(const wire::CaptureGraph& graph, std::uint32_t files) {
  const std::uint32_t count = graph.op()->size();
  bool holds = graph.inputs_begin()->size() == count + 1 && graph.inputs_begin()->Get(0) == 0 &&
               graph.inputs_begin()->Get(count) == graph.inputs()->size();
  for (const std::uint32_t size :
       {graph.name()->size(), graph.target()->size(), graph.arguments()->size(), graph.example()->size(),
        graph.file()->size(), graph.line()->size(), graph.code()->size(), graph.stack()->size()}) {
    holds = holds && size == count;
  }
  for (std::uint32_t at = 0; holds && at < count; ++at) {
    const std::uint32_t begin = graph.inputs_begin()->Get(at), end = graph.inputs_begin()->Get(at + 1);
    holds = begin <= end && end <= graph.inputs()->size() && graph.op()->Get(at) <= static_cast<int>(wire::NodeOp::MAX);
    for (std::uint32_t i = begin; holds && i < end; ++i) holds = graph.inputs()->Get(i) < at;
    const std::uint32_t file = graph.file()->Get(at), stack = graph.stack()->Get(at);
    holds = holds && (file == kNone || file < files) && (stack == kNone || stack < graph.stacks()->size());
  }
  for (std::uint32_t at = 0; holds && at < graph.stacks()->size(); ++at) {
    const std::uint32_t parent = graph.stacks()->Get(at)->parent();
    holds = parent == kNone || parent < at;
  }
  if (holds) return {};
  return bad_answer(fmt::format("a graph of {} nodes whose columns do not fit together", count), "one of each a node");
}

base::Result<void> check_capture(const wire::Capture& capture) {
  const std::uint32_t files = capture.files()->size();
  const auto is_file = [&](std::uint32_t file) { return file == kNone || file < files; };
  for (const wire::CaptureFrame* frame : *capture.frames()) {
    for (const wire::CaptureGraph* graph : *frame->graphs()) NNS_TRY(check_graph(*graph, files));
    bool holds = is_file(frame->file());
    for (const wire::CaptureGuard* guard : *frame->guards()) holds = holds && is_file(guard->file());
    for (const wire::CaptureBreak* cut : *frame->breaks()) {
      for (const wire::CaptureLine* line : *cut->stack()) holds = holds && is_file(line->file());
      holds = holds && cut->action() <= wire::BreakAction::MAX;
    }
    if (!holds) return bad_answer("a line of a file that was not told of", fmt::format("below {}", files));
  }
  return {};
}

}  // namespace

void Mirror::Recent::keep(Key key, Message message) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    found->second = std::move(message);
    order_.erase(std::find(order_.begin(), order_.end(), key));
  } else {
    by_key_.emplace(key, std::move(message));
  }
  order_.push_back(key);
  if (order_.size() > most_) {
    by_key_.erase(order_.front());
    order_.pop_front();
  }
}

void Mirror::Recent::forget_document(std::uint64_t document) {
  std::erase_if(by_key_, [&](const auto& entry) { return entry.first.first == document; });
  std::erase_if(order_, [&](const Key& key) { return key.first == document; });
}

const Message* Mirror::Recent::find(Key key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &found->second;
}

base::Result<void> Mirror::apply(Bytes bytes) {
  NNS_TRY_ASSIGN(Message message, Message::verify(std::move(bytes)));
  switch (message.get().body_type()) {
    case wire::Body::Hello:
      hello_ = std::move(message);
      break;
    case wire::Body::Job: {
      const wire::Job& job = *message.as<wire::Job>();
      JobView view{.request = job.request(),
                   .state = job.state(),
                   .text = std::string(text_of(job.text())),
                   .done = job.done(),
                   .total = job.total(),
                   .error = job.error() == nullptr ? std::nullopt : std::optional(error_of(*job.error())),
                   .is_held = job.is_held()};
      jobs_.insert_or_assign(job.request(), std::move(view));
      break;
    }
    case wire::Body::Document:
      NNS_TRY(apply_document(std::move(message)));
      break;
    case wire::Body::DocumentClosed: {
      const std::uint32_t id = message.as<wire::DocumentClosed>()->id();
      std::erase_if(documents_, [&](const auto& document) { return document->id() == id; });
      forget_answers(id);
      consoles_.erase(id);
      program_sources_.erase(id);
      lessons_.erase(id);
      calls_.erase(id);
      captures_.erase(id);
      ranks_.erase(id);
      trainings_.erase(id);
      recordings_.erase(id);
      traces_.erase(id);
      break;
    }
    case wire::Body::TraceState: {
      const wire::TraceState& state = *message.as<wire::TraceState>();
      traces_[state.document()].add(state, written(state.document()));
      break;
    }
    case wire::Body::TraceFile: {
      const wire::TraceFile& file = *message.as<wire::TraceFile>();
      traces_[file.document()].add(file, written(file.document()));
      break;
    }
    case wire::Body::TraceMoment: {
      const std::uint32_t id = message.as<wire::TraceMoment>()->document();
      NNS_TRY(traces_[id].add_moment(std::move(message), written(id)));
      break;
    }
    case wire::Body::ProgramOutput: {
      // It may come before the document that shows the program.
      const wire::ProgramOutput& output = *message.as<wire::ProgramOutput>();
      consoles_[output.document()].add(output.kind(), text_of(output.text()));
      break;
    }
    case wire::Body::ProgramSource: {
      const std::uint32_t id = message.as<wire::ProgramSource>()->document();
      if (const auto known = consoles_.find(id); known != consoles_.end()) known->second.begin_anew();
      // What was recorded is of a program that is gone.
      traces_.erase(id);
      captures_.erase(id);
      ranks_.erase(id);
      program_sources_.insert_or_assign(id, std::move(message));
      break;
    }
    case wire::Body::CallSummary: {
      const std::uint32_t id = message.as<wire::CallSummary>()->document();
      NNS_TRY(check_call(*message.as<wire::CallSummary>()));
      if (document(id) != nullptr) calls_.insert_or_assign(id, std::move(message));
      break;
    }
    case wire::Body::Capture: {
      // Of a log it comes before its document.
      const std::uint32_t id = message.as<wire::Capture>()->document();
      NNS_TRY(check_capture(*message.as<wire::Capture>()));
      captures_.insert_or_assign(id, std::move(message));
      break;
    }
    case wire::Body::Ranks: {
      const std::uint32_t id = message.as<wire::Ranks>()->document();
      if (const auto training = trainings_.find(id); training != trainings_.end()) {
        NNS_TRY(training->second.apply(message));
      }
      ranks_.insert_or_assign(id, std::move(message));
      break;
    }
    case wire::Body::Lesson: {
      const std::uint32_t id = message.as<wire::Lesson>()->document();
      lessons_.insert_or_assign(id, std::move(message));
      break;
    }
    case wire::Body::SourceLooks: {
      const std::uint64_t request = message.as<wire::SourceLooks>()->request();
      source_looks_.keep({request, 0}, std::move(message));
      break;
    }
    case wire::Body::Completions: {
      const std::uint64_t request = message.as<wire::Completions>()->request();
      parts_.keep({request, 0}, std::move(message));
      break;
    }
    case wire::Body::ObjectDetails:
    case wire::Body::TensorFacts:
    case wire::Body::TensorStatistics:
    case wire::Body::HeatTile:
    case wire::Body::ViewStatistics:
    case wire::Body::ValueFound:
    case wire::Body::Values:
    case wire::Body::ModelStatistics:
    case wire::Body::Safety:
      NNS_TRY(apply_answer(std::move(message)));
      break;
    case wire::Body::DiffRows:
    case wire::Body::DiffValues:
      NNS_TRY(apply_comparison(std::move(message)));
      break;
    case wire::Body::TensorFilePiece:
      file_piece_ = std::move(message);
      break;
    default:
      NNS_TRY(apply_live(std::move(message)));
  }
  ++version_;
  return {};
}

base::Result<void> Mirror::apply_live(Message message) {
  // A host has few trainings; numbers without end would be a stream that means harm.
  constexpr std::size_t kMostTrainings = 64;
  if (const auto document = TrainingView::document_of(message)) {
    auto found = trainings_.find(*document);
    if (found == trainings_.end()) {
      if (trainings_.size() >= kMostTrainings) return bad_answer("one more training", "at most 64");
      found = trainings_.try_emplace(*document, *document).first;
    }
    return found->second.apply(message);
  }
  if (const auto* rights = message.as<wire::Rights>()) {
    // The first message of a connection: what an earlier one told is told anew.
    begin_again(kFirstLiveDocument);
    may_control_ = rights->may_control();
  } else if (const auto* missed = message.as<wire::EventsLeftOut>()) {
    left_out_ += missed->count();
  } else if (message.as<wire::Recipes>() != nullptr) {
    recipes_ = std::move(message);
  } else if (message.as<wire::TrainingSubscribed>() != nullptr) {
    const std::uint64_t request = message.as<wire::TrainingSubscribed>()->request();
    parts_.keep({request, 0}, std::move(message));
  } else if (const auto* recording = message.as<wire::RecordingState>()) {
    const std::uint32_t number = recording->recording();
    // It is shown from another place on: what was told before is of another time.
    trainings_.erase(number);
    if (recordings_.size() >= kMostTrainings && !recordings_.contains(number)) {
      return bad_answer("one more recording", "at most 64");
    }
    recordings_.insert_or_assign(number, std::move(message));
  } else {
    return bad_answer(fmt::format("a message of kind {}", wire::EnumNameBody(message.get().body_type())),
                      "a message from a host");
  }
  return {};
}

const TrainingView* Mirror::training(std::uint32_t document) const {
  const auto found = trainings_.find(document);
  return found == trainings_.end() ? nullptr : &found->second;
}

const wire::Recipes* Mirror::recipes() const { return recipes_ ? recipes_->as<wire::Recipes>() : nullptr; }

void Mirror::begin_again(std::uint32_t first) {
  lose_host(first, {}, {});
  trainings_.erase(trainings_.lower_bound(first), trainings_.end());
  recordings_.erase(recordings_.lower_bound(first), recordings_.end());
  may_control_.reset();
  left_out_ = 0;
  ++beginnings_;
  ++version_;
}

void Mirror::lose_host(std::uint32_t first, const std::set<std::uint64_t>& requests, const base::Error& why) {
  for (std::size_t at = documents_.size(); at-- > 0;) {
    const std::uint32_t id = documents_[at]->id();
    if (id < first) continue;
    documents_.erase(documents_.begin() + static_cast<std::ptrdiff_t>(at));
    forget_answers(id);
  }
  consoles_.erase(consoles_.lower_bound(first), consoles_.end());
  traces_.erase(traces_.lower_bound(first), traces_.end());
  calls_.erase(calls_.lower_bound(first), calls_.end());
  captures_.erase(captures_.lower_bound(first), captures_.end());
  ranks_.erase(ranks_.lower_bound(first), ranks_.end());
  for (const std::uint64_t request : requests) {
    JobView& job = jobs_[request];
    job.request = request;
    job.state = wire::JobState::Failed;
    job.error = why;
  }
  ++version_;
}

std::uint64_t Mirror::written(std::uint32_t document) const {
  return consoles_.contains(document) ? consoles_.at(document).written() : 0;
}

base::Result<void> Mirror::apply_document(Message message) {
  NNS_TRY_ASSIGN(auto view, DocumentView::check(std::move(message)));
  const auto known = std::find_if(documents_.begin(), documents_.end(),
                                  [&](const auto& document) { return document->id() == view->id(); });
  if (known == documents_.end()) {
    documents_.push_back(std::move(view));
    return {};
  }
  if (view->version() <= (*known)->version()) {
    return bad_answer(fmt::format("version {} of document {}", view->version(), view->id()),
                      fmt::format("a version above {}", (*known)->version()));
  }
  forget_answers(view->id());
  *known = std::move(view);
  return {};
}

base::Result<void> Mirror::apply_answer(Message message) {
  const auto document_of = [&](const auto& answer) { return document(answer.document()); };
  if (const auto* details = message.as<wire::ObjectDetails>()) {
    const auto about = document_of(*details);
    if (about == nullptr) return {};
    NNS_TRY(check_details(*about, *details));
    details_.keep({details->document(), details->node()}, std::move(message));
  } else if (const auto* facts = message.as<wire::TensorFacts>()) {
    const auto about = document_of(*facts);
    if (about == nullptr) return {};
    NNS_TRY(check_facts(*about, *facts));
    facts_.keep({facts->document(), facts->tensor()}, std::move(message));
  } else if (const auto* statistics = message.as<wire::TensorStatistics>()) {
    const auto about = document_of(*statistics);
    if (about == nullptr) return {};
    NNS_TRY(check_statistics(*about, *statistics));
    statistics_.keep({statistics->document(), statistics->tensor()}, std::move(message));
  } else if (const auto* tile = message.as<wire::HeatTile>()) {
    const auto about = document_of(*tile);
    if (about == nullptr) return {};
    NNS_TRY(check_tile(*about, *tile));
    if (tile->for_file()) {
      file_tile_ = std::move(message);
    } else {
      tiles_.keep({tile->request(), 0}, std::move(message));
    }
  } else if (const auto* view = message.as<wire::ViewStatistics>()) {
    const auto about = document_of(*view->numbers());
    if (about == nullptr) return {};
    NNS_TRY(check_statistics(*about, *view->numbers()));
    parts_.keep({view->request(), 0}, std::move(message));
  } else if (const auto* found = message.as<wire::ValueFound>()) {
    parts_.keep({found->request(), 0}, std::move(message));
  } else if (const auto* values = message.as<wire::Values>()) {
    const auto about = document_of(*values);
    if (about == nullptr) return {};
    NNS_TRY(check_values(*about, *values));
    parts_.keep({values->request(), 0}, std::move(message));
  } else if (const auto* numbers = message.as<wire::ModelStatistics>()) {
    const auto about = document_of(*numbers);
    if (about == nullptr) return {};
    std::vector<wire::TensorNumbers>& known = numbers_[about->id()];
    for (const wire::TensorNumbers* tensor : *numbers->tensors()) {
      NNS_TRY(check_tensor(*about, tensor->tensor()));
      if (tensor->tensor() > known.size()) return bad_answer("numbers of a tensor out of turn", "the next tensor's");
      if (tensor->tensor() == known.size()) known.push_back(*tensor);
    }
  } else if (const auto* safety = message.as<wire::Safety>()) {
    if (document_of(*safety) != nullptr) safety_.keep({safety->document(), 0}, std::move(message));
  }
  return {};
}

base::Result<void> Mirror::apply_comparison(Message message) {
  if (const auto* values = message.as<wire::DiffValues>()) {
    for (const auto& known : comparisons_) {
      const Compared of{values->a(), values->b(), values->part_a(), values->part_b()};
      if (known->compared() == of) return known->add(*values);
    }
    return {};
  }
  const auto* rows = message.as<wire::DiffRows>();
  const auto document_a = document(rows->a());
  const auto document_b = document(rows->b());
  if (document_a == nullptr || document_b == nullptr) return {};
  NNS_TRY_ASSIGN(auto view, ComparisonView::check(std::move(message), *document_a, *document_b));
  std::erase_if(comparisons_, [&](const auto& known) { return known->compared() == view->compared(); });
  comparisons_.push_back(std::move(view));
  return {};
}

void Mirror::forget_answers(std::uint32_t document) {
  std::erase_if(comparisons_, [&](const auto& known) { return known->a() == document || known->b() == document; });
  details_.forget_document(document);
  facts_.forget_document(document);
  statistics_.forget_document(document);
  numbers_.erase(document);
  safety_.forget_document(document);
}

const wire::Hello* Mirror::hello() const { return hello_ ? hello_->as<wire::Hello>() : nullptr; }

std::shared_ptr<const ComparisonView> Mirror::comparison(const Compared& of) const {
  for (const auto& known : comparisons_) {
    if (known->compared() == of) return known;
  }
  return nullptr;
}

std::shared_ptr<const DocumentView> Mirror::document(std::uint32_t id) const {
  for (const auto& document : documents_) {
    if (document->id() == id) return document;
  }
  return nullptr;
}

const wire::ObjectDetails* Mirror::details(std::uint32_t document, std::uint32_t node) const {
  const Message* message = details_.find({document, node});
  return message == nullptr ? nullptr : message->as<wire::ObjectDetails>();
}

const wire::TensorFacts* Mirror::facts(std::uint32_t document, std::uint32_t tensor) const {
  const Message* message = facts_.find({document, tensor});
  return message == nullptr ? nullptr : message->as<wire::TensorFacts>();
}

const wire::TensorStatistics* Mirror::statistics(std::uint32_t document, std::uint32_t tensor) const {
  const Message* message = statistics_.find({document, tensor});
  return message == nullptr ? nullptr : message->as<wire::TensorStatistics>();
}

const wire::HeatTile* Mirror::tile(std::uint64_t request) const {
  const Message* message = tiles_.find({request, 0});
  return message == nullptr ? nullptr : message->as<wire::HeatTile>();
}

const wire::HeatTile* Mirror::file_tile(std::uint64_t request) const {
  const wire::HeatTile* tile = file_tile_ ? file_tile_->as<wire::HeatTile>() : nullptr;
  return tile != nullptr && tile->request() == request ? tile : nullptr;
}

const wire::TensorStatistics* Mirror::view_statistics(std::uint64_t request) const {
  const Message* message = parts_.find({request, 0});
  const auto* view = message == nullptr ? nullptr : message->as<wire::ViewStatistics>();
  return view == nullptr ? nullptr : view->numbers();
}

const wire::ValueFound* Mirror::value_found(std::uint64_t request) const {
  const Message* message = parts_.find({request, 0});
  return message == nullptr ? nullptr : message->as<wire::ValueFound>();
}

const wire::Values* Mirror::values(std::uint64_t request) const {
  const Message* message = parts_.find({request, 0});
  return message == nullptr ? nullptr : message->as<wire::Values>();
}

std::span<const wire::TensorNumbers> Mirror::numbers(std::uint32_t document) const {
  const auto found = numbers_.find(document);
  return found == numbers_.end() ? std::span<const wire::TensorNumbers>() : std::span(found->second);
}

const wire::Safety* Mirror::safety(std::uint32_t document) const {
  const Message* message = safety_.find({document, 0});
  return message == nullptr ? nullptr : message->as<wire::Safety>();
}

const ConsoleView* Mirror::console(std::uint32_t document) const {
  const auto found = consoles_.find(document);
  return found == consoles_.end() ? nullptr : &found->second;
}

const TraceView* Mirror::trace(std::uint32_t document) const {
  const auto found = traces_.find(document);
  return found == traces_.end() ? nullptr : &found->second;
}

const wire::Completions* Mirror::completions(std::uint64_t request) const {
  const Message* message = parts_.find({request, 0});
  return message == nullptr ? nullptr : message->as<wire::Completions>();
}

const wire::SourceLooks* Mirror::source_looks(std::uint64_t request) const {
  const Message* message = source_looks_.find({request, 0});
  return message == nullptr ? nullptr : message->as<wire::SourceLooks>();
}

const wire::Capture* Mirror::capture(std::uint32_t document) const {
  const auto found = captures_.find(document);
  return found == captures_.end() ? nullptr : found->second.as<wire::Capture>();
}

const wire::Ranks* Mirror::ranks(std::uint32_t document) const {
  const auto found = ranks_.find(document);
  return found == ranks_.end() ? nullptr : found->second.as<wire::Ranks>();
}

const wire::CallSummary* Mirror::call(std::uint32_t document) const {
  const auto found = calls_.find(document);
  return found == calls_.end() ? nullptr : found->second.as<wire::CallSummary>();
}

const wire::Lesson* Mirror::lesson(std::uint32_t document) const {
  const auto found = lessons_.find(document);
  return found == lessons_.end() ? nullptr : found->second.as<wire::Lesson>();
}

const wire::ProgramSource* Mirror::source(std::uint32_t document) const {
  const auto found = program_sources_.find(document);
  return found == program_sources_.end() ? nullptr : found->second.as<wire::ProgramSource>();
}

const wire::TensorFilePiece* Mirror::file_piece(std::uint64_t request) const {
  const wire::TensorFilePiece* piece = file_piece_ ? file_piece_->as<wire::TensorFilePiece>() : nullptr;
  return piece != nullptr && piece->request() == request ? piece : nullptr;
}

}  // namespace nns::live
