// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the weights of nn.LSTM and nn.GRU their names and order back where the
// exporter has folded what it makes of them: both directions in one tensor,
// gates in ONNX's order, both biases behind each other.
//
//   before:  LSTM(x, val_43, val_44, val_66, ..)   fx_node: lstm(%x, ..,
//            [%p_rnn_weight_ih_l0, ..], ..)
//   after:   initializers rnn.weight_ih_l0 .., and in front of the LSTM a Split
//            of each, a Concat of the parts and a Reshape to what stood there
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_RECURRENTWEIGHTS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_RECURRENTWEIGHTS_H

#include "frontends/onnx/ImportNote.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"

namespace accel::onnx {

/// Rewrites `graph`, before parameters are looked for. A node whose call does
/// not list as many parameters as its layers and directions have stays as it
/// is, and its weights are found to be folded. The k-th node of a call is its
/// layer k, as the exporter writes one behind the other. Values are copied into
/// memory; those of a file that is not there stay absent.
mlir::LogicalResult separateRecurrentWeights(pb::GraphProto &graph,
                                             llvm::StringRef path,
                                             mlir::MLIRContext &context,
                                             ImportNotes &notes);

} // namespace accel::onnx

#endif
