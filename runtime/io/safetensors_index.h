// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index of a model that is cut into several safetensors files, as
// model.safetensors.index.json: which file holds which tensor.
#ifndef ACCEL_RUNTIME_IO_SAFETENSORS_INDEX_H_
#define ACCEL_RUNTIME_IO_SAFETENSORS_INDEX_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// The name of a tensor -> the name of its file.
using SafetensorsIndex = std::map<std::string, std::string>;

// Parses {"weight_map": {TENSOR: FILE...}, ...}; what else the object has is
// skipped. InvalidArgument for anything else, for a tensor that is named twice,
// for an empty map, and for a FILE that is no plain name: it lies beside the
// index, and nowhere else.
absl::StatusOr<SafetensorsIndex> ParseSafetensorsIndex(absl::string_view json);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_SAFETENSORS_INDEX_H_
