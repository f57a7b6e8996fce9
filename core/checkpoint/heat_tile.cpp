#include "core/checkpoint/heat_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/checkpoint/decode.h"
#include "core/checkpoint/item_walk.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint64_t kExactAtOnce = 2'000'000;  // values; a region with more is sampled first
constexpr std::uint64_t kSample = 1'000'000;       // values that a sampled picture looks at
constexpr std::uint64_t kSegment = 32'768;         // values between two looks at the budget
constexpr std::uint32_t kMostCells = 4096;

// A range of rows or columns, divided into cells.
struct Axis {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t cells = 0;
  std::uint64_t size() const { return end - begin; }
  // begin + size x cell / cells, without the product that may not fit.
  std::uint64_t cell_begin(std::uint64_t cell) const {
    return begin + size() / cells * cell + size() % cells * cell / cells;
  }
  std::uint32_t cell_of(std::uint64_t at) const {
    std::uint32_t low = 0;
    std::uint32_t high = cells;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (cell_begin(middle) <= at ? low : high) = middle;
    }
    return low;
  }
};

struct Cell {
  double sum = 0;
  std::uint64_t count = 0;
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
  bool has_nan = false;
};

void add_to(Cell& cell, const float* values, std::size_t count) {
  double sum = 0;
  float low = cell.low;
  float high = cell.high;
  bool has_nan = cell.has_nan;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = values[i];
    low = value < low ? value : low;
    high = value > high ? value : high;
    has_nan |= value != value;
    sum += static_cast<double>(value);
  }
  cell.sum += sum;
  cell.count += count;
  cell.low = low;
  cell.high = high;
  cell.has_nan = has_nan;
}

// The tensor as a matrix of items: where each row begins in the storage.
class Matrix {
 public:
  explicit Matrix(const ElementSource& source) : base_(source.storage_offset) {
    const std::size_t rank = source.shape.size();
    columns_ = rank == 0 ? 1 : static_cast<std::uint64_t>(source.shape[rank - 1]);
    column_stride_ = rank == 0 ? 1 : static_cast<std::uint64_t>(source.stride[rank - 1]);
    for (std::size_t i = 0; i + 1 < rank; ++i) {
      const Dimension next{static_cast<std::uint64_t>(source.shape[i]), static_cast<std::uint64_t>(source.stride[i])};
      if (next.size == 1) continue;
      if (!leading_.empty() && leading_.back().stride == next.stride * next.size) {
        leading_.back() = {leading_.back().size * next.size, next.stride};
      } else {
        leading_.push_back(next);
      }
    }
  }
  std::uint64_t row_begin(std::uint64_t row) const {
    std::uint64_t item = base_;
    for (std::size_t i = leading_.size(); i-- > 0;) {
      item += row % leading_[i].size * leading_[i].stride;
      row /= leading_[i].size;
    }
    return item;
  }
  std::uint64_t column_stride() const { return column_stride_; }
  // Items of a column lie closer together than those of a row, as in a transposed matrix.
  bool is_transposed() const { return leading_.size() == 1 && leading_[0].stride < column_stride_ && columns_ > 1; }
  std::uint64_t row_stride() const { return leading_.empty() ? 0 : leading_[0].stride; }

 private:
  struct Dimension {
    std::uint64_t size = 0;
    std::uint64_t stride = 0;
  };
  std::uint64_t base_;
  std::uint64_t columns_ = 1;
  std::uint64_t column_stride_ = 1;
  std::vector<Dimension> leading_;
};

}  // namespace

MatrixSize matrix_size(const std::vector<std::int64_t>& shape, tensor::DType dtype) {
  MatrixSize size{.rows = 1, .columns = values_per_item(dtype)};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (i + 1 == shape.size() ? size.columns : size.rows) *= static_cast<std::uint64_t>(shape[i]);
  }
  return size;
}

// The cells are filled along the inner axis, in which the items lie close together: the columns, or the rows of a
// transposed matrix.
struct HeatTileTask::State {
  ElementSource source;
  HeatRegion region;
  std::optional<Matrix> matrix;
  std::optional<ItemReader> reader;
  std::optional<base::Error> error;
  std::uint32_t per_item = 1;
  bool is_transposed = false;
  Axis outer;
  Axis inner;

  bool with_sample = true;
  bool is_sampling = false;
  std::uint64_t sampled_lines = 0;  // outer lines that the sampled picture reads
  std::uint64_t line = 0;           // of the sampled ones, or from outer.begin on
  std::uint64_t within = 0;         // inner position, or inner cell while sampling pieces
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  bool is_done = false;

  std::vector<Cell> cells;  // outer cell x inner cells
  std::vector<float> values;
  HeatTile tile;
  std::uint32_t version = 0;

  base::Result<void> begin();
  base::Result<void> read_segment(std::uint64_t at_line, std::uint64_t from, std::uint64_t count);
  base::Result<void> add_segment(std::uint64_t at_line, std::uint64_t from, std::uint64_t count);
  base::Result<void> step_sample();
  base::Result<void> step_exact();
  std::uint64_t sampled_line(std::uint64_t index) const {
    const Axis lines{.begin = outer.begin, .end = outer.end, .cells = static_cast<std::uint32_t>(sampled_lines)};
    return lines.cell_begin(index) + (lines.cell_begin(index + 1) - lines.cell_begin(index)) / 2;
  }
  void publish(bool sampled);
};

base::Result<void> HeatTileTask::State::begin() {
  NNS_TRY(source.check());
  const MatrixSize size = matrix_size(source.shape, source.dtype);
  if (region.row_begin >= region.row_end || region.row_end > size.rows || region.column_begin >= region.column_end ||
      region.column_end > size.columns || region.width == 0 || region.height == 0 || region.width > kMostCells ||
      region.height > kMostCells) {
    return base::Error{
        .found = fmt::format("a tile of rows {} to {} and columns {} to {} in {} x {} cells", region.row_begin,
                             region.row_end, region.column_begin, region.column_end, region.height, region.width),
        .expected = fmt::format("a region of {} x {} in 1 to {} cells each way", size.rows, size.columns, kMostCells),
        .where = source.bytes->name(),
        .offset = std::nullopt};
  }
  per_item = values_per_item(source.dtype);
  matrix.emplace(source);
  reader.emplace(source.bytes, tensor::item_bytes(source.dtype), useful_read_ahead(source));
  const auto cells_of = [](std::uint64_t size_of_axis, std::uint32_t wanted) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(size_of_axis, wanted));
  };
  const Axis rows{region.row_begin, region.row_end, cells_of(region.row_end - region.row_begin, region.height)};
  const Axis columns{region.column_begin, region.column_end,
                     cells_of(region.column_end - region.column_begin, region.width)};
  is_transposed = matrix->is_transposed() && per_item == 1;
  outer = is_transposed ? columns : rows;
  inner = is_transposed ? rows : columns;
  region.width = columns.cells;
  region.height = rows.cells;
  tile.region = region;
  cells.assign(std::size_t{rows.cells} * columns.cells, Cell());
  values.resize(kSegment + 2);
  // outer x inner may be more than can be counted only if numel is, which check() refuses.
  const std::uint64_t all = outer.size() * inner.size();
  total = all;
  if (with_sample && all > kExactAtOnce) {
    is_sampling = true;
    sampled_lines = std::clamp<std::uint64_t>(kSample / inner.size(), 1, outer.cells);
  }
  line = is_sampling ? 0 : outer.begin;
  within = is_sampling ? 0 : inner.begin;
  return {};
}

// Fills `values` with a piece of a line. Must hold: count is at most kSegment.
base::Result<void> HeatTileTask::State::read_segment(std::uint64_t at_line, std::uint64_t from, std::uint64_t count) {
  std::uint64_t item = 0;
  std::uint64_t stride = 0;
  std::uint64_t items = count;
  std::uint64_t skip = 0;
  if (is_transposed) {
    item = matrix->row_begin(from) + at_line * matrix->column_stride();
    stride = matrix->row_stride();
  } else {
    skip = from % per_item;
    items = (skip + count + per_item - 1) / per_item;
    item = matrix->row_begin(at_line) + from / per_item * matrix->column_stride();
    stride = matrix->column_stride();
  }
  NNS_TRY_ASSIGN(const std::byte* raw, reader->run(item, stride, static_cast<std::size_t>(items)));
  decode_as_float(source.dtype, raw, static_cast<std::size_t>(items), values.data());
  if (skip != 0) std::copy_n(values.begin() + 1, count, values.begin());
  return {};
}

base::Result<void> HeatTileTask::State::add_segment(std::uint64_t at_line, std::uint64_t from, std::uint64_t count) {
  NNS_TRY(read_segment(at_line, from, count));
  Cell* line_cells = cells.data() + std::size_t{outer.cell_of(at_line)} * inner.cells;
  std::uint64_t at = from;
  for (std::uint32_t cell = inner.cell_of(from); at < from + count; ++cell) {
    const std::uint64_t end = std::min(from + count, inner.cell_begin(std::uint64_t{cell} + 1));
    add_to(line_cells[cell], values.data() + (at - from), static_cast<std::size_t>(end - at));
    at = end;
  }
  return {};
}

base::Result<void> HeatTileTask::State::step_sample() {
  const std::uint64_t at_line = sampled_line(line);
  if (inner.size() <= kSample) {
    const std::uint64_t from = inner.begin + within;
    const std::uint64_t count = std::min(kSegment, inner.end - from);
    NNS_TRY(add_segment(at_line, from, count));
    within += count;
    if (from + count < inner.end) return {};
  } else {
    // One piece from the middle of each cell.
    const std::uint64_t cell_size = inner.cell_begin(within + 1) - inner.cell_begin(within);
    const std::uint64_t count = std::min({kSegment, cell_size, std::max<std::uint64_t>(1, kSample / inner.cells)});
    NNS_TRY(add_segment(at_line, inner.cell_begin(within) + (cell_size - count) / 2, count));
    if (++within < inner.cells) return {};
  }
  within = 0;
  if (++line < sampled_lines) return {};
  // Cells between the sampled lines show the nearest sampled one.
  std::uint64_t nearest = 0;
  for (std::uint32_t cell = 0; cell < outer.cells; ++cell) {
    const std::uint64_t middle =
        outer.cell_begin(cell) + (outer.cell_begin(std::uint64_t{cell} + 1) - outer.cell_begin(cell)) / 2;
    const auto distance = [&](std::uint64_t index) {
      const std::uint64_t at = sampled_line(index);
      return at > middle ? at - middle : middle - at;
    };
    while (nearest + 1 < sampled_lines && distance(nearest + 1) <= distance(nearest)) ++nearest;
    const std::uint32_t from = outer.cell_of(sampled_line(nearest));
    if (cells[std::size_t{cell} * inner.cells].count == 0) {
      std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(std::size_t{from} * inner.cells), inner.cells,
                  cells.begin() + static_cast<std::ptrdiff_t>(std::size_t{cell} * inner.cells));
    }
  }
  publish(true);
  is_sampling = false;
  std::fill(cells.begin(), cells.end(), Cell());
  line = outer.begin;
  within = inner.begin;
  return {};
}

base::Result<void> HeatTileTask::State::step_exact() {
  // Short lines are taken several at a time, or the look at the budget would cost more than they do.
  for (std::uint64_t taken = 0; taken < kSegment && line < outer.end;) {
    const std::uint64_t count = std::min(kSegment, inner.end - within);
    NNS_TRY(add_segment(line, within, count));
    taken += count;
    done += count;
    within += count;
    if (within == inner.end) {
      within = inner.begin;
      ++line;
    }
  }
  if (line == outer.end) {
    publish(false);
    is_done = true;
    cells.clear();
    cells.shrink_to_fit();
  }
  return {};
}

void HeatTileTask::State::publish(bool sampled) {
  tile.sampled = sampled;
  tile.mean.resize(cells.size());
  tile.low.resize(cells.size());
  tile.high.resize(cells.size());
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (std::uint32_t o = 0; o < outer.cells; ++o) {
    for (std::uint32_t i = 0; i < inner.cells; ++i) {
      const Cell& cell = cells[std::size_t{o} * inner.cells + i];
      const std::size_t at = is_transposed ? std::size_t{i} * outer.cells + o : std::size_t{o} * inner.cells + i;
      tile.mean[at] = cell.has_nan ? kNaN : static_cast<float>(cell.sum / static_cast<double>(cell.count));
      tile.low[at] = cell.low > cell.high ? kNaN : cell.low;
      tile.high[at] = cell.low > cell.high ? kNaN : cell.high;
    }
  }
  ++version;
}

HeatTileTask::HeatTileTask(ElementSource source, HeatRegion region, bool with_sample)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(source);
  state_->region = region;
  state_->with_sample = with_sample;
}

HeatTileTask::~HeatTileTask() = default;

base::Result<bool> HeatTileTask::step(const base::Budget& budget) {
  State& state = *state_;
  const auto fail = [&](base::Error error) {
    state.error = error;
    return error;
  };
  if (state.error) return *state.error;
  if (!state.matrix) {
    if (auto begun = state.begin(); !begun.ok()) return fail(begun.error());
  }
  while (!state.is_done) {
    auto stepped = state.is_sampling ? state.step_sample() : state.step_exact();
    if (!stepped.ok()) return fail(stepped.error());
    if (!state.is_done && budget.spent()) return false;
  }
  return true;
}

const HeatTile* HeatTileTask::tile() const { return state_->version == 0 ? nullptr : &state_->tile; }
std::uint32_t HeatTileTask::version() const { return state_->version; }
std::uint64_t HeatTileTask::done() const { return state_->done; }
std::uint64_t HeatTileTask::total() const { return state_->total; }

}  // namespace nns::checkpoint
