// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Import, phases, code and manifest, without a file.
#include "test/compiler/CompiledModel.h"

#include "compiler/Pipeline.h"
#include "compiler/PlanManifest.h"
#include "compiler/RegisterAll.h"
#include "passes/Analysis/IterationDomain.h"
#include "runtime/plan/container/instruction_stream.h"
#include "test/passes/lower/KernelRun.h"

#include "mlir/IR/DialectRegistry.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel::test {
namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllAccelDialects(registry);
  return registry;
}

} // namespace

CompiledModel::CompiledModel()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      diagnostics += diagnostic.str() + "\n";
    }
  });
}

bool CompiledModel::importModel(const CompilerOptions &options) {
  FailureOr<onnx::ImportedModel> imported =
      onnx::importOnnx(options.model, options.frontend, context);
  if (failed(imported)) {
    return false;
  }
  model = std::move(*imported);
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase <= Phase::Memory &&
        failed(runPhase(*model.module, info.phase, options))) {
      return false;
    }
  }
  return true;
}

bool CompiledModel::readWeights(PlanManifest &builder) {
  for (const std::string &key : model.weights.getKeys()) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> bytes =
        model.weights.read(key);
    if (!bytes) {
      diagnostics += key + ": " + llvm::toString(bytes.takeError());
      return false;
    }
    WeightSource source;
    source.section = 0;
    source.offset = weights.size();
    builder.setWeightSource(key, source);
    weights += (*bytes)->getBuffer();
  }
  return true;
}

bool CompiledModel::buildPlan() {
  std::vector<CodeVariant> variants;
  llvm::copy_if(getVariants(*model.module), std::back_inserter(variants),
                [](const CodeVariant &variant) {
                  return variant.device == plan::DeviceKind::Cuda ||
                         canRun(variant);
                });
  FailureOr<LoweredCode> lowered = lowerKernels(*model.module, variants);
  if (failed(lowered)) {
    return false;
  }
  code = std::move(*lowered);
  kernels = ModuleOp::create(UnknownLoc::get(&context));
  (*kernels)->setDiscardableAttrs(
      (*model.module)->getDiscardableAttrDictionary());
  for (auto function : model.module->getOps<func::FuncOp>()) {
    if (function->hasAttr(kKernelAttr)) {
      kernels->push_back(function.clone());
    }
  }
  PlanWriterOptions options;
  PlanManifest builder(*model.module, code, model, options);
  if (!readWeights(builder)) {
    return false;
  }
  for (func::FuncOp function : getProgram(*model.module)) {
    FailureOr<std::string> records =
        builder.addFunction(function, /*section=*/0);
    if (failed(records)) {
      return false;
    }
    int index = builder.get().functions_size() - 1;
    auto decoded = runtime::DecodeInstructions(
        *records, builder.get().functions(index).instructions());
    if (!decoded.ok()) {
      diagnostics += std::string(decoded.status().message());
      return false;
    }
    instructions[*getRole(function)] = std::move(*decoded);
  }
  constants = builder.takeConstants(/*section=*/0);
  manifest = builder.finish();
  return true;
}

std::unique_ptr<CompiledModel> CompiledModel::compile(const std::string &model,
                                                      CompilerOptions options) {
  options.model = ACCEL_MODELS "/" + model;
  std::unique_ptr<CompiledModel> compiled(new CompiledModel());
  if (!compiled->importModel(options) || !compiled->buildPlan()) {
    ADD_FAILURE() << model << ": " << compiled->diagnostics;
    return nullptr;
  }
  return compiled;
}

func::FuncOp CompiledModel::getKernel(const std::string &name) const {
  return (*kernels).lookupSymbol<func::FuncOp>(name);
}

} // namespace accel::test
