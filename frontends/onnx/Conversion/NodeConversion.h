// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One ONNX node on its way into the `accel` dialect: typed access to its inputs
// and attributes, known values, and a place for its results. Converters see
// nothing else of the importer.
#ifndef ACCEL_FRONTENDS_ONNX_CONVERSION_NODECONVERSION_H
#define ACCEL_FRONTENDS_ONNX_CONVERSION_NODECONVERSION_H

#include "dialects/Accel/IR/AccelOps.h"
#include "frontends/onnx/Conversion/KnownValues.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VersionTuple.h"

#include <functional>
#include <optional>

namespace accel::onnx {

/// The decimal number that `value` was most likely rounded from: 0.1 for the
/// float nearest to it.
double toDecimal(float value);

/// A place where the model drops elements, in graph order from 1.
struct DropoutSite {
  int64_t number;
  std::string name; ///< of the node
  std::string scope;
  double probability;
  bool attention;
};

/// A tensor, or the parts of a sequence.
struct BodyValue {
  mlir::Value value;
  std::optional<llvm::SmallVector<mlir::Value>> sequence;
};

/// What all nodes of one import share.
struct ConversionState {
  mlir::func::FuncOp function;
  KnownValues known;
  int64_t opset = 0;
  int64_t batch = 0;
  DropoutPolicy dropout;
  BatchNormPolicy batchNorm = BatchNormPolicy::Microbatch;
  bool infers = false; ///< ImportOptions::infers
  /// Of the exporter; none: another program wrote the file.
  std::optional<llvm::VersionTuple> pytorch;
  std::vector<DropoutSite> dropoutSites;
  /// Nodes that have their error already.
  llvm::SmallPtrSet<const pb::NodeProto *, 8> unsupported;
  std::vector<std::string>
      idleDropouts; ///< Dropout nodes that the file does not train with
  /// Parts of what is split, by the name of the sequence.
  llvm::StringMap<llvm::SmallVector<mlir::Value>> sequences;
  /// Parameters that are running statistics of batch norms: those that
  /// microbatches move, and those that stay.
  llvm::StringSet<> runningStatistics, keptStatistics;
  std::vector<std::string>
      idleBatchNorms; ///< those whose running statistics stay
  std::vector<std::string>
      addedSelections;             ///< nodes that add a boolean mask to scores
  mlir::Value sampleIndices, seed; ///< made on first use
  double labelSmoothing = 0.0;     ///< of the model's own loss
  /// Random numbers from 0 to 1.
  llvm::DenseSet<mlir::Value> uniforms;
  /// Booleans that are random, and the floats 0 and 1 with the same mean.
  llvm::DenseMap<mlir::Value, mlir::Value> bernoullis;
  /// Floats that are 1 with this probability, else 0, or its mean.
  llvm::DenseMap<mlir::Value, double> drawnWith;
  /// Values that nodes or outputs of the graph read, by name.
  llvm::StringSet<> read;
  /// The data types of values that are integers of 8 or 16 bits, by name.
  llvm::StringMap<int32_t> narrow;
  /// Values that depend on inputs of the model, be it on their sizes alone.
  llvm::StringSet<> shapedByInputs;
  std::vector<std::string> randomDraws; ///< nodes that draw random numbers
  /// Converts the nodes of a branch or of a loop's body, which may use all
  /// values that are there, and gives its outputs.
  std::function<mlir::LogicalResult(const pb::GraphProto &body,
                                    llvm::ArrayRef<BodyValue> inputs,
                                    llvm::SmallVectorImpl<BodyValue> &outputs)>
      convertBody;
};

class NodeConversion {
public:
  NodeConversion(ConversionState &state, mlir::OpBuilder &builder,
                 mlir::Location loc, const pb::NodeProto &node,
                 llvm::ArrayRef<mlir::Value> inputs);

  ConversionState &state;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const pb::NodeProto &node;

  int64_t opset() const { return state.opset; }

  // Inputs. An absent optional input is a null value.
  size_t inputCount() const { return inputs.size(); }
  mlir::Value input(size_t i) const {
    return i < inputs.size() ? inputs[i] : mlir::Value();
  }
  bool hasInput(size_t i) const { return static_cast<bool>(input(i)); }
  mlir::RankedTensorType inputType(size_t i) const { return typeOf(input(i)); }

  /// Input `i`, which may be a sequence.
  BodyValue getBodyInput(size_t i) const;

  // Attributes.
  bool hasAttribute(llvm::StringRef name) const {
    return findAttribute(name) != nullptr;
  }
  int64_t getInt(llvm::StringRef name, int64_t otherwise) const;
  double getFloat(llvm::StringRef name,
                  double otherwise) const; ///< by `toDecimal`
  llvm::StringRef getString(llvm::StringRef name,
                            llvm::StringRef otherwise) const;
  std::optional<llvm::SmallVector<int64_t>> getInts(llvm::StringRef name) const;
  const pb::AttributeProto *findAttribute(llvm::StringRef name) const;

  /// Input `i` as integers; emits an error if it depends on the model's inputs.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getConstantInts(size_t i) const;
  /// Input `i` as one integer; as above.
  mlir::FailureOr<int64_t> getConstantInt(size_t i) const;
  /// Input `i` as one number (floats by `toDecimal`); as above.
  mlir::FailureOr<double> getConstantNumber(size_t i) const;

  /// `axis` in [0, rank); emits an error if it is not in [-rank, rank).
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank) const;
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) const;

  // Results.
  void setResult(size_t i, mlir::Value value);
  /// A result that may be a sequence.
  void setBodyResult(size_t i, const BodyValue &value);
  mlir::Value getResult(size_t i) const {
    return i < results.size() ? results[i] : mlir::Value();
  }
  bool isResultUsed(size_t i) const {
    return static_cast<int>(i) < node.output_size() &&
           !node.output(static_cast<int>(i)).empty();
  }

  /// Whether anything uses output `i`, which may have a name all the same.
  bool isResultRead(size_t i) const {
    return isResultUsed(i) &&
           state.read.contains(node.output(static_cast<int>(i)));
  }

  mlir::InFlightDiagnostic error(ErrorCode code = codes::InvalidNode) const;

  // Building blocks.
  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  /// Whether the elements are INT32 or INT64.
  static bool isIndexTensor(mlir::RankedTensorType type) {
    return type.getElementType().isInteger(64) ||
           type.getElementType().isInteger(32);
  }
  mlir::Value makeConstant(mlir::RankedTensorType type, double value) const;
  mlir::Value
  makeIntegers(llvm::ArrayRef<int64_t> values) const; ///< tensor<Nxi64>
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) const;
  mlir::Value transpose(mlir::Value value,
                        llvm::ArrayRef<int64_t> permutation) const;
  /// `value` itself if the slice is all of it.
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<int64_t> offsets,
                    llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> strides) const;
  /// The one value itself if there is one only.
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t axis) const;
  mlir::Value cast(mlir::Value value, mlir::Type elementType) const;

private:
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> results;
};

/// Converts one node; fails after an error on the node's location.
using Converter = mlir::LogicalResult (*)(NodeConversion &);

} // namespace accel::onnx

#endif
