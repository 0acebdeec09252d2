// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts an imported model into the parts of its export template.
#ifndef ACCEL_FRONTENDS_ONNX_EXPORT_MAKEEXPORTTEMPLATE_H
#define ACCEL_FRONTENDS_ONNX_EXPORT_MAKEEXPORTTEMPLATE_H

#include "frontends/onnx/Export/ExportTemplate.h"
#include "frontends/onnx/Weights/ParameterRecovery.h"

namespace accel::onnx {

/// Gives the bytes of a constant initializer, or fails after an error.
using ConstantReader =
    llvm::function_ref<mlir::FailureOr<std::string>(const pb::TensorProto &)>;

/// Prepares `model` as recoverParameters leaves it. Constants in external files
/// are moved inside, as those files need not be there when the trained model is
/// written.
mlir::FailureOr<ExportTemplate> makeExportTemplate(const pb::ModelProto &model,
                                                   const Recovery &recovery,
                                                   ConstantReader readConstant);

} // namespace accel::onnx

#endif
