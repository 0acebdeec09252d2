// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External data of tensors: files beside the model, named by the model, which
// is not trusted.
//
// Invariants:
// 1. A location is a relative path without `..`; no component of it is a
// symbolic link; its end is a regular file. So
//    whatever is read lies inside the model's folder.
// 2. Offset and length are checked against the tensor's size and the file's;
// nothing is allocated by a claim.
// 3. The checks are made on the descriptor that is read, not on the name.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_EXTERNALDATA_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_EXTERNALDATA_H

#include "frontends/onnx/Model/Schema.h"
#include "frontends/onnx/Weights/WeightTable.h"

namespace accel::onnx {

/// What is known of a tensor's external data without reading it.
struct ExternalLocation {
  TensorBytes bytes;
  bool absent = false; ///< the file does not exist
};

/// Finds and checks the external data of `tensor`, which has `size` bytes.
/// `folder` is that of the model. Errors say what was expected and what was
/// found, without the tensor's name.
llvm::Expected<ExternalLocation>
locateExternalData(const pb::TensorProto &tensor, llvm::StringRef folder,
                   uint64_t size);

/// The files of external data that the tensors of `model` name and that are
/// there, each once, as paths beside the model.
std::vector<std::string> listExternalFiles(const pb::ModelProto &model,
                                           llvm::StringRef folder);

/// Maps the bytes. Requires: `bytes` is external.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readExternalData(const TensorBytes &bytes);

} // namespace accel::onnx

#endif
