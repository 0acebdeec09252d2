// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the products of weights, chooses among them by their names, and adds a
// low-rank pair beside each.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Adapters.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/InitialSite.h"
#include "passes/ErrorCodes.h"
#include "passes/Import/RandomInputs.h"
#include "passes/Import/WeightProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Regex.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_ADDADAPTERSPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// The names of adapters that a file brings itself.
constexpr llvm::StringLiteral kAdapterNames = "(^|[.])lora_(A|B)([.]|$)";

class AddAdaptersPass : public impl::AddAdaptersPassBase<AddAdaptersPass> {
public:
  using AddAdaptersPassBase::AddAdaptersPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    if (!forward || rank < 1) {
      module.emitError(
          "expected a function @forward and a rank from 1 on, got ")
          << (forward ? "rank " + std::to_string(rank) : "no function");
      return signalPassFailure();
    }
    WeightProducts products(module, forward);
    SmallVector<WeightUse *> chosen;
    if (failed(verifyNone()) || failed(choose(products, chosen)) ||
        failed(verifyDropout(chosen))) {
      return signalPassFailure();
    }
    apply(chosen);
  }

private:
  InFlightDiagnostic emitError() {
    return emitCodedError(getOperation().getLoc(), codes::Adapters)
           << "--lora: ";
  }

  /// One pair could not stand for what PEFT would make of such a weight.
  InFlightDiagnostic refuse(const WeightUse &use) {
    return emitError() << "'" << use.getModule()
                       << "': expected a weight that only products of one "
                          "module read, in one orientation, got one that "
                       << use.describeObstacle();
  }

  /// PEFT adds a pair to such a layer, and never computes it.
  static void remarkLeftOut(const WeightUse &use) {
    remark::missed(
        ParameterOp(use.parameter).getLoc(),
        remark::RemarkOpts::name("Adapter").category("accel-add-adapters"))
        << remark::reason("'{0}' has no adapter: MultiheadAttention reads its "
                          "weight itself, so PEFT would not apply one; "
                          "targets=REGEX adds one all the same",
                          use.getModule());
  }

  LogicalResult verifyNone();
  LogicalResult choose(WeightProducts &products,
                       SmallVectorImpl<WeightUse *> &chosen);
  LogicalResult chooseByPattern(WeightProducts &products,
                                SmallVectorImpl<WeightUse *> &chosen);
  LogicalResult chooseModules(WeightProducts &products,
                              SmallVectorImpl<WeightUse *> &chosen);
  LogicalResult verifyDropout(ArrayRef<WeightUse *> chosen);
  void apply(ArrayRef<WeightUse *> chosen);
  void declarePair(const WeightUse &use, const Adapter &adapter);
  DictionaryAttr makeInitial(StringRef name, std::optional<double> bound);
  void addPair(const WeightUse &use, const Adapter &adapter);
  Value drop(Value operand, StringRef module, ArithmeticBuilder &b);

  int64_t nextSite = 0;
  SmallVector<Attribute> sites; ///< of dropout, for the plan
};

/// Another pair beside that of a file would have its name, and train another
/// model than PEFT's.
LogicalResult AddAdaptersPass::verifyNone() {
  llvm::Regex regex(kAdapterNames);
  for (auto parameter : getOperation().getOps<ParameterOp>()) {
    if (regex.match(parameter.getSymName())) {
      return emitError() << "expected a model without adapters, got '"
                         << parameter.getSymName()
                         << "'; leave the option out and write "
                            "--train='lora_', or export the model without them";
    }
  }
  return success();
}

LogicalResult AddAdaptersPass::choose(WeightProducts &products,
                                      SmallVectorImpl<WeightUse *> &chosen) {
  if (!modules.empty()) {
    return chooseModules(products, chosen);
  }
  if (!targets.empty()) {
    return chooseByPattern(products, chosen);
  }
  for (WeightUse &use : products.getAll()) {
    if (!use.isLayer() || !use.isFollowed) {
      continue;
    }
    if (products.isReadByAttention(use)) {
      remarkLeftOut(use);
      continue;
    }
    if (!use.isAdaptable()) {
      return refuse(use) << "; name the others with targets=REGEX";
    }
    chosen.push_back(&use);
  }
  if (!chosen.empty()) {
    return success();
  }
  return emitError()
         << "expected a linear layer behind which there is another one, got "
            "none; name the layers with targets=REGEX; they are "
         << products.listModules("");
}

LogicalResult
AddAdaptersPass::chooseByPattern(WeightProducts &products,
                                 SmallVectorImpl<WeightUse *> &chosen) {
  llvm::Regex regex(targets);
  std::string problem;
  if (!regex.isValid(problem)) {
    return emitError() << "expected a regular expression, got '" << targets
                       << "': " << problem;
  }
  SmallVector<WeightUse *> others;
  for (WeightUse &use : products.getAll()) {
    if (!regex.match(use.getModule())) {
      continue;
    }
    if (!use.isAdaptable() && !use.products.empty()) {
      return refuse(use) << "; leave it out of targets=" << targets;
    }
    (use.isAdaptable() ? chosen : others).push_back(&use);
  }
  if (!chosen.empty()) {
    return success();
  }
  InFlightDiagnostic error = emitError();
  error << "expected targets= to match the name of a linear layer, got '"
        << targets << "', which matches ";
  if (others.empty()) {
    error << "nothing";
  } else {
    error << "only what is no linear layer ('" << others.front()->getModule()
          << "')";
  }
  return error << "; linear layers are " << products.listModules(targets);
}

LogicalResult
AddAdaptersPass::chooseModules(WeightProducts &products,
                               SmallVectorImpl<WeightUse *> &chosen) {
  for (const std::string &name : modules) {
    WeightUse *use = products.find(name);
    if (!use || !use->isAdaptable()) {
      return emitError() << "expected the adapters of linear layers, got some "
                            "of '"
                         << name << "', which "
                         << (use ? use->describeObstacle()
                                 : "the model does not have")
                         << "; linear layers are "
                         << products.listModules(name);
    }
    chosen.push_back(use);
  }
  return success();
}

LogicalResult AddAdaptersPass::verifyDropout(ArrayRef<WeightUse *> chosen) {
  auto batch = getOperation()->getAttrOfType<IntegerAttr>("accel.batch");
  if (dropout == 0) {
    return success();
  }
  for (const WeightUse *use : chosen) {
    for (MatmulOp product : use->products) {
      auto type = cast<RankedTensorType>(product.getLhs().getType());
      if (!batch || type.getNumElements() % batch.getInt() != 0 ||
          product.getTransposeLhs()) {
        return emitError() << "dropout=" << dropout
                           << ": expected rows of samples in front of '"
                           << use->getModule() << "', got " << type
                           << "; leave dropout= out";
      }
    }
  }
  return success();
}

void AddAdaptersPass::apply(ArrayRef<WeightUse *> chosen) {
  ModuleOp module = getOperation();
  module.walk([&](Operation *op) {
    if (auto site = op->getAttrOfType<IntegerAttr>("site")) {
      nextSite = std::max(nextSite, site.getInt());
    }
  });
  if (auto known = module->getAttrOfType<ArrayAttr>("accel.dropout_sites")) {
    sites.assign(known.begin(), known.end());
  }
  Adapters adapters{rank, alpha, dropout, {}};
  for (WeightUse *use : chosen) {
    Adapter adapter{use->parameter.getSymName().str(), use->isFanInFanOut()};
    declarePair(*use, adapter);
    addPair(*use, adapter);
    adapters.added.push_back(std::move(adapter));
  }
  setAdapters(module, adapters);
  if (dropout > 0) {
    module->setAttr("accel.dropout_sites",
                    ArrayAttr::get(&getContext(), sites));
  }
}

void AddAdaptersPass::declarePair(const WeightUse &use,
                                  const Adapter &adapter) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(ParameterOp(use.parameter));
  RankedTensorType type = use.getType();
  auto declare = [&](const std::string &name, ArrayRef<int64_t> shape,
                     std::optional<double> bound) {
    ParameterOp::create(builder, NameLoc::get(builder.getStringAttr(name)),
                        builder.getStringAttr(name),
                        TypeAttr::get(type.clone(shape)), builder.getUnitAttr(),
                        /*statistic=*/UnitAttr(), makeInitial(name, bound),
                        /*provenance=*/DictionaryAttr(), /*compute=*/TypeAttr(),
                        /*scale=*/IntegerAttr(),
                        /*segment=*/FlatSymbolRefAttr(),
                        /*offset=*/IntegerAttr());
  };
  // PEFT's: kaiming_uniform(a = sqrt(5)) of A, so that a pair of which B is
  // zero has a gradient.
  auto in = static_cast<double>(use.getIn());
  declare(adapter.getA(), {rank, use.getIn()}, 1.0 / std::sqrt(in));
  declare(adapter.getB(), {use.getOut(), rank}, std::nullopt);
}

/// Uniform up to `bound`, zero without one, or the file's values.
DictionaryAttr AddAdaptersPass::makeInitial(StringRef name,
                                            std::optional<double> bound) {
  Builder builder(&getContext());
  NamedAttrList initial;
  if (!modules.empty()) {
    initial.set("kind", builder.getStringAttr("file"));
    initial.set("key", builder.getStringAttr(name));
  } else if (bound) {
    initial.set("kind", builder.getStringAttr("uniform"));
    initial.set("bound", builder.getF64FloatAttr(*bound));
    initial.set("site", builder.getI64IntegerAttr(getInitialSite(name)));
  } else {
    initial.set("kind", builder.getStringAttr("constant"));
    initial.set("value", builder.getF64FloatAttr(0.0));
  }
  return initial.getDictionary(&getContext());
}

/// A place of its own, which decisions about precision go by, in the product's
/// line of the program: profiles show the halves as modules in the layer.
static Location locate(MatmulOp product, const Adapter &adapter,
                       StringRef half) {
  MLIRContext *context = product.getContext();
  auto name = StringAttr::get(context, adapter.getModule() + "." + half.str());
  return FusedLoc::get(context, {NameLoc::get(name, product.getLoc())}, name);
}

/// y = x W becomes x W + (scale * x A^T) B^T: the scale multiplies what is
/// smallest, and B A is never made.
void AddAdaptersPass::addPair(const WeightUse &use, const Adapter &adapter) {
  RankedTensorType type = use.getType();
  for (MatmulOp product : use.products) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(product);
    ArithmeticBuilder b(builder, locate(product, adapter, "lora_A"));
    Value a = b.create<ReadOp>(type.clone({rank, use.getIn()}), adapter.getA());
    Value operand = dropout > 0 ? drop(product.getLhs(), use.getModule(), b)
                                : product.getLhs();
    Value narrow = b.create<MatmulOp>(operand, a, product.getTransposeLhs(),
                                      /*transposeRhs=*/true);
    Value scaled = b.mul(narrow, alpha / static_cast<double>(rank));
    ArithmeticBuilder c(builder, locate(product, adapter, "lora_B"));
    Value back =
        c.create<ReadOp>(type.clone({use.getOut(), rank}), adapter.getB());
    Value wide = c.create<MatmulOp>(scaled, back, /*transposeLhs=*/false,
                                    /*transposeRhs=*/true);
    Value sum = c.add(product.getResult(), wide);
    product.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
  }
  remark::passed(
      ParameterOp(use.parameter).getLoc(),
      remark::RemarkOpts::name("Adapter").category("accel-add-adapters"))
      << remark::add("'{0}' has an adapter of rank {1} at {2} products",
                     use.getModule(), int64_t(rank),
                     int64_t(use.products.size()));
}

Value AddAdaptersPass::drop(Value operand, StringRef module,
                            ArithmeticBuilder &b) {
  OpBuilder &builder = b.getBuilder();
  int64_t batch =
      getOperation()->getAttrOfType<IntegerAttr>("accel.batch").getInt();
  auto [samples, seed] = createRandomInputs(builder, b.getLoc(), batch);
  auto type = cast<RankedTensorType>(operand.getType());
  // As if samples came first, which PlaceDropout sees to.
  Value parts =
      type.getDimSize(0) % batch == 0
          ? operand
          : b.reshape(operand, {batch, type.getNumElements() / batch});
  Value dropped = b.create<DropoutOp>(
      parts.getType(), parts, samples, seed, builder.getF64FloatAttr(dropout),
      builder.getI64IntegerAttr(++nextSite), /*site_offset=*/Value(),
      /*factor=*/RandomFactorAttr());
  NamedAttrList entry;
  entry.set("site", builder.getI64IntegerAttr(nextSite));
  entry.set("name", builder.getStringAttr(""));
  entry.set("scope", builder.getStringAttr(module));
  entry.set("probability", builder.getF64FloatAttr(dropout));
  entry.set("attention", builder.getBoolAttr(false));
  sites.push_back(entry.getDictionary(&getContext()));
  return b.reshape(dropped, type.getShape());
}

} // namespace
} // namespace accel
