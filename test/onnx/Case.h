// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of ONNX's own conformance cases, as its files have it.
#ifndef ACCEL_TEST_ONNX_CASE_H
#define ACCEL_TEST_ONNX_CASE_H

#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace accel::test {

/// A tensor in host memory, row by row.
struct CaseTensor {
  std::string name;
  int32_t dataType = 0; ///< of ONNX
  std::vector<int64_t> shape;
  std::string bytes;
};

struct DataSet {
  std::vector<CaseTensor> inputs, outputs;
};

struct Case {
  std::string name; ///< node/test_abs
  std::string path; ///< of the model
  onnx::pb::ModelProto model;
  std::vector<DataSet> data;
  /// What keeps the case from being tried: a sequence, a map, a type that no
  /// array of ours has. Empty: nothing.
  std::string otherKind;

  /// The operator of a model of one node; otherwise empty.
  std::string getOperator() const;
};

/// The names of all cases below `folder`, sorted.
std::vector<std::string> listCases(const std::string &folder);
llvm::Expected<Case> readCase(const std::string &folder,
                              const std::string &name);

/// The sizes of symbolic dimensions: those of the first data set.
std::map<std::string, int64_t> getDimensions(const Case &subject);

/// The tensor as the value of an input in every run.
onnx::BoundTensor bindTensor(const CaseTensor &tensor);

/// The runtime's name of a data type, `f32`; empty if it has none.
llvm::StringRef getElementName(int32_t dataType);

} // namespace accel::test

#endif
