// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins initializers into parameters. A tied head may lie in the file twice,
// once transposed: the copies must agree.
#include "frontends/onnx/Weights/ModelWeights.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Weights/ExternalData.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace accel::onnx {
namespace {

using Kind = RecoveredParameter::Kind;

/// The type of the parameter that an initializer of `type` holds.
RankedTensorType getParameterType(RankedTensorType type,
                                  const RecoveredParameter &holder) {
  if (holder.folding) {
    return type.clone(holder.folding->shape);
  }
  if (holder.transposed) {
    return type.clone({type.getDimSize(1), type.getDimSize(0)});
  }
  return holder.kind == Kind::TableRows
             ? type.clone(type.getShape().take_back(2))
             : type;
}

class WeightCollector {
public:
  WeightCollector(pb::GraphProto &graph, Recovery &recovery, StringRef path,
                  MLIRContext &context)
      : recovery(recovery), path(path), context(context),
        folder(llvm::sys::path::parent_path(path)) {
    for (pb::TensorProto &tensor : *graph.mutable_initializer()) {
      tensors[tensor.name()] = &tensor;
    }
    for (pb::TensorProto &tensor : recovery.folded) {
      folded[tensor.name()] = &tensor;
    }
  }

  FailureOr<ModelWeights> run() {
    for (const RecoveredParameter &holder : recovery.parameters) {
      if (failed(addHolder(holder))) {
        return failure();
      }
    }
    for (ModelParameter &parameter : weights.parameters) {
      if (failed(addValue(parameter))) {
        return failure();
      }
    }
    return std::move(weights);
  }

private:
  /// The bytes of an initializer, or none if its file is absent.
  using Source = std::optional<TensorBytes>;

  InFlightDiagnostic error(StringRef initializer) {
    return emitCodedError(UnknownLoc::get(&context), codes::WeightFile)
           << path << ": initializer '" << initializer << "': ";
  }

  LogicalResult addHolder(const RecoveredParameter &holder);
  LogicalResult addValue(ModelParameter &parameter);
  /// What lies in the file where the parameter's value comes from.
  pb::TensorProto &getHeld(const RecoveredParameter &holder) const {
    pb::TensorProto *source = folded.lookup(holder.source);
    return holder.folding && source ? *source
                                    : *tensors.lookup(holder.initializer);
  }
  FailureOr<Source> findSource(const RecoveredParameter &holder,
                               RankedTensorType type);
  static WeightEntry makeEntry(RankedTensorType type,
                               const RecoveredParameter &holder,
                               const TensorBytes &bytes) {
    return {type, bytes, holder.transposed,
            holder.folding ? holder.folding->shift : 0.0};
  }
  LogicalResult checkCopy(const ModelParameter &parameter,
                          const RecoveredParameter &copy);

  Recovery &recovery;
  StringRef path;
  MLIRContext &context;
  std::string folder;
  llvm::StringMap<pb::TensorProto *> tensors, folded;
  llvm::StringMap<Source>
      sources; ///< by initializer; shared by untied parameters
  ModelWeights weights;
};

LogicalResult WeightCollector::addHolder(const RecoveredParameter &holder) {
  llvm::Expected<RankedTensorType> held =
      getTensorType(context, getHeld(holder));
  if (!held) {
    return error(holder.initializer) << llvm::toString(held.takeError());
  }
  RankedTensorType type = getParameterType(*held, holder);
  auto [entry, inserted] =
      weights.byName.try_emplace(holder.parameter, weights.parameters.size());
  if (inserted) {
    weights.parameters.push_back(
        {holder.parameter, type, holder.kind, {holder}, *held});
    return success();
  }
  ModelParameter &parameter = weights.parameters[entry->second];
  if (parameter.type != type) {
    return error(holder.initializer)
           << "expected a copy of parameter '" << holder.parameter
           << "' of type " << parameter.type << ", got " << type;
  }
  // The parameter itself gives the value, its transposed copy follows it.
  auto isCopy = [](const RecoveredParameter &each) {
    return each.transposed || each.folding;
  };
  bool better = isCopy(parameter.holders.front()) && !isCopy(holder);
  parameter.holders.insert(
      better ? parameter.holders.begin() : parameter.holders.end(), holder);
  if (better) {
    parameter.kind = holder.kind;
    parameter.heldType = *held;
  }
  return success();
}

FailureOr<WeightCollector::Source>
WeightCollector::findSource(const RecoveredParameter &holder,
                            RankedTensorType type) {
  auto found = sources.find(holder.source);
  if (found != sources.end()) {
    return found->second;
  }
  pb::TensorProto *inGraph = tensors.lookup(holder.source);
  pb::TensorProto &tensor = inGraph ? *inGraph : *folded.lookup(holder.source);
  Source source;
  if (tensor.data_location() == pb::TensorProto::EXTERNAL) {
    uint64_t size =
        type.getNumElements() * getElementSize(type.getElementType());
    llvm::Expected<ExternalLocation> located =
        locateExternalData(tensor, folder, size);
    if (!located) {
      return error(holder.source) << llvm::toString(located.takeError());
    }
    if (!located->absent) {
      source = std::move(located->bytes);
    } else if (weights.absentFile.empty()) {
      weights.absentFile = located->bytes.location;
    }
  } else {
    // A constant that parameters were merged into keeps its data.
    llvm::Expected<TensorBytes> bytes = getInlineBytes(
        tensor, type,
        /*steal=*/!inGraph || recovery.find(holder.source) != nullptr);
    if (!bytes) {
      return error(holder.source) << llvm::toString(bytes.takeError());
    }
    source = std::move(*bytes);
  }
  sources[holder.source] = source;
  return source;
}

LogicalResult WeightCollector::addValue(ModelParameter &parameter) {
  const RecoveredParameter &holder = parameter.holders.front();
  if (parameter.kind == Kind::Recreated) {
    return success();
  }
  FailureOr<Source> source = findSource(holder, parameter.heldType);
  if (failed(source)) {
    return failure();
  }
  if (!*source) {
    weights.absent.push_back(parameter.name);
    return success();
  }
  weights.table.insert(parameter.name,
                       makeEntry(parameter.type, holder, **source));
  for (const RecoveredParameter &copy : llvm::drop_begin(parameter.holders)) {
    if (failed(checkCopy(parameter, copy))) {
      return failure();
    }
  }
  return success();
}

LogicalResult WeightCollector::checkCopy(const ModelParameter &parameter,
                                         const RecoveredParameter &copy) {
  FailureOr<Source> source = findSource(copy, parameter.heldType);
  if (failed(source) || !*source) {
    return source;
  }
  WeightTable other;
  other.insert(parameter.name, makeEntry(parameter.type, copy, **source));
  auto expected = weights.table.read(parameter.name),
       got = other.read(parameter.name);
  if (!expected || !got) {
    return error(copy.source) << llvm::toString(
               llvm::joinErrors(expected.takeError(), got.takeError()));
  }
  if ((*expected)->getBuffer() != (*got)->getBuffer()) {
    return error(copy.source)
           << "expected the values of parameter '" << parameter.name
           << "', of which it is a copy, got others";
  }
  return success();
}

} // namespace

FailureOr<ModelWeights> collectWeights(pb::GraphProto &graph,
                                       Recovery &recovery, StringRef path,
                                       MLIRContext &context) {
  return WeightCollector(graph, recovery, path, context).run();
}

FailureOr<std::string> readConstant(const pb::TensorProto &tensor,
                                    StringRef path, MLIRContext &context) {
  auto error = [&](llvm::Error reason) {
    return emitCodedError(UnknownLoc::get(&context), codes::WeightFile)
           << path << ": initializer '" << tensor.name()
           << "': " << llvm::toString(std::move(reason));
  };
  llvm::Expected<RankedTensorType> type = getTensorType(context, tensor);
  if (!type) {
    return error(type.takeError());
  }
  if (tensor.data_location() != pb::TensorProto::EXTERNAL) {
    pb::TensorProto copy = tensor;
    llvm::Expected<TensorBytes> bytes =
        getInlineBytes(copy, *type, /*steal=*/true);
    if (!bytes) {
      return error(bytes.takeError());
    }
    return *bytes->contents;
  }
  llvm::Expected<ExternalLocation> located =
      locateExternalData(tensor, llvm::sys::path::parent_path(path),
                         getStoredSize(*type, tensor.data_type()));
  if (!located) {
    return error(located.takeError());
  }
  auto buffer =
      located->absent
          ? llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>(
                llvm::createStringError(
                    llvm::inconvertibleErrorCode(),
                    "expected the constant in '" + located->bytes.location +
                        "' beside the model, got no such file; copy it there"))
          : located->bytes.read();
  if (!buffer) {
    return error(buffer.takeError());
  }
  return widenStored((*buffer)->getBuffer().str(), tensor.data_type());
}

FailureOr<DenseElementsAttr> readConstantElements(const pb::TensorProto &tensor,
                                                  StringRef path,
                                                  MLIRContext &context) {
  FailureOr<std::string> bytes = readConstant(tensor, path, context);
  if (failed(bytes)) {
    return failure();
  }
  return getElements(llvm::cantFail(getTensorType(context, tensor)), *bytes);
}

} // namespace accel::onnx
