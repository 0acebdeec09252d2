// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers from the names of what lives as long as the run, and of what
// collectives exchange.
#include "passes/Schedule/LayerCheck.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"

using namespace mlir;
using namespace accel;

namespace {

/// The layers of the segments of a module, by the names of their slots: -1 for
/// those of no layer.
class SlotLayers {
public:
  explicit SlotLayers(ModuleOp module) {
    llvm::StringMap<int64_t> buckets;
    for (auto bucket : module.getOps<BucketOp>()) {
      buckets[bucket.getSymName()] = bucket.getLayer().value_or(-1);
    }
    for (auto state : module.getOps<StateOp>()) {
      if (auto segment = state.getSegmentAttr()) {
        slots[state.getSymName()] =
            buckets.lookup(segment.getBucket().getValue());
      }
    }
  }

  /// Those of the slots that `op` touches or exchanges.
  llvm::SmallDenseSet<int64_t> collect(Operation *op) const {
    llvm::SmallDenseSet<int64_t> layers;
    auto add = [&](StringAttr name) {
      auto found = name ? slots.find(name.getValue()) : slots.end();
      if (found != slots.end()) {
        layers.insert(found->second);
      }
    };
    add(op->getAttrOfType<StringAttr>("state"));
    for (Value operand : op->getOperands()) {
      if (isa<MemRefType>(operand.getType())) {
        add(plan::getBufferRange(operand).buffer.getSymbolAttr());
      }
    }
    return layers;
  }

private:
  llvm::StringMap<int64_t> slots;
};

/// Whether `op` touches memory in which buckets take turns: whose slot lies
/// there, its buffer does not say.
bool touchesSharedBuffers(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    if (!isa<MemRefType>(operand.getType())) {
      return false;
    }
    plan::BufferOp buffer = plan::getBufferRange(operand).buffer;
    return buffer.getRegion() == plan::Region::Transient &&
           (buffer.getKlass() == plan::MemoryClass::Gathered ||
            buffer.getKlass() == plan::MemoryClass::Gradients);
  });
}

} // namespace

LogicalResult accel::checkLayers(func::FuncOp function) {
  SlotLayers known(function->getParentOfType<ModuleOp>());
  bool hasLayers = false;
  Operation *wrong = nullptr;
  int64_t expected = -1;
  function.walk([&](plan::InstructionOpInterface op) {
    auto layer = op->getAttrOfType<IntegerAttr>(plan::kLayerAttr);
    hasLayers |= bool(layer);
    llvm::SmallDenseSet<int64_t> layers = known.collect(op);
    int64_t said = layer ? layer.getInt() : -1;
    auto other =
        llvm::find_if(layers, [&](int64_t each) { return each != said; });
    bool isWrong = layer ? other != layers.end()
                         : layers.size() == 1 && other != layers.end() &&
                               !touchesSharedBuffers(op);
    if (!wrong && isWrong) {
      wrong = op;
      expected = *other;
    }
  });
  if (!hasLayers || !wrong) {
    return success();
  }
  InFlightDiagnostic error = wrong->emitOpError("touches slots of ");
  auto name = [&](int64_t layer) -> std::string {
    return layer < 0 ? "no layer" : "layer " + std::to_string(layer);
  };
  auto said = wrong->getAttrOfType<IntegerAttr>(plan::kLayerAttr);
  return error << name(expected) << ", but says that it works for "
               << name(said ? said.getInt() : -1);
}
