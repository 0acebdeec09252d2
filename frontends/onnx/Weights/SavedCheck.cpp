// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters are compared one at a time; none is kept.
#include "frontends/onnx/Weights/SavedCheck.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace accel::onnx {
namespace {

using Kind = RecoveredParameter::Kind;

std::string describeType(StringRef elementType, ArrayRef<int64_t> shape) {
  std::string text = elementType.str() + "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(shape, stream);
  return text + "]";
}

std::string describeType(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type.getElementType();
  return describeType(text, type.getShape());
}

/// Whether the rows `held` stand in `table` behind each other.
bool holdsRows(StringRef table, StringRef held, size_t rowBytes) {
  for (size_t at = 0; at + held.size() <= table.size(); at += rowBytes) {
    if (table.substr(at, held.size()) == held) {
      return true;
    }
  }
  return false;
}

/// What is wrong with the saved tensor of a parameter; empty if it has the
/// value that the model has.
llvm::Expected<std::string> compare(const ModelParameter &parameter,
                                    const SavedTensor &saved,
                                    const WeightTable &table) {
  bool isRows = parameter.kind == Kind::TableRows && saved.shape.size() == 2 &&
                saved.shape.back() == parameter.type.getDimSize(1);
  std::string expected = describeType(parameter.type),
              got = describeType(saved.elementType, saved.shape);
  if (expected !=
      (isRows ? describeType(saved.elementType, parameter.type.getShape())
              : got)) {
    return "expected " + expected + ", got " + got;
  }
  if (parameter.kind != Kind::Recreated && !table.find(parameter.name)) {
    return std::string(); // the file of the weights is absent
  }
  llvm::Expected<std::string> bytes = saved.read();
  if (!bytes) {
    return bytes.takeError();
  }
  if (parameter.kind == Kind::Recreated) {
    bool isZero = llvm::all_of(*bytes, [](char byte) { return byte == 0; });
    return std::string(isZero ? "" : "the exporter deleted it as zero");
  }
  auto value = table.read(parameter.name);
  if (!value) {
    return value.takeError();
  }
  StringRef held = (*value)->getBuffer();
  size_t rowBytes =
      isRows ? held.size() / static_cast<size_t>(parameter.type.getDimSize(0))
             : std::max<size_t>(1, held.size());
  return std::string(
      holdsRows(*bytes, held, rowBytes) ? "" : "its elements have other bits");
}

void tellRest(const ModelWeights &weights, const SavedParameters &saved,
              ImportNotes &notes) {
  std::vector<std::string> unused, missing;
  for (const auto &[name, tensor] : saved.tensors) {
    if (!weights.byName.contains(name)) {
      unused.push_back(name);
    }
  }
  for (const ModelParameter &parameter : weights.parameters) {
    if (!saved.tensors.count(parameter.name)) {
      missing.push_back(parameter.name);
    }
  }
  addCountedRemark(notes, "tensor of --params is no parameter of the model",
                   "tensors of --params are no parameters of the model",
                   std::move(unused));
  addCountedRemark(
      notes, "parameter that --params does not have begins as the model has it",
      "parameters that --params does not have begin as the model has them",
      std::move(missing));
}

} // namespace

/// A file that has none of the parameters belongs to another model, or has
/// other names.
static LogicalResult checkNames(const ModelWeights &weights,
                                const SavedParameters &saved, StringRef path,
                                MLIRContext &context) {
  auto isKnown = [&](const auto &named) {
    return weights.byName.contains(named.first);
  };
  if (weights.parameters.empty() || llvm::any_of(saved.tensors, isKnown)) {
    return success();
  }
  InFlightDiagnostic error =
      emitCodedError(UnknownLoc::get(&context), codes::SavedParameters);
  error << path << ": expected '" << saved.path
        << "' to have parameters of the model, such as '"
        << weights.parameters.front().name << "', got ";
  if (saved.tensors.empty()) {
    error << "no tensors";
  } else {
    error << "other names alone, such as '" << saved.tensors.begin()->first
          << "'";
  }
  return error << "; save the state dict of the very module that is exported, "
                  "under its own names: "
                  "safetensors.torch.save_file(model.state_dict(), ...)";
}

LogicalResult checkSaved(const ModelWeights &weights,
                         const SavedParameters &saved, StringRef path,
                         MLIRContext &context, ImportNotes &notes) {
  if (failed(checkNames(weights, saved, path, context))) {
    return failure();
  }
  std::vector<std::string> wrong;
  for (const ModelParameter &parameter : weights.parameters) {
    auto tensor = saved.tensors.find(parameter.name);
    if (tensor == saved.tensors.end()) {
      continue;
    }
    llvm::Expected<std::string> fault =
        compare(parameter, tensor->second, weights.table);
    std::string text = fault ? *fault : llvm::toString(fault.takeError());
    if (!text.empty()) {
      wrong.push_back("'" + parameter.name + "': " + text);
    }
  }
  if (!wrong.empty()) {
    return emitCodedError(UnknownLoc::get(&context), codes::SavedParameters)
           << path << ": expected the parameters of '" << saved.path
           << "', got others: " << llvm::join(wrong, "; ")
           << "; save the state dict of the very module that is exported; "
              "where "
              "the exporter merged batch norms into weights, export with "
              "dynamo=True, optimize=False";
  }
  tellRest(weights, saved, notes);
  return success();
}

} // namespace accel::onnx
