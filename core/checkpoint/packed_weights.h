#pragma once

#include <memory>
#include <string>

#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// "4096 × 4096 bfloat16 as bitsandbytes nf4, 4 bits each, groups of 64".
std::string packing_text(const Packing& packing);

/// `task`, and then what its packed weights stand for: each becomes a parameter with as many elements as the weight
/// had, in totals too, and its row says what it is packed as. Known are bitsandbytes (4 bits with a quant_state, 8 bits
/// with SCB), GPTQ and AWQ (qweight, scales, qzeros, g_idx) and MXFP4 (…_blocks, …_scales).
/// Behaviour: bitsandbytes/functional.py, QuantState.from_dict; the shapes that AutoGPTQ's and AutoAWQ's linear layers
/// register; the names of gpt-oss. What of a weight does not fit together is left as it is stored, with a note.
/// Cost: nothing where no tensor has such a name; of bitsandbytes' 4 bits one short read a weight, but over a network:
/// there the number of values is known and the shape is not.
std::unique_ptr<OpenTask> with_packed_weights(std::unique_ptr<OpenTask> task);

}  // namespace nns::checkpoint
