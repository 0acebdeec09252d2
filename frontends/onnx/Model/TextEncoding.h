// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in a model that are no texts.
#ifndef ACCEL_FRONTENDS_ONNX_MODEL_TEXTENCODING_H
#define ACCEL_FRONTENDS_ONNX_MODEL_TEXTENCODING_H

#include "frontends/onnx/Model/Schema.h"

#include <optional>
#include <string>

namespace accel::onnx {

/// Where a text is that is none, for people: `graph.node[3].name`.
struct InvalidText {
  std::string place;
  bool isUtf8; ///< then it is a name with control characters
};

/// The first of them. ONNX demands UTF-8 and its protobuf does not check it,
/// but names go into plans, safetensors and JSON, which do. A control character
/// in a name is there to deceive whoever reads a log.
std::optional<InvalidText> findInvalidText(const pb::ModelProto &model);

} // namespace accel::onnx

#endif
