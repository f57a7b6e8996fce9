#pragma once

#include "core/ops/attention_dropout.h"
#include "core/ops/op.h"

// Attention tile by tile. Not for callers of ops.
namespace nns::ops {

/// What scores of rows of `width` items are multiplied by: what was given, or 1 / sqrt(width) for None.
double attention_scale(const Value& given, std::int64_t width);
/// The dropout of a call whose dropout_p is argument `p`, and whose last two arguments, if there are more than `plain`,
/// are a seed and an offset.
AttentionDropout dropout_of(const OpCall& call, std::size_t p, std::size_t plain);

/// The CPU's bodies: query 0, key 1, value 2, dropout_p 3, is_causal 4, attn_mask 5, scale 6, then perhaps seed 7 and
/// offset 8; outputs: the result, and of each row the logarithm of its sum of exponentials.
PyResult<void> run_attention_tiles(OpCall& call);
/// grad_out 0, query 1, key 2, value 3, out 4, logsumexp 5, dropout_p 6, is_causal 7, attn_mask 8, scale 9, then
/// perhaps seed 10 and offset 11.
PyResult<void> run_attention_tiles_backward(OpCall& call);

}  // namespace nns::ops
