// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places where a model drops elements: their numbers, probabilities and the
// built-in inputs that their randomness depends on.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_DROPOUTSITES_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_DROPOUTSITES_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// The probability of attention dropout of the scaled_dot_product_attention
/// call that `node` is part of: the exporter drops it from the graph and leaves
/// it in the FX node's text only. 0 if there is none.
double findAttentionDropout(const pb::NodeProto &node);

/// Registers a site of probability `model` in the file. Returns the probability
/// to train with, 0 if none, and the number of the site.
std::pair<double, int64_t> addDropoutSite(NodeConversion &conversion,
                                          double model, bool attention);

/// Makes a site of the softmax of an attention and marks it with
/// `accel.attention_dropout`, its probability; recognition of attention takes
/// it from there. `model`: the probability in the file, 0 for none.
void markAttentionDropout(NodeConversion &conversion, SoftmaxOp softmax,
                          double model);

/// `accel.input "sample_indices"` and `accel.input "seed"`, at the start of the
/// function.
mlir::Value getSampleIndices(NodeConversion &conversion);
mlir::Value getSeed(NodeConversion &conversion);

} // namespace accel::onnx

#endif
