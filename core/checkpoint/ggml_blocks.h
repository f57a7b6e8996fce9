#pragma once

#include "core/checkpoint/ggml_types.h"

/// What the numbers of a block are, one function a type. Behaviour: ggml/src/ggml-common.h says how the bytes of a
/// block are divided, ggml/src/ggml-quants.c (dequantize_row_*) what they stand for. All scales of a block are 16-bit
/// floats unless it says otherwise; "halves" means that the low four bits of the bytes are the first half of the values
/// and the high four bits the second.
namespace nns::checkpoint::ggml {

/// 32 values: scale; 4 bits each in halves, less 8.
void q4_0(const GgmlBlock& block, float* into);
/// 32 values: scale, minimum; 4 bits each in halves.
void q4_1(const GgmlBlock& block, float* into);
/// 32 values: scale; the fifth bits in one 32-bit number; four bits each in halves; less 16.
void q5_0(const GgmlBlock& block, float* into);
/// 32 values: scale, minimum; the fifth bits; four bits each in halves.
void q5_1(const GgmlBlock& block, float* into);
/// 32 values: scale; a signed byte each.
void q8_0(const GgmlBlock& block, float* into);
/// 32 values: scale, scale x sum of the bytes (not needed here); a signed byte each.
void q8_1(const GgmlBlock& block, float* into);
/// 128 values: scale; a bit each: plus or minus the scale.
void q1_0(const GgmlBlock& block, float* into);
/// 64 values: scale; 2 bits each, less 1.
void q2_0(const GgmlBlock& block, float* into);

/// 256 values in 16 groups: a byte a group (4 bits scale, 4 bits minimum); 2 bits each; scale of scales, of minima.
void q2_k(const GgmlBlock& block, float* into);
/// 256 values in 16 groups: the third bits (0 takes 4 away); 2 bits each; 6 bits a group, less 32; scale of scales.
void q3_k(const GgmlBlock& block, float* into);
/// 256 values in 8 groups: scale of scales, of minima; 6 and 6 bits a group; 4 bits each.
void q4_k(const GgmlBlock& block, float* into);
/// As q4_k, with the fifth bits before the other four.
void q5_k(const GgmlBlock& block, float* into);
/// 256 values in 16 groups: 4 bits each; the other 2 bits; a signed byte a group; scale of scales; less 32.
void q6_k(const GgmlBlock& block, float* into);
/// 256 values: scale in float32; a signed byte each; sums of 16 (not needed here).
void q8_k(const GgmlBlock& block, float* into);

/// 256 values: five to a byte as digits of base 3 (the last 16 four to a byte), less 1; scale.
void tq1_0(const GgmlBlock& block, float* into);
/// 256 values: 2 bits each, less 1; scale.
void tq2_0(const GgmlBlock& block, float* into);

/// 32 values: scale; 4 bits each in halves, places in a table of 16 numbers that lie closer around zero.
void iq4_nl(const GgmlBlock& block, float* into);
/// 256 values in 8 groups: scale of scales; 6 bits a group, less 32; each group in halves, places as in iq4_nl.
void iq4_xs(const GgmlBlock& block, float* into);

// Vectors of four or eight numbers, written as their places in a codebook of ggml (ggml_codebook_blocks.cpp). All have
// 256 values in 8 groups of 32, and a scale of scales. Where signs take seven bits for eight numbers, the eighth makes
// the number of minuses even.

/// 8 bytes a group: four places of 8 bits, then four times 7 bits of signs and, on top, 4 bits of scale.
void iq2_xxs(const GgmlBlock& block, float* into);
/// 16 bits for eight numbers: 9 of place, 7 of signs; then two times 4 bits a group, the scales of its halves.
void iq2_xs(const GgmlBlock& block, float* into);
/// The low 8 bits of places; 8 signs each; two high bits each, a byte a group; scales as in iq2_xs.
void iq2_s(const GgmlBlock& block, float* into);
/// Places of 8 bits, one for four numbers; then 4 bytes a group, which are signs and scale as in iq2_xxs.
void iq3_xxs(const GgmlBlock& block, float* into);
/// The low 8 bits of places, one for four numbers; the ninth bits, a byte a group; a bit of sign a number; 4 bits of
/// scale a group.
void iq3_s(const GgmlBlock& block, float* into);
/// The low 8 bits of places; then 16 bits a group: four times three high bits, 3 bits of scale, and one that says
/// whether an eighth is added to the numbers -1, 0 and 1 or taken away.
void iq1_s(const GgmlBlock& block, float* into);
/// The low 8 bits of places; four more for each, three of place, one of the eighth as in iq1_s; 3 bits of scale for
/// each half of a group, four of them in 16 bits. The four bits that are left of each are the scale of scales.
void iq1_m(const GgmlBlock& block, float* into);

/// 32 values: scale 2^(byte - 127); float4_e2m1 each, in halves. Differs: OCP's MX format calls byte 255 NaN; ggml, and
/// so we, read it as 2^128 (times four bits at most 6).
void mxfp4(const GgmlBlock& block, float* into);
/// 64 values in 4 groups: an unsigned float8_e4m3 a group (0x7F is zero); float4_e2m1 each, each group in halves.
void nvfp4(const GgmlBlock& block, float* into);

}  // namespace nns::checkpoint::ggml
