// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the symbols of all inputs, binds them by the rules of the header,
// then forms the types.
#include "frontends/onnx/Conversion/Dimensions.h"

#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Weights/TensorData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace accel::onnx {
namespace {

constexpr int64_t defaultBatch = 4;

/// A dimension before binding: a size, or a symbol.
struct Dimension {
  int64_t size = 0;
  std::string symbol;
};

class Binder {
public:
  Binder(ArrayRef<const pb::ValueInfoProto *> inputs,
         const ImportOptions &options, StringRef path, MLIRContext &context)
      : inputs(inputs), options(options), path(path), context(context) {}

  FailureOr<BoundInputs> run() {
    if (failed(collect()) || (!options.infers && failed(bindBatch()))) {
      return failure();
    }
    // A size that is missing may stand under a wrong name: both are told.
    bool isBound = succeeded(bindOthers());
    if (failed(checkOptions()) || !isBound) {
      return failure();
    }
    return makeTypes();
  }

private:
  InFlightDiagnostic error() const {
    return emitCodedError(UnknownLoc::get(&context), codes::Dimensions)
           << path << ": ";
  }

  LogicalResult collect();
  LogicalResult collect(const pb::ValueInfoProto &input);
  FailureOr<Dimension> collect(const pb::ValueInfoProto &input, int index);
  LogicalResult bindBatch();
  LogicalResult bindOthers();
  LogicalResult checkOptions();
  LogicalResult checkFixedBatch();
  FailureOr<BoundInputs> makeTypes();
  LogicalResult bind(StringRef symbol, StringRef option);
  std::string describeExport(StringRef names) const;

  ArrayRef<const pb::ValueInfoProto *> inputs;
  const ImportOptions &options;
  StringRef path;
  MLIRContext &context;
  SmallVector<SmallVector<Dimension>> shapes;
  SmallVector<std::string> symbols; ///< in order of appearance
  llvm::StringMap<int64_t> sizes;
  SmallVector<std::string> usedOptions;
  std::string batchSymbol;
  int64_t fixedBatch = 0;
};

LogicalResult Binder::collect() {
  for (const pb::ValueInfoProto *input : inputs) {
    if (failed(collect(*input))) {
      return failure();
    }
  }
  if (shapes.empty() && !options.infers) {
    return error() << "expected a model with at least one input, got none";
  }
  return success();
}

LogicalResult Binder::collect(const pb::ValueInfoProto &input) {
  const pb::TypeProto_Tensor &tensor = input.type().tensor_type();
  if (!input.type().has_tensor_type() ||
      !getValueType(context, tensor.elem_type())) {
    return error() << "input '" << input.name() << "': expected a tensor of "
                   << getValueTypeNames() << ", got "
                   << (input.type().has_tensor_type()
                           ? getDataTypeName(tensor.elem_type())
                           : std::string("another type"));
  }
  bool hasBatch = tensor.has_shape() && tensor.shape().dim_size() > 0;
  if (!tensor.has_shape() || (!hasBatch && !options.infers)) {
    return error()
           << "input '" << input.name() << "': expected a shape"
           << (options.infers ? "" : " whose first dimension is the batch")
           << ", got " << (tensor.has_shape() ? "a scalar" : "none")
           << "; give its value with --bind " << input.name()
           << "=FILE.npy, or make it a constant of the model before export";
  }
  SmallVector<Dimension> &shape = shapes.emplace_back();
  for (int index = 0; index < tensor.shape().dim_size(); ++index) {
    FailureOr<Dimension> dimension = collect(input, index);
    if (failed(dimension)) {
      return failure();
    }
    shape.push_back(*dimension);
  }
  return success();
}

FailureOr<Dimension> Binder::collect(const pb::ValueInfoProto &input,
                                     int index) {
  const auto &dim = input.type().tensor_type().shape().dim(index);
  Dimension dimension{dim.dim_value(), dim.dim_param()};
  if (!dim.has_dim_value() && dimension.symbol.empty()) {
    dimension.symbol = input.name() + "_dim_" + std::to_string(index);
  }
  if (dimension.symbol.empty() && dimension.size < (options.infers ? 0 : 1)) {
    return error() << "input '" << input.name()
                   << "': expected positive dimensions, got " << dimension.size;
  }
  if (!dimension.symbol.empty() &&
      !llvm::is_contained(symbols, dimension.symbol)) {
    symbols.push_back(dimension.symbol);
  }
  return dimension;
}

/// Binds `symbol` to the value of `--dim option`.
LogicalResult Binder::bind(StringRef symbol, StringRef option) {
  auto found = options.dimensions.find(option.str());
  if (found == options.dimensions.end()) {
    return success();
  }
  usedOptions.push_back(option.str());
  auto [entry, inserted] = sizes.try_emplace(symbol, found->second);
  if (!inserted && entry->second != found->second) {
    return error() << "expected one size of dimension '" << symbol << "', got "
                   << entry->second << " and, by --dim " << option << ", "
                   << found->second;
  }
  return success();
}

LogicalResult Binder::bindBatch() {
  const Dimension &first = shapes.front().front();
  for (auto [input, shape] : llvm::zip_equal(inputs, shapes)) {
    if (shape.front().symbol != first.symbol ||
        shape.front().size != first.size) {
      return error() << "expected all inputs to have the same first dimension, "
                        "the batch; got "
                     << (first.symbol.empty() ? std::to_string(first.size)
                                              : "'" + first.symbol + "'")
                     << " in '" << inputs.front()->name() << "' and "
                     << (shape.front().symbol.empty()
                             ? std::to_string(shape.front().size)
                             : "'" + shape.front().symbol + "'")
                     << " in '" << input->name()
                     << "'; give one that has no batch its value with --bind "
                        "NAME=FILE.npy, or make it a constant of the model "
                        "before export";
    }
  }
  if (first.symbol.empty()) {
    fixedBatch = first.size;
    return checkFixedBatch();
  }
  batchSymbol = first.symbol;
  if (failed(bind(batchSymbol, batchSymbol)) ||
      failed(bind(batchSymbol, "batch"))) {
    return failure();
  }
  sizes.try_emplace(batchSymbol, defaultBatch);
  return success();
}

/// The call that makes the leading `names` dimensions of every input symbolic.
std::string Binder::describeExport(StringRef names) const {
  std::string text = "torch.onnx.export(model, (), \"model.onnx\", kwargs={";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(inputs, stream, [&](const pb::ValueInfoProto *input) {
    stream << '"' << input->name() << "\": " << input->name();
  });
  stream << "}, dynamo=True, dynamic_shapes={";
  llvm::interleaveComma(inputs, stream, [&](const pb::ValueInfoProto *input) {
    stream << '"' << input->name() << "\": {" << names << "}";
  });
  stream << "})";
  return text;
}

LogicalResult Binder::checkFixedBatch() {
  auto found = options.dimensions.find("batch");
  if (found == options.dimensions.end() ||
      llvm::is_contained(symbols, "batch")) {
    return success();
  }
  usedOptions.push_back("batch");
  if (found->second == fixedBatch) {
    return success();
  }
  return error() << "expected --dim batch=" << fixedBatch
                 << ", the batch that is fixed in the file, got "
                 << found->second << "; export it with a symbolic batch: "
                 << describeExport("0: \"batch\"");
}

LogicalResult Binder::bindOthers() {
  SmallVector<std::string> unbound;
  for (const std::string &symbol : symbols) {
    if (failed(bind(symbol, symbol))) {
      return failure();
    }
    if (!sizes.contains(symbol)) {
      unbound.push_back(symbol);
    }
  }
  if (unbound.size() == 1 && options.dimensions.count("seq")) {
    return bind(unbound.front(), "seq");
  }
  if (unbound.empty()) {
    return success();
  }
  InFlightDiagnostic diagnostic =
      error() << "expected a size for every symbolic dimension, got none for ";
  llvm::interleaveComma(unbound, diagnostic, [&](const std::string &symbol) {
    diagnostic << "'" << symbol << "'";
  });
  diagnostic << "; add";
  for (const std::string &symbol : unbound) {
    diagnostic << " --dim " << symbol << "=SIZE";
  }
  return diagnostic;
}

LogicalResult Binder::checkOptions() {
  for (const auto &[name, size] : options.dimensions) {
    if (llvm::is_contained(usedOptions, name)) {
      continue;
    }
    InFlightDiagnostic diagnostic =
        error() << "--dim " << name << "=" << size
                << ": expected a symbolic dimension of the model (";
    llvm::interleaveComma(symbols, diagnostic, [&](const std::string &symbol) {
      diagnostic << "'" << symbol << "'";
    });
    return diagnostic << (symbols.empty() ? "it has none" : "") << "), got '"
                      << name
                      << "'; to make another dimension symbolic, export again: "
                      << describeExport("0: \"batch\", 1: \"seq\"");
  }
  return success();
}

FailureOr<BoundInputs> Binder::makeTypes() {
  BoundInputs bound;
  bound.batch = fixedBatch ? fixedBatch : sizes.lookup(batchSymbol);
  bound.batchSymbol = batchSymbol;
  for (auto [input, shape] : llvm::zip_equal(inputs, shapes)) {
    SmallVector<int64_t> dims;
    int64_t elements = 1;
    for (const Dimension &dimension : shape) {
      dims.push_back(dimension.symbol.empty() ? dimension.size
                                              : sizes.lookup(dimension.symbol));
      if (dims.back() > (int64_t(1) << 40) / std::max<int64_t>(elements, 1)) {
        return error() << "input '" << input->name()
                       << "': expected at most 2^40 elements, got more";
      }
      elements *= dims.back();
    }
    bound.types.push_back(RankedTensorType::get(
        dims, getValueType(context, input->type().tensor_type().elem_type())));
  }
  return bound;
}

} // namespace

FailureOr<BoundInputs>
bindDimensions(ArrayRef<const pb::ValueInfoProto *> inputs,
               const ImportOptions &options, StringRef path,
               MLIRContext &context) {
  return Binder(inputs, options, path, context).run();
}

ImportOptions assumeSizes(ArrayRef<const pb::ValueInfoProto *> inputs) {
  constexpr int64_t kAssumedSize = 16;
  ImportOptions assumed;
  for (const pb::ValueInfoProto *input : inputs) {
    for (const auto &dim : input->type().tensor_type().shape().dim()) {
      if (!dim.dim_param().empty()) {
        assumed.dimensions[dim.dim_param()] = kAssumedSize;
      }
    }
  }
  return assumed;
}

} // namespace accel::onnx
