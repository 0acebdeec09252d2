// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the phase Lower.
#include "passes/Lower/LowerPipeline.h"

#include "passes/Analysis/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace accel;

void accel::buildLowerPipeline(OpPassManager &manager) {
  manager.addPass(createLowerKernelsPass());
  manager.addPass(createVerifyLowerPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  VectorizeRowsPassOptions options;
  options.lanes = kVectorLanes;
  functions.addPass(createVectorizeRowsPass(options));
  // Before the expansions, which should not be made twice for equal operands;
  // and behind, for what they have in common.
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createExpandMathPass());
  functions.addPass(createCSEPass());
}

/// A module with copies of the kernels only.
static OwningOpRef<ModuleOp> extractKernels(ModuleOp module,
                                            std::vector<std::string> &names) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(kKernelAttr)) {
      names.push_back(function.getSymName().str());
      kernels->push_back(function.clone());
    }
  }
  return kernels;
}

/// Every kernel has one entry of its own, in the order of `names`.
static LogicalResult orderEntries(ModuleOp module, ArrayRef<std::string> names,
                                  VariantCode &code) {
  llvm::StringMap<CodeEntry> known;
  for (CodeEntry &entry : code.image.entries) {
    known[entry.kernel] = entry;
  }
  code.image.entries.clear();
  for (const std::string &name : names) {
    auto entry = known.find(name);
    if (entry == known.end() || entry->second.size == 0) {
      return module.emitError("kernel '")
             << name << "' has no code in variant '" << code.variant.name
             << "'";
    }
    code.image.entries.push_back(entry->second);
  }
  return success();
}

FailureOr<LoweredCode> accel::lowerKernels(ModuleOp module,
                                           ArrayRef<CodeVariant> variants) {
  LoweredCode result;
  OwningOpRef<ModuleOp> kernels = extractKernels(module, result.kernels);
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  buildLowerPipeline(manager);
  if (failed(manager.run(*kernels))) {
    return failure();
  }
  for (auto function :
       llvm::make_early_inc_range(kernels->getOps<func::FuncOp>())) {
    if (function->hasAttr(kKernelAttr)) {
      function.erase();
    }
  }
  if (failed(lowerToLLVM(*kernels))) {
    return failure();
  }
  for (const CodeVariant &variant : variants) {
    FailureOr<CodeImage> image = compileKernels(*kernels, variant);
    if (failed(image)) {
      return failure();
    }
    result.variants.push_back({variant, std::move(*image)});
    if (failed(orderEntries(module, result.kernels, result.variants.back()))) {
      return failure();
    }
  }
  return result;
}
