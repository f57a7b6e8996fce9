#include "ui/app/picture_tiles.h"

#include <algorithm>

namespace nns::app {
namespace {

// What is seen must rest for so long before it is asked for.
constexpr double kRestSeconds = 0.12;

}  // namespace

live::TileRequest tile_request(const widgets::HeatMapWanted& region) {
  return {region.row_begin, region.row_end, region.column_begin, region.column_end, region.width, region.height};
}

void PictureTiles::forget(Requests& requests) {
  for (const Tile* tile : {&overview_, &detail_}) {
    if (tile->request) requests.cancel(*tile->request);
  }
  *this = {};
}

void PictureTiles::update(const live::Mirror& mirror) {
  overview_.update(mirror);
  detail_.update(mirror);
}

void PictureTiles::Tile::update(const live::Mirror& mirror) {
  if (!request) return;
  const live::wire::HeatTile* const newest = mirror.tile(*request);
  if (newest == nullptr) {
    if (shown_request != 0 && mirror.tile(shown_request) == nullptr) shown = nullptr;
    return;
  }
  if (newest == shown && shown_request == *request) return;
  shown = newest;
  updates = shown_request == *request ? updates + 1 : 0;
  shown_request = *request;
  // Requests are numbered for all screens together, so that no two tiles of one renderer have the same version.
  version = (*request << 8U) + (updates & 0xFFU) + 1;
}

PictureTiles::Tile* PictureTiles::choose(Requests& requests, widgets::HeatMapWanted wanted, std::uint64_t rows,
                                         std::uint64_t columns, double now) {
  is_resting_ = false;
  if (wanted.width == 0 || wanted.height == 0) return nullptr;
  wanted.width = std::min(wanted.width, kMostCells);
  wanted.height = std::min(wanted.height, kMostCells);
  if (!overview_.request) {
    overview_.region = {.row_begin = 0,
                        .row_end = rows,
                        .column_begin = 0,
                        .column_end = columns,
                        .width = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostCells, columns)),
                        .height = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostCells, rows))};
    return &overview_;
  }
  if (wanted != seen_) {
    seen_ = wanted;
    seen_since_ = now;
    is_resting_ = true;
    return nullptr;
  }
  const bool is_in_overview = overview_.region.width == columns && overview_.region.height == rows;
  const bool is_whole = wanted.row_end - wanted.row_begin >= rows && wanted.column_end - wanted.column_begin >= columns;
  if (is_in_overview || is_whole || (detail_.request && detail_.region == wanted)) return nullptr;
  is_resting_ = now - seen_since_ < kRestSeconds;
  if (is_resting_) return nullptr;
  if (detail_.is_due()) requests.cancel(*detail_.request);
  detail_.region = wanted;
  return &detail_;
}

}  // namespace nns::app
