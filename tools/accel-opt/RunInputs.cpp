// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function is run with by `accel-opt --run`.
#include "tools/accel-opt/RunInputs.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/StepNames.h"
#include "dialects/Accel/Interpreter/RandomArguments.h"
#include "dialects/Accel/Interpreter/RandomNormal.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace accel {
namespace {

/// Tensors by name, one per microbatch or one for all.
using NamedTensors = llvm::StringMap<std::vector<HostTensor>>;

FailureOr<std::vector<HostTensor>> getTensors(Location location, StringRef name,
                                              Attribute attribute) {
  llvm::SmallVector<Attribute> entries = {attribute};
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    entries.assign(array.begin(), array.end());
  }
  std::vector<HostTensor> tensors;
  for (Attribute entry : entries) {
    auto elements = dyn_cast<ElementsAttr>(entry);
    std::optional<HostTensor> tensor =
        elements ? HostTensor::fromAttribute(elements) : std::nullopt;
    if (!tensor) {
      return emitError(location)
             << "expected '" << name
             << "' to be dense elements or a list of them, got " << entry;
    }
    tensors.push_back(*tensor);
  }
  if (tensors.empty()) {
    return emitError(location)
           << "expected '" << name
           << "' to be dense elements or a list of them, got an empty list";
  }
  return tensors;
}

FailureOr<NamedTensors> readFile(MLIRContext *context,
                                 const std::string &path) {
  NamedTensors named;
  if (path.empty()) {
    return named;
  }
  Location location = FileLineColLoc::get(context, path, 1, 1);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    return emitError(location) << "expected a readable file of inputs, got: "
                               << buffer.getError().message();
  }
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(
      parseAttribute((*buffer)->getBuffer(), context));
  if (!dictionary) {
    return emitError(location)
           << "expected one dictionary attribute from names to elements, {x = "
              "dense<1.0> : tensor<f32>}";
  }
  for (NamedAttribute entry : dictionary) {
    FailureOr<std::vector<HostTensor>> tensors =
        getTensors(location, entry.getName(), entry.getValue());
    if (failed(tensors)) {
      return failure();
    }
    named[entry.getName()] = *tensors;
  }
  return named;
}

/// Takes the arguments' tensors out of `named`.
FailureOr<llvm::SmallVector<HostTensor>>
getArguments(func::FuncOp function, NamedTensors &named, int64_t seed) {
  FailureOr<llvm::SmallVector<HostTensor>> arguments =
      makeArguments(function, seed);
  if (failed(arguments)) {
    return failure();
  }
  for (auto [index, argument] : llvm::enumerate(*arguments)) {
    auto found = named.find(getArgumentName(function, index));
    if (found != named.end()) {
      argument = found->second.front();
      named.erase(found);
    }
  }
  return arguments;
}

/// Inputs that the file gives and, by a callback, those that it does not.
LogicalResult setInputs(Interpreter &interpreter, ModuleOp module,
                        NamedTensors &named, int64_t seed) {
  llvm::StringMap<InputOp> inputs;
  WalkResult walk = module.walk([&](InputOp op) {
    inputs[op.getName()] = op;
    return failed(makeValue(op.getLoc(), op.getType(),
                            op->getDiscardableAttrDictionary(), op.getName(),
                            seed))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walk.wasInterrupted()) {
    return failure();
  }
  for (const auto &input : inputs) {
    auto found = named.find(input.first());
    if (found != named.end()) {
      interpreter.setInputs(input.first(), found->second);
      named.erase(found);
    }
  }
  interpreter.setInputCallback([inputs, seed](StringRef name,
                                              int64_t microbatch,
                                              RankedTensorType type) {
    DictionaryAttr attributes =
        inputs.lookup(name)->getDiscardableAttrDictionary();
    if (isBuiltinInput(name) && !attributes.contains("accel.value")) {
      return HostTensor();
    }
    std::string site = (name + "#" + Twine(microbatch)).str();
    return makeValue(UnknownLoc::get(type.getContext()), type, attributes, site,
                     seed)
        .value_or(HostTensor());
  });
  return success();
}

/// The value of a parameter or state that the file or an attribute gives, or a
/// random one where it has none; null where it keeps the one it has.
FailureOr<HostTensor> getSymbolValue(const Interpreter &interpreter,
                                     Operation *declaration,
                                     const NamedTensors &named, int64_t seed) {
  StringRef name = SymbolTable::getSymbolName(declaration);
  RankedTensorType type = ProgramState::getDeclaredType(declaration);
  auto found = named.find(name);
  if (found != named.end()) {
    return found->second.front();
  }
  DictionaryAttr attributes = declaration->getDiscardableAttrDictionary();
  if (attributes.contains("accel.value")) {
    return makeValue(declaration->getLoc(), type, attributes, name, seed);
  }
  if (interpreter.getSymbol(name) || !fitsHost(type) ||
      !isa<FloatType>(type.getElementType())) {
    return HostTensor();
  }
  return makeRandomNormal(type, seed, getSite(name), /*mean=*/0.0,
                          /*deviation=*/0.02);
}

LogicalResult setSymbols(Interpreter &interpreter, NamedTensors &named,
                         int64_t seed) {
  for (Operation *declaration : interpreter.getState().getDeclarations()) {
    StringRef name = SymbolTable::getSymbolName(declaration);
    FailureOr<HostTensor> value =
        getSymbolValue(interpreter, declaration, named, seed);
    if (failed(value)) {
      return failure();
    }
    if (*value && failed(interpreter.setSymbol(name, *value))) {
      return declaration->emitOpError()
             << "expected a value of type "
             << ProgramState::getDeclaredType(declaration)
             << " in the file of inputs, got " << value->getType();
    }
    named.erase(name);
  }
  return success();
}

} // namespace

FailureOr<llvm::SmallVector<HostTensor>> prepareRun(Interpreter &interpreter,
                                                    func::FuncOp function,
                                                    const RunOptions &options) {
  auto module = function->getParentOfType<ModuleOp>();
  FailureOr<NamedTensors> named =
      readFile(function.getContext(), options.inputFile);
  if (failed(named)) {
    return failure();
  }
  FailureOr<llvm::SmallVector<HostTensor>> arguments =
      getArguments(function, *named, options.seed);
  if (failed(arguments) ||
      failed(setInputs(interpreter, module, *named, options.seed)) ||
      failed(setSymbols(interpreter, *named, options.seed))) {
    return failure();
  }
  if (!named->empty()) {
    llvm::SmallVector<std::string> unused(llvm::map_range(
        named->keys(), [](StringRef name) { return name.str(); }));
    llvm::sort(unused);
    return function.emitOpError()
           << "expected only names of arguments, inputs, parameters and states "
              "in the file of "
              "inputs, got "
           << llvm::join(unused, ", ");
  }
  return arguments;
}

} // namespace accel
