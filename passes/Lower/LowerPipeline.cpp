// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the phase Lower.
#include "passes/Lower/LowerPipeline.h"

#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/OperandAlignment.h"
#include "passes/Lower/ConvertToLLVM.h"
#include "passes/Lower/TargetLowering.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace accel;

LogicalResult accel::buildLowerPipeline(OpPassManager &manager,
                                        ModuleOp module) {
  std::vector<CodeVariant> variants = getVariants(module);
  if (variants.empty()) {
    return module.emitError("expected a plan.variant to write code for, got "
                            "none: run --accel-assign-geometry first");
  }
  const CodeVariant &variant = variants.front();
  getLowering(variant.device).addPasses(manager, {variant.name, variant.lanes});
  return success();
}

std::vector<CodeVariant> accel::getVariants(ModuleOp module) {
  std::vector<CodeVariant> variants;
  for (auto op : module.getOps<plan::VariantOp>()) {
    CodeVariant variant{op.getSymName().str(), op.getDevice(),
                        op.getProcessor().str(), /*features=*/{},
                        static_cast<int64_t>(op.getLanes())};
    for (StringRef feature : op.getFeatures().getAsValueRange<StringAttr>()) {
      variant.features.push_back(feature.str());
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

/// A module with copies of the kernels that `isWanted` holds for, which say
/// what is known of their operands from launches.
static OwningOpRef<ModuleOp>
extractKernels(ModuleOp module, const OperandAlignments &alignments,
               llvm::function_ref<bool(func::FuncOp)> isWanted) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(kKernelAttr) || !isWanted(function)) {
      continue;
    }
    func::FuncOp copy = function.clone();
    if (ArrayRef<int64_t> known = alignments.get(function); !known.empty()) {
      copy->setAttr(kAlignmentsAttr,
                    DenseI64ArrayAttr::get(copy.getContext(), known));
    }
    kernels->push_back(copy);
  }
  return kernels;
}

/// Replaces kernels by their code in the LLVM dialect.
static LogicalResult lowerToCode(ModuleOp kernels,
                                 const TargetLowering &lowering,
                                 const LowerOptions &options,
                                 TimingScope &timing) {
  PassManager manager(kernels.getContext());
  manager.enableVerifier(false);
  manager.enableTiming(timing);
  lowering.addPasses(manager, options);
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
  return convertToLLVM(kernels, conversion);
}

namespace {

/// The code of a module's kernels in the LLVM dialect. What is cut in the same
/// way in two variants is lowered once.
class VariantModules {
public:
  explicit VariantModules(ModuleOp module)
      : module(module), alignments(module) {}

  /// One module for each variant.
  FailureOr<std::vector<ModuleOp>> getAll(ArrayRef<CodeVariant> variants,
                                          TimingScope &timing) {
    std::vector<ModuleOp> all;
    for (const CodeVariant &variant : variants) {
      TimingScope scope = timing.nest("loops and vectors");
      codes.emplace_back();
      if (failed(lower(variant, findFirst(variants, variant.device), scope))) {
        return failure();
      }
      all.push_back(*codes.back());
    }
    return all;
  }

private:
  /// The first variant for `device`, whose code the later ones share, and its
  /// place.
  static std::pair<StringRef, size_t> findFirst(ArrayRef<CodeVariant> variants,
                                                plan::DeviceKind device) {
    const CodeVariant *first =
        llvm::find_if(variants, [&](const CodeVariant &variant) {
          return variant.device == device;
        });
    return {first->name, first - variants.begin()};
  }

  bool isCutAlike(func::FuncOp kernel, StringRef variant, StringRef other) {
    auto all = kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
    return all && all.get(variant) == all.get(other);
  }

  LogicalResult lower(const CodeVariant &variant,
                      std::pair<StringRef, size_t> first, TimingScope &timing) {
    bool isFirst = first.second + 1 == codes.size();
    codes.back() = extractKernels(module, alignments, [&](func::FuncOp kernel) {
      return !getLibraryCall(kernel, variant.name) &&
             (isFirst || !isCutAlike(kernel, variant.name, first.first));
    });
    ModuleOp code = *codes.back();
    if (failed(lowerToCode(code, getLowering(variant.device),
                           {variant.name, variant.lanes}, timing))) {
      return failure();
    }
    for (Operation &function : codes[first.second]->getOps()) {
      StringRef name = SymbolTable::getSymbolName(&function).getValue();
      StringRef kernelName = name;
      kernelName.consume_back(kCodeSuffix);
      auto kernel = module.lookupSymbol<func::FuncOp>(kernelName);
      bool isCall = kernel && getLibraryCall(kernel, variant.name);
      if (!isFirst && !isCall && !code.lookupSymbol(name)) {
        code.push_back(function.clone());
      }
    }
    return success();
  }

  ModuleOp module;
  OperandAlignments alignments;
  std::vector<OwningOpRef<ModuleOp>> codes;
};

} // namespace

/// Every kernel has one entry of its own, in the order of `names`: without code
/// where a library does its work.
static LogicalResult orderEntries(ModuleOp module, ArrayRef<std::string> names,
                                  VariantCode &code) {
  llvm::StringMap<CodeEntry> known;
  for (CodeEntry &entry : code.image.entries) {
    known[entry.kernel] = entry;
  }
  code.image.entries.clear();
  for (const std::string &name : names) {
    if (getLibraryCall(module.lookupSymbol<func::FuncOp>(name),
                       code.variant.name)) {
      code.image.entries.push_back({name, 0, 0});
      continue;
    }
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
  return VariantModules(module).getAll(variants, timing);
}

FailureOr<LoweredCode> accel::lowerKernels(ModuleOp module,
                                           ArrayRef<CodeVariant> variants,
                                           TimingScope timing,
                                           const CodeTools &tools) {
  LoweredCode result;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(kKernelAttr)) {
      result.kernels.push_back(function.getSymName().str());
    }
  }
  VariantModules codes(module);
  FailureOr<std::vector<ModuleOp>> modules = codes.getAll(variants, timing);
  if (failed(modules)) {
    return failure();
  }
  for (const CodeVariant &variant : variants) {
    result.variants.push_back({variant, {}});
  }
  for (const CodeVariant &variant : variants) {
    getLowering(variant.device).prepareTranslation(*module.getContext());
  }
  auto compile = [&](size_t i) -> LogicalResult {
    VariantCode &variant = result.variants[i];
    TimingScope scope = timing.nest(variant.variant.name);
    FailureOr<CodeImage> image =
        getLowering(variant.variant.device)
            .compile((*modules)[i], variant.variant, tools);
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
