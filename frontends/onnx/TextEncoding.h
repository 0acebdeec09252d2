// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in a model that are no texts.
#ifndef ACCEL_FRONTENDS_ONNX_TEXTENCODING_H
#define ACCEL_FRONTENDS_ONNX_TEXTENCODING_H

#include "frontends/onnx/Schema.h"

#include <optional>
#include <string>

namespace accel::onnx {

/// The first name in the model that is not UTF-8, for people:
/// `graph.node[3].name`. ONNX demands UTF-8 and its protobuf does not check it,
/// but names go into plans, safetensors and JSON, which do.
std::optional<std::string> findInvalidText(const pb::ModelProto &model);

} // namespace accel::onnx

#endif
