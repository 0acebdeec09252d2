// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The original ONNX graph with other weights, put together in protobuf's wire
// format.
#ifndef ACCEL_RUNTIME_EXPORT_ONNX_FILE_H_
#define ACCEL_RUNTIME_EXPORT_ONNX_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "runtime/export/parameter_reader.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// Whether the plan holds the graph, and the file is not too large for protobuf.
absl::Status CheckOnnxExport(const Plan& plan);
uint64_t OnnxBytes(const Plan& plan);

// The file appears complete or not at all. Requires: CheckOnnxExport.
absl::Status ExportOnnx(Vfs& vfs, const Plan& plan,
                        const ParameterReader& reader, const std::string& path,
                        ExportRole role);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXPORT_ONNX_FILE_H_
