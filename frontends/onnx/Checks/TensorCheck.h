// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of ONNX for a stored tensor: its data lie in one place, the one of
// its type.
#ifndef ACCEL_FRONTENDS_ONNX_CHECKS_TENSORCHECK_H
#define ACCEL_FRONTENDS_ONNX_CHECKS_TENSORCHECK_H

#include "frontends/onnx/Model/Schema.h"

#include <optional>
#include <string>

namespace accel::onnx {

/// What is wrong with `tensor`: "expected ..., got ...". That its data have the
/// right size is checked where they are read.
std::optional<std::string> findFault(const pb::TensorProto &tensor);

} // namespace accel::onnx

#endif
