// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Shard: every parameter in exactly one segment, nothing
// over another, the update written out.
#include "passes/Shard/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Accel/IR/Optimizers/Average.h"
#include "dialects/Accel/IR/Optimizers/SlotType.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Shard/RatesCheck.h"
#include "passes/Shard/SegmentAlignment.h"
#include "passes/Shard/UpdateCheck.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYSHARDPASS
#include "passes/Shard/Passes.h.inc"

namespace {

int64_t getBegin(ParameterOp parameter) { return *parameter.getOffset(); }

int64_t getEnd(ParameterOp parameter) {
  return getBegin(parameter) +
         cast<RankedTensorType>(parameter.getType()).getNumElements();
}

/// What a rank holds of each kind of slot: of what microbatches read, of what
/// is frozen, of gradients, and of what only the update touches.
struct Mode {
  StringLiteral name;
  dist::Holding read, frozen, gradient, updated;
};

using dist::Holding;
constexpr Mode kModes[] = {
    {"plain", Holding::All, Holding::All, Holding::All, Holding::All},
    {"zero1", Holding::Whole, Holding::All, Holding::Whole, Holding::Part},
    {"zero2", Holding::Whole, Holding::All, Holding::Part, Holding::Part},
    {"fsdp", Holding::Part, Holding::Part, Holding::Part, Holding::Part}};

class ShardVerifier {
public:
  explicit ShardVerifier(ModuleOp module) : module(module), symbols(module) {
    if (auto name = module->getAttrOfType<StringAttr>(kOptimizerAttr)) {
      optimizer = findOptimizer(name.getValue());
    }
  }

  LogicalResult verify() {
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      verifyParameter(parameter);
    }
    for (auto &[master, parameters] : contents) {
      verifyDisjoint(master, parameters);
    }
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() == StateKind::Slot) {
        verifySlot(state);
        verifySegment(state);
      }
    }
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() == StateKind::Slot) {
        verifyHolding(state);
      }
    }
    for (BucketOp bucket : module.getOps<BucketOp>()) {
      verifyBucket(bucket);
    }
    verifyMesh();
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      if (listed.lookup(parameter.getSymName()) != 1) {
        fail(parameter) << "expected parameter '" << parameter.getSymName()
                        << "' in exactly one segment of a bucket, got "
                        << listed.lookup(parameter.getSymName());
      }
    }
    module.walk([&](UpdateOp update) {
      fail(update)
          << "expected accel.update to be expanded, got it still there";
    });
    hasFailed |= failed(checkUpdate(module));
    hasFailed |= failed(checkRates(module));
    return failure(hasFailed);
  }

private:
  InFlightDiagnostic fail(Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  void verifyParameter(ParameterOp parameter) {
    StringRef name = parameter.getSymName();
    auto master = parameter.getSegment()
                      ? symbols.lookup<StateOp>(*parameter.getSegment())
                      : StateOp();
    if (!master || !parameter.getOffset() || !master.isMaster()) {
      fail(parameter)
          << "expected 'segment' (a master slot) and 'offset' of parameter '"
          << name << "', got "
          << (parameter.getSegment() ? *parameter.getSegment() : "none");
      return;
    }
    auto type = cast<RankedTensorType>(parameter.getType());
    auto segment = cast<RankedTensorType>(master.getType());
    int64_t offset = getBegin(parameter);
    int64_t alignment =
        getParameterAlignment(parameter.getCompute().value_or(Type()));
    if (offset < 0 || offset % alignment != 0 ||
        getEnd(parameter) > segment.getNumElements()) {
      fail(parameter) << "expected parameter '" << name << "' ("
                      << type.getNumElements() << " elements) at a multiple of "
                      << alignment << " inside the " << segment.getNumElements()
                      << " elements of its segment, got offset " << offset;
    }
    if (type.getElementType() != segment.getElementType()) {
      fail(parameter) << "expected the element type of its segment, "
                      << segment.getElementType() << ", got "
                      << type.getElementType();
    }
    bool isStatistic = master.getGroup() == OptimizerGroup::Statistic;
    bool isTrained =
        !isStatistic && master.getGroup() != OptimizerGroup::Frozen;
    if (parameter.getTrainable() != isTrained ||
        parameter.getStatistic() != isStatistic) {
      fail(parameter) << "expected "
                      << (parameter.getTrainable()   ? "trainable"
                          : parameter.getStatistic() ? "statistic"
                                                     : "frozen")
                      << " parameter '" << name
                      << "' in a segment of its kind, got group "
                      << stringifyOptimizerGroup(*master.getGroup());
    }
    contents[master].push_back(parameter);
  }

  void verifyDisjoint(StateOp master,
                      SmallVectorImpl<ParameterOp> &parameters) {
    llvm::stable_sort(parameters, [](ParameterOp left, ParameterOp right) {
      return getBegin(left) < getBegin(right);
    });
    for (size_t i = 1; i < parameters.size(); ++i) {
      ParameterOp before = parameters[i - 1];
      if (getEnd(before) > getBegin(parameters[i])) {
        fail(parameters[i])
            << "expected parameters apart in segment '" << master.getSymName()
            << "', got '" << before.getSymName() << "' up to " << getEnd(before)
            << " and '" << parameters[i].getSymName() << "' from "
            << getBegin(parameters[i]);
      }
    }
  }

  /// A slot has the size of its segment's master, which is a multiple of the
  /// granule, or what the module's optimizer says of it.
  void verifySlot(StateOp state) {
    auto type = cast<RankedTensorType>(state.getType());
    StringRef slot = state.getSlot()->getName();
    std::string name = state.getSibling(*state.getSlot());
    auto master = symbols.lookup<StateOp>(state.getMasterName());
    if (state.getSymName() != name || !master) {
      fail(state) << "expected slot '" << name << "' and its master, got '"
                  << state.getSymName() << "'";
      return;
    }
    auto masterType = cast<RankedTensorType>(master.getType());
    int64_t granule = getGranule(state);
    if (masterType.getRank() != 1 ||
        masterType.getNumElements() % granule != 0) {
      fail(state) << "expected slot '" << state.getSymName()
                  << "' in a segment that is flat and a multiple of " << granule
                  << ", the granule of its bucket, got " << masterType;
      return;
    }
    const OptimizerSlot *kept = slot == kAverageSlot.name ? &kAverageSlot
                                : optimizer ? optimizer->findSlot(slot)
                                            : nullptr;
    RankedTensorType expected =
        kept ? getSlotType(*kept, masterType) : masterType;
    if (state.getSlot()->getRole() == SlotRole::Compute) {
      verifyInitialCompute(state);
      Type compute = getComputeType(master);
      expected = compute ? masterType.clone(compute) : masterType;
    }
    if (type != expected) {
      fail(state) << "expected slot '" << state.getSymName() << "' of type "
                  << expected << ", as its master is " << masterType << ", got "
                  << type;
    }
    if (state.getGroup() == OptimizerGroup::Statistic &&
        state.getSlot()->getRole() != SlotRole::Master && !state.isGradient()) {
      fail(state) << "expected a segment of statistics to have its master and "
                     "what is added to that alone, got slot '"
                  << slot << "'";
    }
    if (!kept && optimizer &&
        state.getSlot()->getRole() == SlotRole::Optimizer) {
      fail(state) << "expected a slot that optimizer " << optimizer->name
                  << " keeps, got '" << slot << "'";
    }
    bool isTrained = state.getGroup() != OptimizerGroup::Frozen;
    auto gradient = SlotAttr::get(state.getContext(), SlotRole::Gradient);
    if (state.isMaster() && isTrained != bool(symbols.lookup<StateOp>(
                                             state.getSibling(gradient)))) {
      fail(state) << "expected a gradient slot of segment '"
                  << state.getSegment()->getName().getValue()
                  << "' exactly if it is trained, got "
                  << (isTrained ? "none" : "one");
    }
    auto compute = SlotAttr::get(state.getContext(), SlotRole::Compute);
    if (state.isMaster() && getComputeType(state) &&
        !symbols.lookup<StateOp>(state.getSibling(compute))) {
      fail(state) << "expected a compute slot beside '" << state.getSymName()
                  << "', whose parameters are read in another type, got none";
    }
  }

  /// What microbatches read the parameters of `master` as: all of them in one
  /// type. Null if that is how they are stored, or after an error.
  Type getComputeType(StateOp master) {
    ArrayRef<ParameterOp> parameters = contents[master];
    Type type =
        parameters.empty()
            ? Type()
            : ParameterOp(parameters.front()).getCompute().value_or(Type());
    for (ParameterOp parameter : parameters) {
      if (parameter.getCompute().value_or(Type()) != type) {
        fail(parameter) << "expected all parameters of segment '"
                        << master.getSymName()
                        << "' to be read in one type, got '"
                        << parameter.getSymName() << "' read in another one";
      }
    }
    return type;
  }

  /// Initialization rounds the masters.
  void verifyInitialCompute(StateOp state) {
    func::FuncOp init = findFunction(module, FunctionRole::Initialize);
    if (!init) {
      return;
    }
    int64_t count = 0;
    init.walk([&](WriteOp write) {
      auto parameter = symbols.lookup<ParameterOp>(write.getSymbol());
      if (parameter && parameter.getSegment() == state.getMasterName()) {
        count = 0; // what was rounded before is no longer the master
      }
      if (write.getSymbol() == state.getSymName()) {
        Value rounded = findRounded(write);
        auto read = rounded ? rounded.getDefiningOp<ReadOp>() : ReadOp();
        count += read && read.getSymbol() == state.getMasterName();
      }
    });
    if (count != 1) {
      fail(state) << "expected '" << state.getSymName()
                  << "' to be initialized once, to its master rounded, behind "
                     "what is written to that, got "
                  << count << " such writes";
    }
  }

  /// The bucket of a slot lists its segment, with the group that the slot says.
  void verifySegment(StateOp state) {
    SegmentRefAttr reference = *state.getSegment();
    auto bucket = symbols.lookup<BucketOp>(reference.getBucket().getValue());
    if (!bucket) {
      return;
    }
    auto segments = bucket.getSegments().getAsRange<SegmentAttr>();
    auto segment = llvm::find_if(segments, [&](SegmentAttr each) {
      return each.getName() == reference.getName();
    });
    if (segment == segments.end()) {
      fail(state) << "expected slot '" << state.getSymName()
                  << "' in a segment that its bucket lists, got " << reference;
      return;
    }
    if ((*segment).getGroup() != *state.getGroup()) {
      fail(state) << "expected slot '" << state.getSymName() << "' of group "
                  << stringifyOptimizerGroup((*segment).getGroup())
                  << ", which its segment has, got "
                  << stringifyOptimizerGroup(*state.getGroup());
    }
  }

  /// Of the bucket of a slot: a whole number of the optimizer's blocks.
  int64_t getGranule(StateOp state) {
    StringRef name = state.getSegment()->getBucket().getValue();
    auto bucket = symbols.lookup<BucketOp>(name);
    int64_t least =
        llvm::alignTo(kSegmentGranule, optimizer ? optimizer->getBlock() : 1);
    if (!bucket || bucket.getGranule() % least == 0) {
      return bucket ? bucket.getGranule() : least;
    }
    fail(state) << "expected bucket '" << name
                << "' with a granule of a multiple of " << least << ", got "
                << bucket.getGranule();
    return least;
  }

  /// There is a mode that holds every slot as it is held: `modes` are those
  /// that hold all slots so far in that way.
  void verifyHolding(StateOp state) {
    SmallVector<const Mode *> left;
    for (const Mode *mode : modes) {
      if (getHolding(*mode, state) == dist::getHolding(state)) {
        left.push_back(mode);
      }
    }
    if (!left.empty()) {
      modes = left;
      return;
    }
    std::string names = llvm::join(
        llvm::map_range(modes, [](const Mode *mode) { return mode->name; }),
        " or ");
    dist::Holding held = dist::getHolding(state);
    fail(state) << "expected slot '" << state.getSymName()
                << "' to be held as mode " << names << " holds it, got "
                << (held == dist::Holding::All ? "it not cut"
                                               : dist::stringifyHolding(held));
  }

  static dist::Holding getHolding(const Mode &mode, StateOp state) {
    if (state.isGradient()) {
      return mode.gradient;
    }
    return state.getGroup() == OptimizerGroup::Frozen ? mode.frozen
           : state.isRead()                           ? mode.read
                                                      : mode.updated;
  }

  /// States are cut along an axis that has more than one rank; where none is
  /// cut, ranks lie along another one.
  void verifyMesh() {
    auto mesh = module->getAttrOfType<DictionaryAttr>(dist::kMeshAttr);
    if (!mesh) {
      return;
    }
    bool isCut = llvm::any_of(module.getOps<StateOp>(), [](StateOp state) {
      return dist::getHolding(state) != Holding::All;
    });
    SmallVector<StringRef> open;
    for (StringRef axis : dist::getMeshAxes()) {
      if (mesh.getAs<IntegerAttr>(axis).getInt() == 0) {
        open.push_back(axis);
      }
    }
    StringRef expected = isCut ? "fsdp" : "replica";
    if (open.size() != 1 || open.front() != expected) {
      fail(module) << "expected a mesh whose one axis of no fixed degree is '"
                   << expected << "', as states are " << (isCut ? "" : "not ")
                   << "cut over ranks, got "
                   << (open.empty() ? "none" : llvm::join(open, " and "));
    }
  }

  /// What a bucket lists is what its parameters and slots say.
  void verifyBucket(BucketOp bucket) {
    for (auto segment : bucket.getSegments().getAsRange<SegmentAttr>()) {
      std::string name =
          (bucket.getSymName() + "." + segment.getName().getValue() + ".master")
              .str();
      auto master = symbols.lookup<StateOp>(name);
      int64_t elements = segment.getElements();
      if (!master ||
          cast<RankedTensorType>(master.getType()).getNumElements() !=
              elements) {
        fail(bucket) << "expected state '" << name << "' with " << elements
                     << " elements, got " << (master ? "another size" : "none");
        continue;
      }
      for (FlatSymbolRefAttr symbol : segment.getParameters()) {
        ++listed[symbol.getValue()];
        auto parameter = symbols.lookup<ParameterOp>(symbol.getValue());
        if (!parameter || parameter.getSegment() != StringRef(name)) {
          fail(bucket) << "expected parameter '" << symbol.getValue()
                       << "' to lie in '" << name << "', got "
                       << (parameter ? parameter.getSegment().value_or("none")
                                     : "no such parameter");
        }
      }
    }
  }

  ModuleOp module;
  SymbolTable symbols;
  const Optimizer *optimizer = nullptr; ///< null: slots are like their master
  llvm::MapVector<StateOp, SmallVector<ParameterOp>> contents;
  llvm::StringMap<int64_t> listed;
  SmallVector<const Mode *> modes =
      llvm::map_to_vector(kModes, [](const Mode &mode) { return &mode; });
  bool hasFailed = false;
};

class VerifyShardPass : public impl::VerifyShardPassBase<VerifyShardPass> {
public:
  using VerifyShardPassBase::VerifyShardPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(ShardVerifier(getOperation()).verify())) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
