// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Shard: every parameter in exactly one segment, nothing
// over another, the update written out.
#include "passes/Shard/Passes.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Shard/BucketLayout.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

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

class ShardVerifier {
public:
  explicit ShardVerifier(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult verify() {
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      verifyParameter(parameter);
    }
    for (auto &[master, parameters] : contents) {
      verifyDisjoint(master, parameters);
    }
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() == "slot") {
        verifySlot(state);
      }
    }
    for (StateOp state : module.getOps<StateOp>()) {
      if (state.getKind() == "slot") {
        verifyHolding(state);
      }
    }
    for (BucketOp bucket : module.getOps<BucketOp>()) {
      verifyBucket(bucket);
    }
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
    if (!master || !parameter.getOffset() || master.getSlot() != "master") {
      fail(parameter)
          << "expected 'segment' (a master slot) and 'offset' of parameter '"
          << name << "', got "
          << (parameter.getSegment() ? *parameter.getSegment() : "none");
      return;
    }
    auto type = cast<RankedTensorType>(parameter.getType());
    auto segment = cast<RankedTensorType>(master.getType());
    int64_t offset = getBegin(parameter);
    if (offset < 0 || offset % kParameterAlignment != 0 ||
        getEnd(parameter) > segment.getNumElements()) {
      fail(parameter) << "expected parameter '" << name << "' ("
                      << type.getNumElements() << " elements) at a multiple of "
                      << kParameterAlignment << " inside the "
                      << segment.getNumElements()
                      << " elements of its segment, got offset " << offset;
    }
    if (type.getElementType() != segment.getElementType()) {
      fail(parameter) << "expected the element type of its segment, "
                      << segment.getElementType() << ", got "
                      << type.getElementType();
    }
    if (parameter.getTrainable() == (master.getGroup() == "frozen")) {
      fail(parameter) << "expected "
                      << (parameter.getTrainable() ? "trainable" : "frozen")
                      << " parameter '" << name
                      << "' in a segment of its kind, got group "
                      << *master.getGroup();
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
  /// granule.
  void verifySlot(StateOp state) {
    auto type = cast<RankedTensorType>(state.getType());
    std::string name =
        (*state.getBucket() + "." + *state.getSegment() + ".").str();
    auto master = symbols.lookup<StateOp>(name + "master");
    if (state.getSymName() != name + state.getSlot()->str() || !master) {
      fail(state) << "expected slot '" << name << *state.getSlot()
                  << "' and its master, got '" << state.getSymName() << "'";
      return;
    }
    auto masterType = cast<RankedTensorType>(master.getType());
    if (type.getRank() != 1 || type.getNumElements() % kSegmentGranule != 0 ||
        type.getShape() != masterType.getShape()) {
      fail(state) << "expected slot '" << state.getSymName()
                  << "' to be flat, a multiple of " << kSegmentGranule
                  << " and of the size of its master, " << masterType
                  << ", got " << type;
    }
    bool isTrained = state.getGroup() != "frozen";
    if (state.getSlot() == "master" &&
        isTrained != bool(symbols.lookup<StateOp>(name + "gradient"))) {
      fail(state) << "expected a gradient slot of segment '"
                  << *state.getSegment() << "' exactly if it is trained, got "
                  << (isTrained ? "none" : "one");
    }
  }

  /// The modes differ in what is held of masters, gradients and moments; a
  /// rank that holds its part of a master needs no more of the others.
  void verifyHolding(StateOp state) {
    using dist::Holding;
    bool isFrozen = state.getGroup() == "frozen";
    StringRef kind = state.getSlot() == "master"     ? "master"
                     : state.getSlot() == "gradient" ? "gradient"
                                                     : "moment";
    Holding holding = dist::getHolding(state);
    if (kind == "moment" && holding == Holding::Whole) {
      fail(state) << "expected what the optimizer keeps to be held in part or "
                     "not to be cut, got \"whole\"";
      return;
    }
    std::string key = (kind + (isFrozen ? ".frozen" : "")).str();
    auto [first, isNew] = holdings.try_emplace(key, state);
    if (!isNew && dist::getHolding(first->second) != holding) {
      fail(state) << "expected all segments to be held in the same way, got '"
                  << state.getSymName() << "' and '"
                  << cast<StateOp>(first->second).getSymName()
                  << "' that differ";
      return;
    }
    verifyOrder(state, holding);
  }

  /// master >= gradient >= moments, in what a rank holds.
  void verifyOrder(StateOp state, dist::Holding holding) {
    std::string prefix =
        (*state.getBucket() + "." + *state.getSegment() + ".").str();
    auto above = symbols.lookup<StateOp>(
        prefix + (state.getSlot() == "gradient" ? "master" : "gradient"));
    if (state.getSlot() != "master" && above &&
        dist::getHolding(above) > holding) {
      fail(state) << "expected a rank to hold no more of '"
                  << state.getSymName() << "' than of '" << above.getSymName()
                  << "', got more";
    }
  }

  /// What a bucket lists is what its parameters and slots say.
  void verifyBucket(BucketOp bucket) {
    for (Attribute attribute : bucket.getSegments()) {
      auto segment = cast<DictionaryAttr>(attribute);
      std::string name =
          (bucket.getSymName() + "." +
           segment.getAs<StringAttr>("name").getValue() + ".master")
              .str();
      auto master = symbols.lookup<StateOp>(name);
      int64_t elements = segment.getAs<IntegerAttr>("elements").getInt();
      if (!master ||
          cast<RankedTensorType>(master.getType()).getNumElements() !=
              elements) {
        fail(bucket) << "expected state '" << name << "' with " << elements
                     << " elements, got " << (master ? "another size" : "none");
        continue;
      }
      for (Attribute reference : segment.getAs<ArrayAttr>("parameters")) {
        auto symbol = cast<FlatSymbolRefAttr>(reference);
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
  llvm::MapVector<StateOp, SmallVector<ParameterOp>> contents;
  llvm::StringMap<int64_t> listed;
  llvm::StringMap<Operation *> holdings; ///< the first of each kind of slot
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
