// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The protobuf classes of ONNX (generated from the pinned schema), under the
// name `accel::onnx::pb`.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_SCHEMA_H
#define ACCEL_FRONTENDS_ONNX_MODEL_SCHEMA_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "onnx/onnx-ml.pb.h"
#pragma GCC diagnostic pop

namespace accel::onnx {
namespace pb = ::onnx;
} // namespace accel::onnx

#endif
