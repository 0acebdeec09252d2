// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which sites are low and which values are stored low, then rewrites
// the microbatch.
#include "passes/Precision/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/ErrorCodes.h"
#include "passes/Precision/Fp8Products.h"
#include "passes/Precision/LowValues.h"
#include "passes/Precision/PrecisionSites.h"
#include "passes/Precision/StoredValues.h"
#include "passes/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTPRECISIONCASTSPASS
#include "passes/Precision/Passes.h.inc"

namespace {

/// Makes the operands of low sites, and their results, low.
class MicrobatchRewriter {
public:
  /// `fp8`: null if no product reads floats of 8 bits.
  MicrobatchRewriter(func::FuncOp microbatch, const PrecisionSites &sites,
                     Type low, Fp8Products *fp8)
      : microbatch(microbatch), sites(sites), values(low), fp8(fp8) {}

  void rewrite(ArrayRef<Value> rounded) {
    if (fp8) {
      fp8->readParameters();
    }
    readParameters();
    for (Value value : rounded) {
      values.round(value);
    }
    for (Operation *site : sites.getSites()) {
      if (sites.isLow(site) && !isFp8(site)) {
        lower(site);
      }
    }
    if (fp8) {
      fp8->lower();
    }
    eraseDeadCode(microbatch);
  }

private:
  bool isFp8(Operation *site) const { return fp8 && fp8->contains(site); }
  void readParameters();
  void lower(Operation *site);
  void lowerResult(OpResult result);

  func::FuncOp microbatch;
  const PrecisionSites &sites;
  LowValues values;
  Fp8Products *fp8;
};

/// A parameter is low if every site that reads it is, and there is one; whoever
/// else reads it, widens it.
void MicrobatchRewriter::readParameters() {
  llvm::MapVector<StringAttr, bool> isLow;
  for (Operation *site : sites.getSites()) {
    if (isFp8(site)) {
      continue;
    }
    for (OpOperand *operand : getLowOperands(site)) {
      if (ReadOp read = getParameterRead(operand->get())) {
        auto [found, isNew] =
            isLow.try_emplace(read.getSymbolAttr().getAttr(), true);
        found->second &= sites.isLow(site);
      }
    }
  }
  for (ReadOp read : llvm::to_vector(microbatch.getOps<ReadOp>())) {
    auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
        read, read.getSymbolAttr());
    if (!parameter || !isLow.lookup(parameter.getSymNameAttr())) {
      continue;
    }
    parameter.setComputeAttr(TypeAttr::get(values.getType()));
    OpBuilder builder(read);
    auto narrow = ReadOp::create(builder, read.getLoc(),
                                 parameter.getComputeType(), read.getSymbol());
    auto wide = CastOp::create(builder, read.getLoc(), narrow.getResult(),
                               builder.getF32Type());
    values.set(wide, narrow);
    read.replaceAllUsesWith(wide.getResult());
    read.erase();
  }
}

void MicrobatchRewriter::lower(Operation *site) {
  for (OpOperand *operand : getLowOperands(site)) {
    operand->set(values.get(operand->get()));
  }
  llvm::TypeSwitch<Operation *>(site)
      .Case([&](AttentionOp op) { lowerResult(op->getResult(0)); })
      .Case([&](AttentionGradOp op) {
        llvm::for_each(op->getResults(),
                       [&](OpResult result) { lowerResult(result); });
      })
      .Case([&](GatherOp op) { lowerResult(op->getResult(0)); });
}

/// The operation computes `result` low itself; whoever rounded it has nothing
/// left to do.
void MicrobatchRewriter::lowerResult(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  OpBuilder builder(result.getOwner());
  builder.setInsertionPointAfter(result.getOwner());
  SmallVector<Operation *> users(result.getUsers());
  result.setType(type.clone(values.getType()));
  auto wide =
      CastOp::create(builder, result.getLoc(), result, builder.getF32Type());
  for (Operation *user : users) {
    auto narrow = dyn_cast<CastOp>(user);
    if (narrow && narrow.getType() == result.getType()) {
      values.replace(narrow, result);
      narrow.replaceAllUsesWith(result);
      narrow.erase();
    } else {
      user->replaceUsesOfWith(result, wide);
    }
  }
}

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
    PrecisionSites sites(microbatch);
    Fp8Sites fp8Sites(chosen);
    if (failed(checkAnyIsFp8(chosen, fp8Sites))) {
      return failure();
    }
    Fp8Types types;
    types.forward = Float8E4M3FNType::get(&getContext());
    types.gradient = fp8Format == "e4m3"
                         ? types.forward
                         : Type(Float8E5M2Type::get(&getContext()));
    if (failed(announceFp8(types))) {
      return failure();
    }
    for (Operation *site : sites.getSites()) {
      if (!fp8Sites.contains(site)) {
        report(site, fp8Sites.getReason(site), "bf16");
      }
    }
    Fp8Products products(microbatch, fp8Sites, types);
    rewrite(microbatch, sites, &products);
    return success();
  }

  void rewrite(func::FuncOp microbatch, const PrecisionSites &sites,
               Fp8Products *products) {
    StoredValues stored(microbatch, sites, residual == "f32");
    MicrobatchRewriter(microbatch, sites, getLowType(), products)
        .rewrite(stored.getRounded());
  }

  /// Tells the module what products read, if the target has code for that.
  LogicalResult announceFp8(const Fp8Types &types) {
    const Target *target = findTarget(targetName, getOperation());
    if (!target) {
      return failure();
    }
    Fp8Support support = target->getFp8Support();
    if (support == Fp8Support::None) {
      return emitCodedError(getOperation().getLoc(), codes::Precision)
             << "--fp8: expected a target that multiplies floats of 8 bits, "
                "got '"
             << targetName << "', which does not; train with --bf16 there";
    }
    Builder builder(&getContext());
    NamedAttrList attributes;
    attributes.set("recipe", builder.getStringAttr(fp8));
    attributes.set("forward", TypeAttr::get(types.forward));
    attributes.set("gradient", TypeAttr::get(types.gradient));
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
      if (isa<MatmulOp>(site)) {
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

  LogicalResult checkOptions() {
    auto fail = [&](StringRef flag, StringRef expected, StringRef got) {
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
    if (!fp8.empty() && fp8 != "current") {
      return fail("--fp8", "current", "'" + fp8 + "'");
    }
    if (fp8Format != "hybrid" && fp8Format != "e4m3") {
      return fail("--fp8-format", "hybrid or e4m3", "'" + fp8Format + "'");
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
      return isa<MatmulOp>(site) && sites.isLow(site);
    };
    if (llvm::any_of(sites.getSites(), isLowProduct)) {
      return success();
    }
    return emitCodedError(getOperation().getLoc(), codes::Precision)
           << "expected " << getFlag() << " to apply to a product, got none in "
           << precision << ": "
           << (sites.getSites().empty()
                   ? "the model has no product"
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
};

} // namespace
} // namespace accel
