#pragma once

#include <optional>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/panels/matrix_map.h"
#include "ui/widgets/heat_map.h"

namespace nns::app {

/// The tiles of one matrix's heat map: the whole once, then what is seen whenever it has rested. Until a new tile comes
/// the one before stays.
class PictureTiles {
 public:
  /// Cells of a tile along each side, at the most.
  static constexpr std::uint32_t kMostCells = 1024;

  /// Stops what is on its way and forgets the rest: another matrix is shown.
  void forget(Requests& requests);
  /// Takes what has come.
  void update(const live::Mirror& mirror);
  /// Asks for what the map of a matrix of `rows` x `columns` would like to have: ask(region) sends a request and gives
  /// its number. Returns whether it waits for the view to rest.
  template <class Ask>
  bool follow(Requests& requests, widgets::HeatMapWanted wanted, std::uint64_t rows, std::uint64_t columns, double now,
              Ask ask) {
    Tile* const due = choose(requests, wanted, rows, columns, now);
    if (due != nullptr) due->request = ask(due->region);
    return due == nullptr && is_resting_;
  }
  /// Whether something that would change the picture is missing or on its way.
  bool is_waiting() const { return !overview_.request || overview_.is_due() || detail_.is_due(); }
  panels::MatrixTiles shown() const { return {overview_.shown, overview_.version, detail_.shown, detail_.version}; }

 private:
  struct Tile {
    std::optional<std::uint64_t> request;
    widgets::HeatMapWanted region;
    const live::wire::HeatTile* shown = nullptr;
    std::uint64_t shown_request = 0;
    std::uint64_t version = 0;
    std::uint32_t updates = 0;  ///< of the request
    bool is_due() const { return request && (shown == nullptr || shown_request != *request || shown->sampled()); }
    void update(const live::Mirror& mirror);
  };
  /// The tile that is to be asked for now, with its region; null if none is.
  Tile* choose(Requests& requests, widgets::HeatMapWanted wanted, std::uint64_t rows, std::uint64_t columns,
               double now);

  Tile overview_;
  Tile detail_;
  widgets::HeatMapWanted seen_;
  double seen_since_ = 0;
  bool is_resting_ = false;
};

/// What the Host is asked for, as a request carries it.
live::TileRequest tile_request(const widgets::HeatMapWanted& region);

}  // namespace nns::app
