// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers parameters into buckets, one per repeated block, and lays them out in
// flat segments.
#include "passes/Shard/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Fp8Scale.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/Optimizers/Average.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/Optimizers/SlotType.h"
#include "passes/ErrorCodes.h"
#include "passes/Shard/BucketPlan.h"
#include "passes/Shard/Fp8Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_ASSIGNBUCKETSPASS
#include "passes/Shard/Passes.h.inc"

namespace {

/// Writes a layout into the module.
class LayoutWriter {
public:
  LayoutWriter(ModuleOp module, const BucketProblem &problem,
               const BucketLayout &layout, const Optimizer *optimizer)
      : module(module), problem(problem), layout(layout), optimizer(optimizer),
        builder(module.getContext()) {
    init = findFunction(module, FunctionRole::Initialize);
    averages = module.lookupSymbol(kEmaState) != nullptr;
  }

  void write() {
    for (unsigned bucket = 0; bucket < problem.buckets.size(); ++bucket) {
      writeBucket(bucket);
    }
    SymbolTable symbols(module);
    for (auto [parameter, place] :
         llvm::zip_equal(problem.parameters, layout.places)) {
      auto op = symbols.lookup<ParameterOp>(parameter.name);
      std::string master =
          getName(layout.segments[place.segment], getSlot(SlotRole::Master));
      op.setSegmentAttr(FlatSymbolRefAttr::get(builder.getContext(), master));
      op.setOffsetAttr(builder.getI64IntegerAttr(place.offset));
    }
    writeFp8Weights();
  }

private:
  SlotAttr getSlot(SlotRole role) {
    return SlotAttr::get(builder.getContext(), role);
  }

  SegmentRefAttr getReference(const BucketLayout::Segment &segment) {
    const std::string &bucket = problem.buckets[segment.bucket].name;
    return SegmentRefAttr::get(
        builder.getContext(),
        FlatSymbolRefAttr::get(builder.getContext(), bucket),
        builder.getStringAttr(segment.name));
  }

  std::string getName(const BucketLayout::Segment &segment, SlotAttr slot) {
    return getReference(segment).getSlotName(slot);
  }

  void writeBucket(unsigned bucket) {
    SmallVector<Attribute> descriptions;
    int64_t elements = 0;
    for (const BucketLayout::Segment &segment : layout.segments) {
      if (segment.bucket == bucket) {
        descriptions.push_back(describe(segment));
        elements += segment.elements;
      }
    }
    builder.setInsertionPoint(init);
    auto [name, layer] = problem.buckets[bucket];
    BucketOp::create(builder, module.getLoc(), name, problem.granule,
                     builder.getArrayAttr(descriptions),
                     layer ? builder.getI64IntegerAttr(*layer) : IntegerAttr());
    for (const BucketLayout::Segment &segment : layout.segments) {
      if (segment.bucket == bucket) {
        writeSlots(segment);
      }
    }
    remark::analysis(
        module.getLoc(),
        remark::RemarkOpts::name("Bucket").category("accel-assign-buckets"))
        << remark::add("bucket {0}: {1} segments, {2} elements", name,
                       descriptions.size(), elements);
  }

  SegmentAttr describe(const BucketLayout::Segment &segment) {
    auto parameters =
        llvm::map_to_vector(segment.parameters, [&](unsigned index) {
          return FlatSymbolRefAttr::get(builder.getContext(),
                                        problem.parameters[index].name);
        });
    return SegmentAttr::get(builder.getContext(),
                            builder.getStringAttr(segment.name), segment.group,
                            segment.elements, parameters);
  }

  void writeSlots(const BucketLayout::Segment &segment) {
    writeSlot(segment, getSlot(SlotRole::Master), getType(segment));
    if (segment.compute) {
      SlotAttr slot = getSlot(SlotRole::Compute);
      writeSlot(segment, slot, getType(segment).clone(segment.compute));
      if (!isFp8(segment.compute)) {
        writeRounded(segment, slot);
      }
    }
    if (segment.group == OptimizerGroup::Frozen) {
      return;
    }
    writeSlot(segment, getSlot(SlotRole::Gradient), getType(segment));
    if (segment.group == OptimizerGroup::Statistic) {
      return;
    }
    for (const OptimizerSlot &kept : optimizer->slots) {
      RankedTensorType type = getSlotType(kept, getType(segment));
      SlotAttr slot = SlotAttr::getKept(builder.getContext(), kept.name);
      writeSlot(segment, slot, type);
      writeZero(segment, slot, type);
    }
    if (averages) {
      SlotAttr slot =
          SlotAttr::getKept(builder.getContext(), kAverageSlot.name);
      writeSlot(segment, slot, getType(segment));
      writeMaster(segment, slot);
    }
  }

  void writeSlot(const BucketLayout::Segment &segment, SlotAttr slot,
                 RankedTensorType type) {
    builder.setInsertionPoint(init);
    StateOp::create(
        builder, module.getLoc(), getName(segment, slot), type, StateKind::Slot,
        /*initial=*/FloatAttr(), getReference(segment), slot,
        OptimizerGroupAttr::get(builder.getContext(), segment.group));
  }

  void writeZero(const BucketLayout::Segment &segment, SlotAttr slot,
                 RankedTensorType type) {
    builder.setInsertionPoint(init.getBody().front().getTerminator());
    Value zero =
        ConstantOp::create(builder, module.getLoc(), type,
                           cast<DenseElementsAttr>(builder.getZeroAttr(type)));
    WriteOp::create(builder, module.getLoc(), getName(segment, slot), zero);
  }

  Value readMaster(const BucketLayout::Segment &segment) {
    builder.setInsertionPoint(init.getBody().front().getTerminator());
    return ReadOp::create(builder, module.getLoc(), getType(segment),
                          getName(segment, getSlot(SlotRole::Master)));
  }

  void writeMaster(const BucketLayout::Segment &segment, SlotAttr slot) {
    Value master = readMaster(segment);
    WriteOp::create(builder, module.getLoc(), getName(segment, slot), master);
  }

  /// The first values of what microbatches read are those of the masters.
  void writeRounded(const BucketLayout::Segment &segment, SlotAttr slot) {
    Value master = readMaster(segment);
    Value rounded =
        CastOp::create(builder, module.getLoc(), master, segment.compute);
    WriteOp::create(builder, module.getLoc(), getName(segment, slot), rounded);
  }

  void writeFp8Weights() {
    declareFp8Amax(module, init);
    builder.setInsertionPoint(init.getBody().front().getTerminator());
    ArithmeticBuilder b(builder, module.getLoc());
    buildFp8Weights(b, module, [&](StateOp master) {
      return b.create<ReadOp>(master.getType(), master.getSymName());
    });
  }

  static RankedTensorType getType(const BucketLayout::Segment &segment) {
    return RankedTensorType::get({segment.elements}, segment.elementType);
  }

  ModuleOp module;
  const BucketProblem &problem;
  const BucketLayout &layout;
  const Optimizer *optimizer; ///< null where nothing trains
  OpBuilder builder;
  func::FuncOp init;
  bool averages; ///< the optimizer keeps an average of what it updates
};

class AssignBucketsPass
    : public impl::AssignBucketsPassBase<AssignBucketsPass> {
public:
  using AssignBucketsPassBase::AssignBucketsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Reader> reader = findReader(module);
    if (failed(reader) || failed(checkElementTypes(module))) {
      return signalPassFailure();
    }
    auto [body, optimizer] = *reader;
    BucketProblem problem = planBuckets(module, *body, decayRank);
    problem.granule = llvm::alignTo(
        kSegmentGranule, optimizer ? optimizer->getBlock() : int64_t(1));
    if (std::string reason = problem.check(); !reason.empty()) {
      module.emitError("buckets: ") << reason;
      return signalPassFailure();
    }
    BucketLayout layout = solve(problem);
    if (std::string reason = verify(problem, layout); !reason.empty()) {
      module.emitError("buckets: the layout is wrong: ") << reason;
      return signalPassFailure();
    }
    LayoutWriter(module, problem, layout, optimizer).write();
  }

private:
  /// What reads the parameters, and what updates them; null: nothing.
  struct Reader {
    Block *body;
    const Optimizer *optimizer;
  };

  static FailureOr<Reader> findReader(ModuleOp module) {
    bool isInitialized =
        findFunction(module, FunctionRole::Initialize) != nullptr;
    auto infer = findFunction(module, FunctionRole::Infer);
    if (infer && isInitialized) {
      return Reader{&infer.getBody().front(), nullptr};
    }
    auto step = findFunction(module, FunctionRole::Step);
    RepeatOp loop = step ? findOnly<RepeatOp>(step) : RepeatOp();
    UpdateOp update = step ? findOnly<UpdateOp>(step) : UpdateOp();
    if (!loop || !update || !isInitialized) {
      return module.emitError(
          "expected functions of the roles initialize and step, "
          "the latter with one accel.repeat and one accel.update");
    }
    return Reader{&loop.getBody().front(), findOptimizer(update.getKind())};
  }

  /// Mostly it is all parameters or none: one error names the first.
  static LogicalResult checkElementTypes(ModuleOp module) {
    SmallVector<ParameterOp> others;
    for (auto parameter : module.getOps<ParameterOp>()) {
      auto type = cast<RankedTensorType>(parameter.getType());
      if (parameter.getTrainable() && !type.getElementType().isF32()) {
        others.push_back(parameter);
      }
    }
    if (others.empty()) {
      return success();
    }
    ParameterOp first = others.front();
    InFlightDiagnostic error =
        emitCodedError(first.getLoc(), codes::ElementType);
    error << "trainable parameter '" << first.getSymName()
          << "': expected element type f32, got "
          << cast<RankedTensorType>(first.getType()).getElementType();
    if (others.size() > 1) {
      error << " (and " << others.size() - 1 << " more)";
    }
    return error << "; convert the model with model.float() before the export";
  }

  /// The only operation of `OpTy` directly in `function`, or null.
  template <typename OpTy> static OpTy findOnly(func::FuncOp function) {
    auto ops = function.getBody().front().getOps<OpTy>();
    return !ops.empty() && std::next(ops.begin()) == ops.end() ? *ops.begin()
                                                               : OpTy();
  }
};

} // namespace
} // namespace accel
