// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder of adapters as PEFT's save_pretrained and `accel-run --export` write
// it: adapter_config.json and adapter_model.safetensors.
#ifndef ACCEL_COMPILER_ADAPTERFOLDER_H
#define ACCEL_COMPILER_ADAPTERFOLDER_H

#include "frontends/onnx/Weights/WeightTable.h"
#include "passes/Import/AdapterOptions.h"
#include "runtime/io/vfs.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace accel {

/// Of a model with adapters, what trains unless other rules say otherwise.
inline constexpr llvm::StringLiteral kAdapterTrainingRule =
    "train=(^|[.])lora_(A|B)[.]weight$";

/// The files that are read of it.
std::vector<std::string> listAdapterFiles(llvm::StringRef folder);

/// What it asks for, with the names of its modules. The values of their pairs
/// go into `weights`, under the names that the pass AddAdapters gives them.
/// Fails where a choice in the configuration has no counterpart here, a tensor
/// is not one of a pair, or a pair is not of the configuration's rank.
llvm::Expected<AdapterOptions> readAdapterFolder(runtime::Vfs &vfs,
                                                 llvm::StringRef folder,
                                                 mlir::MLIRContext &context,
                                                 onnx::WeightTable &weights);

} // namespace accel

#endif
