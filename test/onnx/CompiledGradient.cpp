// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A gradient is a program that answers: its arguments are the plan's inputs,
// its results the plan's outputs.
#include "test/onnx/CompiledGradient.h"

#include "compiler/Pipeline.h"
#include "compiler/PlanOutput.h"
#include "passes/Differentiate/Passes.h"
#include "passes/Import/Passes.h"
#include "runtime/io/posix_vfs.h"
#include "test/onnx/AnsweringPlan.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::test {
namespace {

std::string getInputName(size_t i) { return "input" + std::to_string(i); }
std::string getOutputName(size_t i) { return "gradient" + std::to_string(i); }

/// A module of `gradient` alone, with what accelc expects of a program.
OwningOpRef<ModuleOp> makeProgram(func::FuncOp gradient) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(gradient.getLoc());
  (*module)->setDiscardableAttrs(
      gradient->getParentOfType<ModuleOp>()->getDiscardableAttrDictionary());
  func::FuncOp program = gradient.clone();
  program.setSymName("forward");
  module->push_back(program);
  auto makeName = [&](const std::string &name) {
    return StringAttr::get(program.getContext(), name);
  };
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    program.setArgAttr(i, "accel.name", makeName(getInputName(i)));
  }
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    program.setResultAttr(i, "accel.name", makeName(getOutputName(i)));
  }
  return module;
}

/// What training does between its differentiation and its precision, and what
/// makes types of the gradient's operations such that kernels have.
LogicalResult cleanGradient(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(createExpandBatchNormPass());
  manager.addPass(createSinkTransposesPass());
  manager.addPass(createExpandElementTypesPass());
  manager.addPass(createCleanGraphPass());
  return manager.run(module);
}

template <typename T, typename Elements> std::string pack(Elements elements) {
  std::string bytes;
  for (auto element : elements) {
    T value = static_cast<T>(element);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
  }
  return bytes;
}

std::string toBytes(const HostTensor &tensor) {
  Type type = tensor.getElementType();
  if (tensor.isFloat()) {
    return type.isF64() ? pack<double>(tensor.floats())
                        : pack<float>(tensor.floats());
  }
  return type.isInteger(64)   ? pack<int64_t>(tensor.integers())
         : type.isInteger(32) ? pack<int32_t>(tensor.integers())
                              : pack<uint8_t>(tensor.integers());
}

template <typename T> std::vector<double> unpack(const std::string &bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (auto [i, number] : llvm::enumerate(numbers)) {
    T value;
    std::memcpy(&value, bytes.data() + sizeof(T) * i, sizeof(T));
    number = value;
  }
  return numbers;
}

llvm::Error toError(const absl::Status &status) {
  return llvm::createStringError(std::string(status.message()));
}

} // namespace

CompiledGradient::CompiledGradient(const std::string &folder)
    : plan(folder + "/gradient.plan"), vfs(runtime::MakePosixVfs()),
      device(makeDevice(*vfs)) {}

LogicalResult CompiledGradient::compile(func::FuncOp gradient) {
  CompilerOptions options;
  options.model = "gradient.onnx";
  options.output = plan;
  options.makeInference();
  // One variant is enough: all give the same bits.
  options.target = "x86-64-v3";
  onnx::ImportedModel model;
  model.module = makeProgram(gradient);
  ModuleOp module = *model.module;
  if (failed(cleanGradient(module))) {
    return failure();
  }
  for (const PhaseInfo &info : getPhases()) {
    bool isPending =
        info.phase >= Phase::Differentiate && info.phase <= Phase::Memory;
    if (isPending && failed(runPhase(module, info.phase, options))) {
      return failure();
    }
  }
  PlanOutput output(options, *vfs, model);
  if (failed(output.begin(module))) {
    return failure();
  }
  FailureOr<LoweredCode> code = lowerKernels(module, getVariants(module));
  return failed(code) ? failure() : output.finish(module, *code);
}

llvm::Expected<std::vector<std::vector<double>>>
CompiledGradient::run(func::FuncOp gradient, ArrayRef<HostTensor> values) {
  if (failed(compile(gradient))) {
    return llvm::createStringError("does not compile");
  }
  auto opened = AnsweringPlan::open(*vfs, *device, plan);
  if (!opened.ok()) {
    return toError(opened.status());
  }
  absl::Status status;
  for (auto [i, value] : llvm::enumerate(values)) {
    status.Update((*opened)->setInput(getInputName(i), toBytes(value)));
  }
  if (status.ok()) {
    status = (*opened)->run();
  }
  if (!status.ok()) {
    return toError(status);
  }
  std::vector<std::vector<double>> results;
  for (unsigned i = 0; i < gradient.getNumResults(); ++i) {
    const planpb::Tensor *output = (*opened)->findOutput(getOutputName(i));
    auto bytes = (*opened)->read(*output);
    if (!bytes.ok()) {
      return toError(bytes.status());
    }
    results.push_back(output->dtype() == planpb::ELEMENT_F64
                          ? unpack<double>(*bytes)
                          : unpack<float>(*bytes));
  }
  return results;
}

} // namespace accel::test
