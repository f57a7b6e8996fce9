#pragma once

#include "core/train/training.h"

namespace nns::train {

/// What nnscope/_ranks.py asks of the module _training: RankExchange by its steps.
void add_rank_exchange(python::Machine& machine, object::Dict& names, Training& training);

}  // namespace nns::train
