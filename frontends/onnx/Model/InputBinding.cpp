// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bound input is a Constant node: not an initializer, which could be taken
// for a weight.
#include "frontends/onnx/Model/InputBinding.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The data type that the runtime's name of an element type stands for;
/// UNDEFINED if the importer has none.
int32_t getDataType(StringRef name) {
  return llvm::StringSwitch<int32_t>(name)
      .Case("bool", pb::TensorProto::BOOL)
      .Case("i8", pb::TensorProto::INT8)
      .Case("u8", pb::TensorProto::UINT8)
      .Case("i16", pb::TensorProto::INT16)
      .Case("u16", pb::TensorProto::UINT16)
      .Case("i32", pb::TensorProto::INT32)
      .Case("i64", pb::TensorProto::INT64)
      .Case("f32", pb::TensorProto::FLOAT)
      .Case("f64", pb::TensorProto::DOUBLE)
      .Case("f16", pb::TensorProto::FLOAT16)
      .Case("bf16", pb::TensorProto::BFLOAT16)
      .Default(pb::TensorProto::UNDEFINED);
}

class InputBinder {
public:
  InputBinder(pb::GraphProto &graph, StringRef path, MLIRContext &context)
      : graph(graph), path(path), context(context) {}

  LogicalResult bind(const BoundTensor &tensor) {
    if (!bound.insert(tensor.name).second) {
      return error(tensor) << "expected each input once, got it twice; leave "
                              "one of both out";
    }
    auto &inputs = *graph.mutable_input();
    auto input = llvm::find_if(inputs, [&](const pb::ValueInfoProto &each) {
      return each.name() == tensor.name;
    });
    if (input == inputs.end()) {
      std::string names = llvm::join(
          llvm::map_range(inputs, [](const auto &each) { return each.name(); }),
          ", ");
      return error(tensor) << "expected an input of the model ("
                           << (names.empty() ? "it has none" : names)
                           << "), got '" << tensor.name << "'";
    }
    if (failed(checkType(tensor, input->type().tensor_type()))) {
      return failure();
    }
    inputs.erase(input);
    addConstant(tensor);
    return success();
  }

private:
  InFlightDiagnostic error(const BoundTensor &tensor) const {
    return emitCodedError(UnknownLoc::get(&context), codes::BoundInput)
           << path << ": --bind " << tensor.name << ": ";
  }

  LogicalResult checkType(const BoundTensor &tensor,
                          const pb::TypeProto_Tensor &type) const {
    if (getDataType(tensor.elementType) != type.elem_type()) {
      return error(tensor) << "expected elements of type "
                           << getDataTypeName(type.elem_type()) << ", got "
                           << tensor.elementType
                           << "; convert the array before it is saved";
    }
    if (!type.has_shape()) {
      return success();
    }
    const auto &dims = type.shape().dim();
    bool fits = dims.size() == static_cast<int>(tensor.shape.size());
    for (int i = 0; fits && i < dims.size(); ++i) {
      fits = !dims[i].has_dim_value() || dims[i].dim_value() == tensor.shape[i];
    }
    if (fits) {
      return success();
    }
    InFlightDiagnostic diagnostic = error(tensor);
    diagnostic << "expected an array of shape [";
    llvm::interleaveComma(dims, diagnostic, [&](const auto &dim) {
      diagnostic << (dim.has_dim_value()       ? std::to_string(dim.dim_value())
                     : dim.dim_param().empty() ? std::string("?")
                                               : dim.dim_param());
    });
    diagnostic << "], got [";
    llvm::interleaveComma(tensor.shape, diagnostic);
    return diagnostic << "]";
  }

  /// In front of all nodes that may read it.
  void addConstant(const BoundTensor &tensor) {
    pb::NodeProto *node = graph.add_node();
    node->set_op_type("Constant");
    node->set_name("bound_" + tensor.name);
    node->add_output(tensor.name);
    pb::AttributeProto *attribute = node->add_attribute();
    attribute->set_name("value");
    attribute->set_type(pb::AttributeProto::TENSOR);
    pb::TensorProto *value = attribute->mutable_t();
    value->set_data_type(getDataType(tensor.elementType));
    value->mutable_dims()->Add(tensor.shape.begin(), tensor.shape.end());
    value->set_raw_data(tensor.bytes);
  }

  pb::GraphProto &graph;
  StringRef path;
  MLIRContext &context;
  llvm::StringSet<> bound; ///< names so far
};

} // namespace

LogicalResult bindInputs(pb::GraphProto &graph, ArrayRef<BoundTensor> bound,
                         StringRef path, MLIRContext &context) {
  InputBinder binder(graph, path, context);
  bool hasFailed = false;
  for (const BoundTensor &tensor : bound) {
    hasFailed |= failed(binder.bind(tensor));
  }
  return failure(hasFailed);
}

} // namespace accel::onnx
