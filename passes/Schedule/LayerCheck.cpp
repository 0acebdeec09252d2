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
      if (state.getBucket()) {
        slots[state.getSymName()] = buckets.lookup(*state.getBucket());
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
    if (!wrong && layers.size() == 1 &&
        *layers.begin() != (layer ? layer.getInt() : -1)) {
      wrong = op;
      expected = *layers.begin();
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
