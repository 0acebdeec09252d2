// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which sites are low and which values are stored low, then rewrites
// the microbatch.
#include "passes/Precision/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/Fp8Recipe.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "passes/ErrorCodes.h"
#include "passes/Precision/DelayedScales.h"
#include "passes/Precision/MicrobatchRewriter.h"
#include "passes/Precision/PrecisionSites.h"
#include "passes/Precision/ScaledBlocks.h"
#include "passes/Precision/ScaledValues.h"
#include "passes/Precision/StoredValues.h"
#include "passes/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTPRECISIONCASTSPASS
#include "passes/Precision/Passes.h.inc"

namespace {

class InsertPrecisionCastsPass
    : public impl::InsertPrecisionCastsPassBase<InsertPrecisionCastsPass> {
public:
  using InsertPrecisionCastsPassBase::InsertPrecisionCastsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (precision == "f32" && rules.empty()) {
      return markAllAnalysesPreserved();
    }
    auto microbatch = module.lookupSymbol<func::FuncOp>("microbatch");
    if (!microbatch) {
      module.emitError("expected a function @microbatch, got none");
      return signalPassFailure();
    }
    if (failed(checkOptions())) {
      return signalPassFailure();
    }
    PrecisionSites sites(microbatch);
    if (failed(sites.apply(rules))) {
      return signalPassFailure();
    }
    target = findTarget(targetName, module);
    if (!target) {
      return signalPassFailure();
    }
    module->setAttr(kPrecisionAttr, TypeAttr::get(getLowType()));
    if (failed(fp8.empty() ? insertCasts(microbatch, sites)
                           : insertFp8Casts(microbatch, sites))) {
      signalPassFailure();
    }
  }

private:
  LogicalResult insertCasts(func::FuncOp microbatch,
                            const PrecisionSites &sites) {
    if (failed(checkAnyIsLow(sites))) {
      return failure();
    }
    for (Operation *site : sites.getSites()) {
      if (!sites.isLow(site)) {
        report(site, sites.getReason(site), "f32");
      }
    }
    rewrite(microbatch, sites, /*fp8=*/nullptr);
    return success();
  }

  /// What does not read floats of 8 bits reads bf16, whatever the reason.
  LogicalResult insertFp8Casts(func::FuncOp microbatch,
                               const PrecisionSites &chosen) {
    const Fp8Recipe &recipe = *findFp8Recipe(fp8);
    PrecisionSites sites(microbatch);
    Fp8Sites fp8Sites(chosen, recipe.block);
    if (failed(checkAnyIsFp8(chosen, fp8Sites))) {
      return failure();
    }
    Fp8Types types;
    types.forward = Float8E4M3FNType::get(&getContext());
    StringRef format =
        fp8Format.empty() ? StringRef(recipe.format) : StringRef(fp8Format);
    types.gradient = format == "e4m3"
                         ? types.forward
                         : Type(Float8E5M2Type::get(&getContext()));
    if (failed(announceFp8(recipe, types))) {
      return failure();
    }
    for (Operation *site : sites.getSites()) {
      if (!fp8Sites.contains(site)) {
        report(site, fp8Sites.getReason(site),
               sites.isLow(site) ? "bf16" : "f32");
      }
    }
    std::unique_ptr<Fp8Operands> operands = createOperands(recipe);
    Fp8Products products(microbatch, fp8Sites, types, *operands);
    rewrite(microbatch, sites, &products);
    return success();
  }

  std::unique_ptr<Fp8Operands> createOperands(const Fp8Recipe &recipe) {
    if (recipe.block > 0) {
      return std::make_unique<ScaledBlocks>(recipe.block);
    }
    if (recipe.known == Fp8ScaleTime::InMicrobatch) {
      return std::make_unique<ScaledValues>(std::make_unique<CurrentScales>());
    }
    return std::make_unique<ScaledValues>(std::make_unique<DelayedScales>(
        fp8Amax == "max" ? fp8History : 1, fp8Margin));
  }

  void rewrite(func::FuncOp microbatch, const PrecisionSites &sites,
               Fp8Products *products) {
    StoredSums sums;
    if (target->storesSums()) {
      sums = findStoredSums(microbatch, products);
    }
    std::optional<StoredValues> stored;
    stored.emplace(microbatch, sites, residual == "f32", sums.values);
    if (keepActivations(*stored, sums)) {
      stored.emplace(microbatch, sites, residual == "f32", sums.values);
    }
    // A sum that stays f32 has a bias of f32.
    llvm::erase_if(sums.biases, [&](OpOperand *bias) {
      return !llvm::is_contained(stored->getRounded(),
                                 bias->getOwner()->getResult(0));
    });
    MicrobatchRewriter(microbatch, sites, getLowType(), products)
        .rewrite(stored->getRounded(), sums.biases, sums.activations);
  }

  /// What the target stores of products, and what is in that.
  struct StoredSums {
    SmallVector<Value> values;
    SmallVector<OpOperand *> biases;
    SmallVector<Operation *> activations;
  };

  StoredSums findStoredSums(func::FuncOp microbatch,
                            const Fp8Products *products) {
    StoredSums sums;
    for (auto product : microbatch.getOps<MatmulOp>()) {
      OpOperand *bias = target->getBias(product);
      if (bias) {
        sums.biases.push_back(bias);
      }
      sums.values.push_back(bias ? bias->getOwner()->getResult(0)
                                 : product->getResult(0));
      Operation *activation = target->getActivation(product);
      if (activation && !(products && products->contains(product))) {
        sums.activations.push_back(activation);
      }
    }
    return sums;
  }

  /// Keeps the activations whose operand and result are both stored low, or
  /// neither; only those a library computes. The sums whose gradient of GELU is
  /// stored are not stored themselves. Returns whether there are any.
  static bool keepActivations(const StoredValues &stored, StoredSums &sums) {
    auto isRounded = [&](Value value) {
      return llvm::is_contained(stored.getRounded(), getStoredValue(value));
    };
    llvm::erase_if(sums.activations, [&](Operation *op) {
      auto gradient = dyn_cast<GeluGradOp>(op);
      Value operand = gradient ? gradient.getOperand() : op->getOperand(0);
      return isRounded(operand) != isRounded(op->getResult(0));
    });
    bool areAny = false;
    for (Operation *op : sums.activations) {
      if (auto gradient = dyn_cast<GeluGradOp>(op)) {
        llvm::erase(sums.values, getStoredValue(gradient.getGradient()));
        areAny = true;
      }
    }
    return areAny;
  }

  /// Tells the module what products read, if the target has code for that.
  LogicalResult announceFp8(const Fp8Recipe &recipe, const Fp8Types &types) {
    Fp8Support support = target->getFp8Support(recipe.block);
    if (support == Fp8Support::None) {
      return emitCodedError(getOperation().getLoc(), codes::Precision)
             << "--fp8=" << fp8
             << ": expected a target that multiplies floats of 8 bits with "
                "such scales, got '"
             << targetName
             << "', which does not; GPUs do from sm_89 and compute_89 on, with "
                "--fp8=current and --fp8=delayed, and CPUs emulate all; "
                "elsewhere train with --bf16";
    }
    Builder builder(&getContext());
    NamedAttrList attributes;
    attributes.set("recipe", builder.getStringAttr(fp8));
    attributes.set("forward", TypeAttr::get(types.forward));
    attributes.set("gradient", TypeAttr::get(types.gradient));
    if (recipe.known == Fp8ScaleTime::BeforeStep) {
      attributes.set("margin", builder.getI64IntegerAttr(fp8Margin));
    }
    if (recipe.block > 0) {
      attributes.set("block", builder.getI64IntegerAttr(recipe.block));
    }
    if (support == Fp8Support::Emulated) {
      attributes.set("emulated", builder.getUnitAttr());
    }
    getOperation()->setAttr(kFp8Attr, attributes.getDictionary(&getContext()));
    return success();
  }

  /// The first reasons say what to do about it.
  LogicalResult checkAnyIsFp8(const PrecisionSites &sites,
                              const Fp8Sites &fp8Sites) {
    if (llvm::any_of(sites.getSites(), [&](Operation *site) {
          return fp8Sites.contains(site);
        })) {
      return success();
    }
    InFlightDiagnostic error =
        emitCodedError(getOperation().getLoc(), codes::Precision)
        << "expected --fp8 to apply to a product, got none in 8 bits";
    llvm::SetVector<StringRef> reasons;
    for (Operation *site : sites.getSites()) {
      if (isa<MatmulOp, GroupedMatmulOp>(site)) {
        reasons.insert(fp8Sites.getReason(site));
      }
    }
    constexpr size_t kMostReasons = 4;
    if (reasons.empty()) {
      error << ": the model has no product";
    }
    for (auto [i, reason] : llvm::enumerate(reasons.getArrayRef())) {
      if (i < kMostReasons) {
        error << (i == 0 ? ": " : "; ") << reason;
      }
    }
    return error << "; train with --bf16 instead";
  }

  template <typename Fail> LogicalResult checkFp8Options(Fail fail) {
    if (!fp8.empty() && !findFp8Recipe(fp8)) {
      return fail("--fp8", listFp8Recipes(), "'" + fp8 + "'");
    }
    if (!fp8Format.empty() && fp8Format != "hybrid" && fp8Format != "e4m3") {
      return fail("--fp8-format", "hybrid or e4m3", "'" + fp8Format + "'");
    }
    if (fp8Amax != "max" && fp8Amax != "most_recent") {
      return fail("--fp8-amax", "max or most_recent", "'" + fp8Amax + "'");
    }
    if (fp8History < 1 || fp8History > Fp8Options::kMostSteps) {
      return fail("--fp8-history",
                  "1 to " + std::to_string(Fp8Options::kMostSteps) + " steps",
                  std::to_string(fp8History));
    }
    if (fp8Margin < 0 || fp8Margin > Fp8Options::kLargestMargin) {
      return fail("--fp8-margin",
                  "0 to " + std::to_string(Fp8Options::kLargestMargin),
                  std::to_string(fp8Margin));
    }
    return success();
  }

  LogicalResult checkOptions() {
    auto fail = [&](StringRef flag, const Twine &expected, const Twine &got) {
      return emitCodedError(getOperation().getLoc(), codes::Precision)
             << flag << ": expected " << expected << ", got " << got;
    };
    if (precision == "f32") {
      return fail("--precision-exclude and --precision-include",
                  "--bf16 or --fp16 beside them",
                  "a plan of f32, in which no rule "
                  "changes anything");
    }
    if (!getLowType()) {
      return fail("precision", "f32, bf16 or f16", "'" + precision + "'");
    }
    if (!fp8.empty() && precision != "bf16") {
      return fail("fp8", "precision=bf16 beside it", "'" + precision + "'");
    }
    if (failed(checkFp8Options(fail))) {
      return failure();
    }
    if (!residual.empty() && residual != precision && residual != "f32") {
      return fail("--residual-dtype", precision + " or f32",
                  "'" + residual + "'");
    }
    return success();
  }

  /// Null if there is none of that name.
  Type getLowType() {
    MLIRContext *context = &getContext();
    return precision == "bf16"  ? Type(BFloat16Type::get(context))
           : precision == "f16" ? Type(Float16Type::get(context))
                                : Type();
  }

  /// The option of accelc that asks for the precision.
  std::string getFlag() {
    return precision == "f16" ? "--fp16" : "--" + precision;
  }

  /// What was asked for must happen somewhere.
  LogicalResult checkAnyIsLow(const PrecisionSites &sites) {
    auto isLowProduct = [&](Operation *site) {
      return isa<MatmulOp, GroupedMatmulOp>(site) && sites.isLow(site);
    };
    if (llvm::any_of(sites.getSites(), isLowProduct)) {
      return success();
    }
    return emitCodedError(getOperation().getLoc(), codes::Precision)
           << "expected " << getFlag() << " to apply to a product, got none in "
           << precision << ": "
           << (sites.getSites().empty() ? "the model has no product"
               : rules.empty()
                   ? sites.getReason(sites.getSites().front())
                   : "--precision-exclude and --precision-include leave none")
           << "; leave out " << getFlag() << " to train in f32";
  }

  /// What `accelc --remarks=precision` shows, and what reports find later.
  void report(Operation *site, StringRef reason, StringRef type) {
    site->setAttr(kPrecisionReasonAttr, StringAttr::get(&getContext(), reason));
    remark::missed(site->getLoc(),
                   remark::RemarkOpts::name("Precision")
                       .category("accel-insert-precision-casts"))
        << remark::add("{0} stays {1}", site->getName(), type)
        << remark::reason("{0}", reason);
  }

  const Target *target = nullptr; ///< while it runs
};

} // namespace
} // namespace accel
