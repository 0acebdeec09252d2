// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model as it goes back to the user: the original graph with room for
// trained weights, cut where they go, so that whoever writes the file needs to
// know protobuf's wire format but not ONNX.
//
// The file is, in this order:
//   `model`                                a ModelProto without its graph
//   0x3a, varint(length):                  the graph, field 7:
//     `graph`                              a GraphProto without the tensors
//     below per tensor 0x2a, varint(length):     an initializer, field 5:
//       `header`                           a TensorProto without data: name,
//       dims, data_type, whatever else it had 0x4a, varint(length), bytes its
//       data, field 9, little-endian and row-major in the header's dims
//
// Everything that is not named here is as it was in the input, unknown fields
// and attributes included. Untied and re-created parameters are tensors of
// their own, and their consumers read them.
#ifndef ACCEL_FRONTENDS_ONNX_EXPORT_EXPORTTEMPLATE_H
#define ACCEL_FRONTENDS_ONNX_EXPORT_EXPORTTEMPLATE_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>
#include <vector>

namespace accel::onnx {

/// An initializer to fill. It takes the whole parameter; its dims differ from
/// the parameter's by units (the rows of a table behind leading dimensions) or
/// by transposition.
struct ExportTensor {
  std::string header;        ///< serialized TensorProto
  std::string name;          ///< of the initializer
  std::string parameter;     ///< state-dict name
  bool transposed = false;   ///< rank 2: the data is the parameter's transpose
  int32_t dataType = 0;      ///< ONNX's number
  std::vector<int64_t> dims; ///< in the file
};

struct ExportTemplate {
  std::string model;
  std::string graph;
  std::vector<ExportTensor> tensors;
};

/// The file with the data that `getData` gives for each tensor.
std::string writeExportTemplate(
    const ExportTemplate &exported,
    llvm::function_ref<std::string(const ExportTensor &)> getData);

} // namespace accel::onnx

#endif
