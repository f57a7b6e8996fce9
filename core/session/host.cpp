#include "core/session/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "core/live/commands.h"
#include "core/session/answers.h"
#include "core/session/diff_job.h"
#include "core/session/document_encoder.h"
#include "core/session/host_state.h"
#include "core/session/jobs.h"

namespace nns::session {

namespace {

namespace wire = live::wire;
using Clock = base::Budget::Clock;

constexpr auto kSlice = std::chrono::milliseconds(2);
constexpr auto kBetweenProgress = std::chrono::milliseconds(50);

base::Result<base::TensorSlice> slice_of(const wire::TensorSlice& told) {
  const std::uint32_t axes = told.start()->size();
  if (told.count()->size() != axes || told.step()->size() != axes) {
    return not_there(fmt::format("a slice with {} beginnings, {} counts and {} steps", axes, told.count()->size(),
                                 told.step()->size()));
  }
  base::TensorSlice slice;
  for (std::uint32_t i = 0; i < axes; ++i) {
    slice.axes.push_back({told.start()->Get(i), told.count()->Get(i), told.step()->Get(i)});
  }
  slice.order.assign(told.order()->begin(), told.order()->end());
  return slice;
}

}  // namespace

Host::Host(std::unique_ptr<live::Endpoint> endpoint, std::shared_ptr<SourceProvider> sources, Abilities abilities)
    : state_(std::make_unique<State>()) {
  state_->endpoint = std::move(endpoint);
  state_->sources = std::move(sources);
  state_->samples = std::move(abilities.samples);
  state_->make_program = std::move(abilities.programs);
  state_->check_source = std::move(abilities.check_source);
  state_->read_lesson = abilities.read_lesson;
  state_->open_log = abilities.open_trace_log;
  state_->package_reader = abilities.read_package;
  state_->list_recipes = abilities.recipes;
  state_->next_document = abilities.first_document;
  state_->trace_limits = abilities.trace_limits;
  state_->send(hello(state_->samples));
}

Host::~Host() = default;

bool Host::run(const base::Budget& budget) {
  State& state = *state_;
  state.take_commands();
  for (RunningJob& running : state.jobs) running.is_waiting = false;
  while (true) {
    const std::size_t index = state.choose();
    if (index == state.jobs.size()) return false;
    state.step(index, budget);
    if (budget.spent()) break;
    state.take_commands();
  }
  return state.choose() != state.jobs.size();
}

bool Host::waiting() const {
  return std::any_of(state_->jobs.begin(), state_->jobs.end(),
                     [](const RunningJob& running) { return running.is_waiting; });
}

bool Host::is_connected() const { return state_->endpoint->is_connected(); }

// The job of this turn, or the number of jobs if none can work.
std::size_t Host::State::choose() {
  std::vector<std::size_t> able;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].is_waiting) able.push_back(i);
  }
  if (able.empty()) return jobs.size();
  ++turn;
  if (able.size() == 1 || turn % 4 != 0) return able.back();
  return able[turn / 4 % (able.size() - 1)];
}

void Host::State::step(std::size_t index, const base::Budget& budget) {
  if (jobs[index].is_held) {
    jobs[index].is_waiting = true;
    return jobs[index].job->rest([this](live::Bytes message) { send(std::move(message)); });
  }
  // Short slices, so that the others have their turns and a Cancel is heard even without a limit.
  const base::Budget slice = budget.spent() ? budget : base::Budget(kSlice);
  const Job* const job = jobs[index].job.get();
  const std::uint64_t request = job->request();
  working = request;
  auto stepped = jobs[index].job->step(slice, [this](live::Bytes message) { send(std::move(message)); });
  working = 0;
  // A program that shows what it has become ends the jobs that read what it was.
  const auto at = std::find_if(jobs.begin(), jobs.end(), [&](const RunningJob& one) { return one.job.get() == job; });
  if (stepped.ok() && *stepped != JobStep::Done) {
    at->is_waiting = *stepped == JobStep::Waiting;
    tell_progress(*at);
    return;
  }
  jobs.erase(at);
  send(stepped.ok() ? job_finished(request) : job_failed(request, stepped.error()));
}

void Host::State::tell_progress(RunningJob& running) {
  if (Clock::now() - running.told_at < kBetweenProgress) return;
  Job::Progress progress = running.job->progress();
  if (progress != running.told) send_progress(running, std::move(progress));
}

void Host::State::send_progress(RunningJob& running, Job::Progress progress) {
  send(job_progress(running.job->request(), progress.text, progress.done, progress.total, running.is_held));
  running.told = std::move(progress);
  running.told_at = Clock::now();
}

void Host::State::start(std::unique_ptr<Job> job) {
  // Work that takes less than the pause between two tellings is never told of.
  jobs.push_back({.job = std::move(job), .is_waiting = false, .told_at = Clock::now(), .told = {}});
}

bool Host::State::is_cancel_waiting() {
  while (auto bytes = endpoint->receive()) early.push_back(std::move(*bytes));
  return std::any_of(early.begin(), early.end(), [this](const live::Bytes& bytes) {
    const auto message = live::Message::verify(bytes);
    const wire::Cancel* const command = message.ok() ? message->as<wire::Cancel>() : nullptr;
    return command != nullptr && command->request() == working;
  });
}

void Host::State::take_commands() {
  const auto next = [this]() -> std::optional<live::Bytes> {
    if (early.empty()) return endpoint->receive();
    std::optional<live::Bytes> first(std::move(early.front()));
    early.pop_front();
    return first;
  };
  while (auto bytes = next()) {
    auto message = live::Message::verify(std::move(*bytes));
    if (!message.ok()) {
      send(job_failed(0, message.error()));
      continue;
    }
    carry_out(*message);
  }
}

void Host::State::carry_out(const live::Message& message) {
  using live::text_of;
  if (const auto* command = message.as<wire::OpenSource>()) {
    const std::uint64_t request = command->request();
    if (make_program != nullptr && live::is_program(text_of(command->name()), text_of(command->url())))
      return open_program(*command);
    if (open_log != nullptr && live::is_trace_log(text_of(command->name()), text_of(command->url())))
      return open_trace_log(*command);
    if (is_recording_name(text_of(command->name()))) return open_recording(*command);
    // A file may be asked for again later; an address is where it was.
    const bool is_file = command->url()->size() == 0;
    start(make_open_job(request, command->source(), std::string(text_of(command->name())),
                        std::string(text_of(command->url())), sources,
                        [this, request, is_file](std::unique_ptr<checkpoint::Checkpoint> document) {
                          const std::uint64_t head = is_file ? hash_of_head(*document) : 0;
                          return add_document(request, wire::DocumentKind::Checkpoint, std::move(document), head);
                        }));
  } else if (const auto* sample = message.as<wire::OpenSample>()) {
    open_sample(*sample);
  } else if (const auto* close = message.as<wire::CloseDocument>()) {
    close_document(close->document());
  } else if (const auto* row = message.as<wire::Inspect>()) {
    inspect(*row);
  } else if (const auto* tensor = message.as<wire::InspectTensor>()) {
    inspect_tensor(*tensor);
  } else if (const auto* tile = message.as<wire::RequestTile>()) {
    request_tile(*tile);
  } else if (const auto* diff = message.as<wire::RequestDiff>()) {
    request_diff(*diff);
  } else if (const auto* diff_tile = message.as<wire::RequestDiffTile>()) {
    request_diff_tile(*diff_tile);
  } else if (const auto* view = message.as<wire::InspectView>()) {
    inspect_view(*view);
  } else if (const auto* find = message.as<wire::FindValue>()) {
    find_value(*find);
  } else if (const auto* values = message.as<wire::RequestValues>()) {
    request_values(*values);
  } else if (const auto* look = message.as<wire::ScanDocument>()) {
    const auto found = documents.find(look->document());
    if (found == documents.end())
      return send(job_failed(look->request(), not_there(fmt::format("document {} is not open", look->document()))));
    start(make_scan_job(look->request(), look->document(), *found->second));
  } else if (const auto* file = message.as<wire::ReadTensorFile>()) {
    read_tensor_file(*file);
  } else if (const auto* numbers = message.as<wire::RequestModelStatistics>()) {
    request_model_statistics(*numbers);
  } else if (const auto* typed = message.as<wire::RunText>()) {
    run_text(*typed);
  } else if (const auto* called = message.as<wire::InspectCall>()) {
    inspect_call(*called);
  } else if (const auto* followed = message.as<wire::CaptureProgram>()) {
    capture_program(*followed);
  } else if (const auto* package = message.as<wire::ReadPackage>()) {
    read_package(*package);
  } else if (const auto* begun = message.as<wire::CompleteText>()) {
    complete_text(*begun);
  } else if (const auto* recorded = message.as<wire::RecordProgram>()) {
    record_program(*recorded);
  } else if (const auto* move = message.as<wire::MoveInTrace>()) {
    move_in_trace(*move);
  } else if (const auto* seek = message.as<wire::SeekRecording>()) {
    seek_recording(*seek);
  } else if (const auto* source = message.as<wire::CheckSource>()) {
    look_through(*source);
  } else if (const auto* again = message.as<wire::RunSource>()) {
    run_source(*again);
  } else if (const auto* shared = message.as<wire::OpenShared>()) {
    open_shared(*shared);
  } else if (const auto* stop = message.as<wire::Cancel>()) {
    cancel(stop->request());
  } else if (const auto* hold_it = message.as<wire::HoldJob>()) {
    hold(hold_it->request(), hold_it->held());
  } else if (const auto* begun_training = message.as<wire::StartTraining>()) {
    start_training(*begun_training);
  } else if (const auto* recipes = message.as<wire::RequestRecipes>()) {
    tell_recipes(*recipes);
  } else if (command_training(message)) {
    // Answered.
  } else {
    send(job_failed(0, not_there(fmt::format("a message of kind {} is no command",
                                             wire::EnumNameBody(message.get().body_type())))));
  }
}

base::Result<void> Host::State::add_document(std::uint64_t request, wire::DocumentKind kind,
                                             std::unique_ptr<checkpoint::Checkpoint> document, std::uint64_t head) {
  const std::uint32_t id = next_document++;
  NNS_TRY_ASSIGN(auto message,
                 encode_document(*document, {.id = id, .version = 1, .request = request, .kind = kind, .head = head}));
  documents.emplace(id, std::move(document));
  send(std::move(message));
  return {};
}

void Host::State::open_sample(const wire::OpenSample& command) {
  const std::string_view name = live::text_of(command.name());
  const auto sample =
      std::find_if(samples.begin(), samples.end(), [&](const Sample& known) { return known.name == name; });
  if (sample != samples.end() && !sample->text.empty() && make_program != nullptr) {
    if (sample->kind == wire::SampleKind::Training)
      return start_training(command.request(), {.recipe = sample->name, .name = {}, .data_name = {}, .settings = {}});
    if (sample->kind == wire::SampleKind::Lesson) return start_lesson(command.request(), *sample);
    return start_source(command.request(), 0, sample->name, std::string(sample->text));
  }
  if (sample == samples.end() || sample->make == nullptr) {
    return send(job_failed(command.request(), not_there(fmt::format("no sample is called \"{}\"", name))));
  }
  auto made = sample->make();
  auto added = made.ok() ? add_document(command.request(), wire::DocumentKind::Program, std::move(made).value())
                         : base::Result<void>(std::move(made).error());
  send(added.ok() ? job_finished(command.request()) : job_failed(command.request(), added.error()));
}

void Host::State::open_recording(const wire::OpenSource& command) {
  const std::uint64_t request = command.request();
  start(make_open_recording_job(request, command.source(), std::string(live::text_of(command.name())),
                                std::string(live::text_of(command.url())), sources,
                                [this, request](std::unique_ptr<live::Recording> recording, std::string title,
                                                std::uint64_t bytes) -> base::Result<void> {
                                  OpenRecording opened{std::move(recording), std::move(title), bytes};
                                  const std::uint32_t id = next_document++;
                                  const std::uint64_t end = opened.recording->events();
                                  NNS_TRY(tell_recording(request, id, opened, end,
                                                         [this](live::Bytes message) { send(std::move(message)); }));
                                  recordings.emplace(id, std::move(opened));
                                  return {};
                                }));
}

void Host::State::seek_recording(const wire::SeekRecording& command) {
  const auto found = recordings.find(command.recording());
  if (found == recordings.end()) {
    return send(job_failed(command.request(), not_there(fmt::format("recording {} is not open", command.recording()))));
  }
  const auto told = tell_recording(command.request(), found->first, found->second, command.event(),
                                   [this](live::Bytes message) { send(std::move(message)); });
  if (!told.ok()) send(job_failed(command.request(), told.error()));
}

void Host::State::close_document(std::uint32_t id) {
  if (recordings.erase(id) > 0) return send(document_closed(id));
  if (documents.find(id) == documents.end()) return;
  end_jobs(id, nullptr);
  documents.erase(id);
  programs.erase(id);
  send(document_closed(id));
}

void Host::State::end_jobs(std::uint32_t document, const Job* but) {
  for (std::size_t i = jobs.size(); i-- > 0;) {
    if (!jobs[i].job->works_on(document) || jobs[i].job.get() == but) continue;
    send(job_cancelled(jobs[i].job->request()));
    jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Host::State::inspect(const wire::Inspect& command) {
  const auto found = documents.find(command.document());
  if (found == documents.end()) {
    return send(job_failed(command.request(), not_there(fmt::format("document {} is not open", command.document()))));
  }
  if (command.node() >= found->second->tree.size()) {
    return send(job_failed(command.request(),
                           not_there(fmt::format("row {} is not one of {}", command.node(), found->second->title))));
  }
  send(
      object_details({command.request(), command.document(), command.node()}, found->second->describe(command.node())));
}

checkpoint::Checkpoint* Host::State::with_tensor(std::uint64_t request, std::uint32_t document, std::uint32_t tensor) {
  const auto found = documents.find(document);
  if (found == documents.end()) {
    send(job_failed(request, not_there(fmt::format("document {} is not open", document))));
    return nullptr;
  }
  if (tensor >= found->second->tensors.size()) {
    send(job_failed(request, not_there(fmt::format("tensor {} is not one of {}", tensor, found->second->title))));
    return nullptr;
  }
  return found->second.get();
}

void Host::State::inspect_tensor(const wire::InspectTensor& command) {
  const AnswerKey key{command.request(), command.document(), command.tensor()};
  checkpoint::Checkpoint* document = with_tensor(key.request, key.document, key.subject);
  if (document == nullptr) return;
  send(tensor_facts(key, *document));
  if (!command.with_values()) return;
  auto source = element_source(*document, key.subject);
  if (!source.ok()) return send(job_failed(key.request, source.error()));
  start(make_statistics_job(key, std::string(document->name(document->tensors[key.subject])), std::move(source).value(),
                            false));
}

template <class Command>
std::optional<checkpoint::ElementSource> Host::State::part_of(const Command& command, std::string& name) {
  checkpoint::Checkpoint* document = with_tensor(command.request(), command.document(), command.tensor());
  if (document == nullptr) return std::nullopt;
  name = document->name(document->tensors[command.tensor()]);
  auto source = element_source(*document, command.tensor());
  if (source.ok() && command.slice() != nullptr) {
    auto slice = slice_of(*command.slice());
    source = slice.ok() ? checkpoint::apply_slice(*source, *slice) : slice.error();
  }
  if (source.ok()) return std::move(source).value();
  send(job_failed(command.request(), source.error()));
  return std::nullopt;
}

void Host::State::request_tile(const wire::RequestTile& command) {
  std::string name;
  auto source = part_of(command, name);
  if (!source) return;
  start(make_tile_job({command.request(), command.document(), command.tensor()}, std::move(name), std::move(*source),
                      {.row_begin = command.row_begin(),
                       .row_end = command.row_end(),
                       .column_begin = command.column_begin(),
                       .column_end = command.column_end(),
                       .width = command.width(),
                       .height = command.height()},
                      command.for_file()));
}

void Host::State::request_diff(const wire::RequestDiff& command) {
  const auto a = documents.find(command.a());
  const auto b = documents.find(command.b());
  if (a == documents.end() || b == documents.end()) {
    const std::uint32_t lacking = a == documents.end() ? command.a() : command.b();
    return send(job_failed(command.request(), not_there(fmt::format("document {} is not open", lacking))));
  }
  auto job = make_diff_job(command, {a->first, a->second.get(), b->first, b->second.get()});
  if (!job.ok()) return send(job_failed(command.request(), job.error()));
  start(std::move(job).value());
}

void Host::State::request_diff_tile(const wire::RequestDiffTile& command) {
  checkpoint::Checkpoint* a = with_tensor(command.request(), command.a(), command.a_tensor());
  if (a == nullptr) return;
  checkpoint::Checkpoint* b = with_tensor(command.request(), command.b(), command.b_tensor());
  if (b == nullptr) return;
  auto job = make_diff_tile_job(command, {command.a(), a, command.b(), b});
  if (!job.ok()) return send(job_failed(command.request(), job.error()));
  start(std::move(job).value());
}

void Host::State::inspect_view(const wire::InspectView& command) {
  std::string name;
  auto source = part_of(command, name);
  if (!source) return;
  start(make_statistics_job({command.request(), command.document(), command.tensor()}, std::move(name),
                            std::move(*source), true));
}

void Host::State::find_value(const wire::FindValue& command) {
  std::string name;
  auto source = part_of(command, name);
  if (!source) return;
  start(make_find_job({command.request(), command.document(), command.tensor()}, std::move(name), std::move(*source),
                      static_cast<checkpoint::FindWhat>(command.what()), command.from()));
}

void Host::State::request_values(const wire::RequestValues& command) {
  std::string name;
  auto source = part_of(command, name);
  if (!source) return;
  const checkpoint::HeatRegion region{.row_begin = command.row_begin(),
                                      .row_end = command.row_end(),
                                      .column_begin = command.column_begin(),
                                      .column_end = command.column_end()};
  auto checked = source->check();
  const checkpoint::MatrixSize size = checkpoint::matrix_size(source->shape, source->dtype);
  const bool is_inside = region.row_begin <= region.row_end && region.row_end <= size.rows &&
                         region.column_begin <= region.column_end && region.column_end <= size.columns;
  std::uint64_t count = 0;
  if (checked.ok() &&
      (!is_inside ||
       __builtin_mul_overflow(region.row_end - region.row_begin, region.column_end - region.column_begin, &count) ||
       count > live::kMostValues)) {
    checked =
        base::Error{.found = fmt::format("values of rows {} to {} and columns {} to {}", region.row_begin,
                                         region.row_end, region.column_begin, region.column_end),
                    .expected = fmt::format("at most {} inside {} x {}", live::kMostValues, size.rows, size.columns),
                    .where = name,
                    .offset = std::nullopt};
  }
  if (!checked.ok()) return send(job_failed(command.request(), checked.error()));
  start(make_values_job({command.request(), command.document(), command.tensor()}, std::move(name), std::move(*source),
                        region));
}

void Host::State::read_tensor_file(const wire::ReadTensorFile& command) {
  std::string name;
  const auto source = part_of(command, name);
  if (!source) return;
  const auto format =
      command.format() == wire::ValueFormat::Csv ? checkpoint::TensorFile::Csv : checkpoint::TensorFile::Npy;
  auto piece = checkpoint::read_tensor_file(*source, format, command.first(), command.count());
  send(piece.ok() ? tensor_file_piece({command.request(), command.document(), command.tensor()}, *piece)
                  : job_failed(command.request(), piece.error()));
}

void Host::State::request_model_statistics(const wire::RequestModelStatistics& command) {
  const auto found = documents.find(command.document());
  if (found == documents.end() || command.first() > found->second->tensors.size()) {
    return send(job_failed(command.request(), not_there(fmt::format("document {} is not open, or has no tensor {}",
                                                                    command.document(), command.first()))));
  }
  start(make_model_statistics_job({command.request(), command.document(), command.first()}, *found->second));
}

std::vector<RunningJob>::iterator Host::State::find_job(std::uint64_t request) {
  return std::find_if(jobs.begin(), jobs.end(),
                      [&](const RunningJob& running) { return running.job->request() == request; });
}

void Host::State::hold(std::uint64_t request, bool held) {
  auto found = find_job(request);
  if (found == jobs.end() || found->is_held == held) return;
  found->is_held = held;
  if (held) {
    const auto told = found->job->hold([this](live::Bytes message) { send(std::move(message)); });
    // What it has told ends the jobs that read what was there before.
    found = find_job(request);
    if (!told.ok()) {
      jobs.erase(found);
      return send(job_failed(request, told.error()));
    }
  }
  send_progress(*found, found->job->progress());
}

void Host::State::cancel(std::uint64_t request) {
  const auto found = find_job(request);
  if (found == jobs.end()) return;
  found->job->cancel([this](live::Bytes message) { send(std::move(message)); });
  jobs.erase(found);
  send(job_cancelled(request));
}

}  // namespace nns::session
