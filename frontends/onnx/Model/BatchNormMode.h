// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a batch norm trains, which the default exporter writes down in text
// only: its nodes look like those of a model in eval mode.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_BATCHNORMMODE_H
#define ACCEL_FRONTENDS_ONNX_MODEL_BATCHNORMMODE_H

#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

namespace accel::onnx {

enum class BatchNormMode {
  Training,  ///< normalises with the statistics of the microbatch
  Inference, ///< with those that it is given: the running ones, which stay
  Unknown    ///< the file does not say
};

/// The mode of `node`, a BatchNormalization: that of the file, unless `policy`
/// freezes all.
BatchNormMode getBatchNormMode(const pb::NodeProto &node,
                               BatchNormPolicy policy);

/// Whether `node` stands for a call of a batch norm, whatever operator it is.
bool isBatchNormCall(const pb::NodeProto &node);

/// Whether input `input` of `node` is the running mean or variance of a batch
/// norm.
bool isRunningStatistic(const pb::NodeProto &node, int input);

} // namespace accel::onnx

#endif
