#include "core/session/diff_job.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "core/diff/difference_source.h"
#include "core/diff/structure.h"
#include "core/diff/values.h"

namespace nns::session {

namespace {

namespace wire = live::wire;
using Clock = base::Budget::Clock;

// A viewer draws again for each message.
constexpr auto kBetweenMessages = std::chrono::milliseconds(60);

live::Bytes diff_rows(std::uint64_t request, const DocumentPair& documents, const diff::Structure& structure,
                      std::uint64_t value_bytes) {
  static_assert(sizeof(diff::Match) == 1);
  flatbuffers::FlatBufferBuilder builder(std::size_t{structure.size()} * 24 + 1024);
  std::vector<flatbuffers::Offset<wire::DiffPrefix>> prefixes;
  for (const diff::Prefix& prefix : structure.prefixes) {
    const auto a = builder.CreateString(prefix.a);
    const auto b = builder.CreateString(prefix.b);
    prefixes.push_back(wire::CreateDiffPrefix(builder, a, b, prefix.tensors, prefix.places));
  }
  const auto parent = builder.CreateVector(structure.parent);
  const auto end = builder.CreateVector(structure.end);
  const auto row_a = builder.CreateVector(structure.a);
  const auto row_b = builder.CreateVector(structure.b);
  const auto match =
      builder.CreateVector(reinterpret_cast<const std::uint8_t*>(structure.match.data()), structure.match.size());
  const auto flags = builder.CreateVector(structure.flags);
  const auto changes = builder.CreateVector(structure.changes);
  std::vector<float> ranks(structure.size());
  for (std::uint32_t row = 0; row < structure.size(); ++row) {
    ranks[row] = static_cast<float>(diff::change_rank(structure, row, diff::ValueState::Unknown, {}));
  }
  const auto rank = builder.CreateVector(ranks);
  const auto prefix_list = builder.CreateVector(prefixes);
  const diff::StructureCounts& counts = structure.counts;
  return live::finish_message(
      builder, wire::CreateDiffRows(builder, request, documents.id_a, documents.id_b, parent, end, row_a, row_b, match,
                                    flags, changes, prefix_list, counts.tensors_a, counts.tensors_b, counts.same,
                                    counts.added, counts.removed, counts.renamed, counts.moved, counts.shape,
                                    counts.dtype, counts.others, value_bytes, rank));
}

class DiffJob final : public Job {
 public:
  DiffJob(const wire::RequestDiff& command, const DocumentPair& documents)
      : Job(command.request(), documents.id_a, documents.id_b),
        documents_(documents),
        with_rows_(command.with_rows()),
        with_values_(command.with_values()),
        rows_{command.first_row(), command.last_row()},
        parts_{command.part_a(), command.part_b()} {
    aligning_.emplace(*documents.a, *documents.b, parts_);
  }

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    if (aligning_) {
      if (!aligning_->step(budget)) return JobStep::Working;
      structure_ = aligning_->take();
      aligning_.reset();
      if (with_rows_) {
        const diff::ValuesTask all(*documents_.a, *documents_.b, structure_);
        send(diff_rows(request(), documents_, structure_, all.total()));
      }
      if (!with_values_) return JobStep::Done;
      values_.emplace(*documents_.a, *documents_.b, structure_, rows_);
      return JobStep::Working;
    }
    const bool is_done = values_->step(budget);
    for (diff::RowValues& found : values_->take_finished()) finished_.push_back(std::move(found));
    const Clock::time_point now = Clock::now();
    if (is_done || (!finished_.empty() && now - sent_at_ > kBetweenMessages)) {
      send(diff_values());
      finished_.clear();
      sent_at_ = now;
    }
    return is_done ? JobStep::Done : JobStep::Working;
  }

  Progress progress() const override {
    return {fmt::format("Comparing with {}", documents_.b->title), values_ ? values_->done() : 0,
            values_ ? values_->total() : 0};
  }

 private:
  live::Bytes diff_values() const {
    flatbuffers::FlatBufferBuilder builder(finished_.size() * sizeof(wire::Difference) + 256);
    std::vector<wire::Difference> values;
    std::vector<flatbuffers::Offset<wire::DiffProblem>> problems;
    values.reserve(finished_.size());
    for (const diff::RowValues& found : finished_) {
      const diff::TensorDifference& d = found.difference;
      values.emplace_back(d.count, d.changed, d.nan_a, d.nan_b, d.nan_both, d.infinite, d.max_at, d.max_abs, d.mean_abs,
                          d.relative, d.cosine, found.row,
                          static_cast<float>(diff::change_rank(structure_, found.row, found.state, d)),
                          static_cast<std::uint8_t>(found.state));
      if (found.problem.empty()) continue;
      const auto text = builder.CreateString(found.problem);
      problems.push_back(wire::CreateDiffProblem(builder, found.row, text));
    }
    const auto value_list = builder.CreateVectorOfStructs(values);
    const auto problem_list = builder.CreateVector(problems);
    // Values of a part do not say where all of them would go on.
    const bool is_part = rows_.last != diff::RowRange::kNoEnd;
    const std::uint32_t next = is_part ? 0 : values_->next_row();
    return live::finish_message(
        builder,
        wire::CreateDiffValues(builder, request(), documents_.id_a, documents_.id_b, value_list, problem_list, next,
                               values_->total() - std::min(values_->total(), values_->done()), parts_.a, parts_.b));
  }

  DocumentPair documents_;
  bool with_rows_;
  bool with_values_;
  diff::RowRange rows_;
  diff::Parts parts_;
  std::optional<diff::StructureTask> aligning_;
  diff::Structure structure_;
  std::optional<diff::ValuesTask> values_;
  std::vector<diff::RowValues> finished_;
  Clock::time_point sent_at_;
};

}  // namespace

base::Result<std::unique_ptr<Job>> make_diff_job(const wire::RequestDiff& command, const DocumentPair& documents) {
  NNS_TRY(diff::check_parts(*documents.a, *documents.b, {command.part_a(), command.part_b()}));
  return std::unique_ptr<Job>(std::make_unique<DiffJob>(command, documents));
}

base::Result<std::unique_ptr<Job>> make_diff_tile_job(const wire::RequestDiffTile& command,
                                                      const DocumentPair& documents) {
  NNS_TRY_ASSIGN(auto a, diff::element_source(*documents.a, command.a_tensor()));
  NNS_TRY_ASSIGN(auto b, diff::element_source(*documents.b, command.b_tensor()));
  NNS_TRY_ASSIGN(auto difference, diff::make_difference(std::move(a), std::move(b)));
  const auto& entry = documents.b->tensors[command.b_tensor()];
  return make_tile_job({command.request(), documents.id_b, command.b_tensor()},
                       fmt::format("the difference of {}", documents.b->name(entry)), std::move(difference),
                       {.row_begin = command.row_begin(),
                        .row_end = command.row_end(),
                        .column_begin = command.column_begin(),
                        .column_end = command.column_end(),
                        .width = command.width(),
                        .height = command.height()},
                       command.for_file(), documents.id_a);
}

}  // namespace nns::session
