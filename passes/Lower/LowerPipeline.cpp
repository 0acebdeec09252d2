// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the phase Lower.
#include "passes/Lower/LowerPipeline.h"

#include "passes/Analysis/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace accel;

void accel::buildLowerPipeline(OpPassManager &manager,
                               std::optional<int64_t> blockVectors) {
  LowerKernelsPassOptions kernels;
  kernels.blockVectors = blockVectors.value_or(kernels.blockVectors);
  manager.addPass(createLowerKernelsPass(kernels));
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

/// A module with copies of the kernels that `isWanted` holds for.
static OwningOpRef<ModuleOp>
extractKernels(ModuleOp module,
               llvm::function_ref<bool(func::FuncOp)> isWanted) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(kKernelAttr) && isWanted(function)) {
      kernels->push_back(function.clone());
    }
  }
  return kernels;
}

/// Replaces kernels by their code in the LLVM dialect.
static LogicalResult lowerToCode(ModuleOp kernels, int64_t blockVectors,
                                 TimingScope &timing) {
  PassManager manager(kernels.getContext());
  manager.enableVerifier(false);
  manager.enableTiming(timing);
  buildLowerPipeline(manager, blockVectors);
  if (failed(manager.run(kernels))) {
    return failure();
  }
  for (auto function :
       llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
    if (function->hasAttr(kKernelAttr)) {
      function.erase();
    }
  }
  TimingScope conversion = timing.nest("conversion to the LLVM dialect");
  return lowerToLLVM(kernels, conversion);
}

static bool hasRegisterBlocks(func::FuncOp kernel) {
  FailureOr<KernelShape> shape = KernelShape::get(kernel);
  return succeeded(shape) && shape->hasRegisterBlocks();
}

namespace {

/// The code of a module's kernels for variants with different blocks. Only
/// attention and products know of blocks: what else there is, is lowered once.
class BlockedCode {
public:
  explicit BlockedCode(ModuleOp module) : module(module) {}

  /// One module for each variant, some of them perhaps the same.
  FailureOr<std::vector<ModuleOp>> getAll(ArrayRef<CodeVariant> variants,
                                          TimingScope &timing) {
    std::vector<ModuleOp> all;
    for (const CodeVariant &variant : variants) {
      TimingScope scope = timing.nest("loops and vectors");
      FailureOr<ModuleOp> code = get(variant.blockVectors, scope);
      if (failed(code)) {
        return failure();
      }
      all.push_back(*code);
    }
    return all;
  }

private:
  FailureOr<ModuleOp> get(int64_t blockVectors, TimingScope &timing) {
    OwningOpRef<ModuleOp> &code = codes[blockVectors];
    if (code) {
      return *code;
    }
    bool isFirst = codes.size() == 1;
    code = extractKernels(module, [&](func::FuncOp kernel) {
      return isFirst || hasRegisterBlocks(kernel);
    });
    if (failed(lowerToCode(*code, blockVectors, timing))) {
      return failure();
    }
    if (isFirst) {
      first = *code;
      return *code;
    }
    for (Operation &function : first.getOps()) {
      if (!code->lookupSymbol(SymbolTable::getSymbolName(&function))) {
        code->push_back(function.clone());
      }
    }
    return *code;
  }

  ModuleOp module, first;
  std::map<int64_t, OwningOpRef<ModuleOp>> codes;
};

} // namespace

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

LogicalResult accel::checkKernels(ModuleOp module,
                                  ArrayRef<CodeVariant> variants,
                                  TimingScope timing) {
  return BlockedCode(module).getAll(variants, timing);
}

FailureOr<LoweredCode> accel::lowerKernels(ModuleOp module,
                                           ArrayRef<CodeVariant> variants,
                                           TimingScope timing) {
  LoweredCode result;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(kKernelAttr)) {
      result.kernels.push_back(function.getSymName().str());
    }
  }
  BlockedCode codes(module);
  FailureOr<std::vector<ModuleOp>> modules = codes.getAll(variants, timing);
  if (failed(modules)) {
    return failure();
  }
  for (const CodeVariant &variant : variants) {
    result.variants.push_back({variant, {}});
  }
  prepareTranslation(*module.getContext());
  auto compile = [&](size_t i) -> LogicalResult {
    VariantCode &variant = result.variants[i];
    TimingScope scope = timing.nest(variant.variant.name);
    FailureOr<CodeImage> image = compileKernels((*modules)[i], variant.variant);
    if (failed(image)) {
      return failure();
    }
    variant.image = std::move(*image);
    return orderEntries(module, result.kernels, variant);
  };
  if (failed(failableParallelForEachN(module.getContext(), 0, variants.size(),
                                      compile))) {
    return failure();
  }
  return result;
}
