// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says for which layer of the model each instruction works.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/StateMemory.h"
#include "passes/Schedule/Passes.h"

namespace accel {
#define GEN_PASS_DEF_MARKLAYERSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

class LayerMarker {
public:
  explicit LayerMarker(const SymbolTable &symbols) : symbols(symbols) {}

  void mark(func::FuncOp function) {
    for (Operation &op : function.getBody().front()) {
      latest.reset();
      op.walk<WalkOrder::PreOrder>([&](plan::InstructionOpInterface each) {
        std::optional<int64_t> layer = getLayer(each);
        if (layer) {
          each->setAttr(
              plan::kLayerAttr,
              IntegerAttr::get(IntegerType::get(op.getContext(), 64), *layer));
        }
        latest = layer;
      });
    }
  }

private:
  /// That of the segments whose slots it touches. What touches no state goes on
  /// with the work of the instruction before it.
  std::optional<int64_t> getLayer(plan::InstructionOpInterface op) const {
    bool touchesState = false;
    SmallVector<std::optional<int64_t>> layers;
    for (const plan::BufferAccess &access : op.getAccesses()) {
      StateOp state = findState(plan::getBufferRange(access.buffer).buffer);
      touchesState |= bool(state);
      if (state && state.getKind() == StateKind::Slot) {
        layers.push_back(getStateLayer(state));
      }
    }
    if (!touchesState) {
      return latest;
    }
    return !layers.empty() && llvm::all_equal(layers) ? layers.front()
                                                      : std::nullopt;
  }

  StateOp findState(plan::BufferOp buffer) const {
    std::optional<StringRef> symbol = buffer.getSymbol();
    return symbol ? symbols.lookup<StateOp>(*symbol) : StateOp();
  }

  const SymbolTable &symbols;
  std::optional<int64_t> latest; ///< of the instruction before, in the loop
};

class MarkLayersPass : public accel::impl::MarkLayersPassBase<MarkLayersPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : getProgram(getOperation())) {
      LayerMarker(symbols).mark(function);
    }
  }
};

} // namespace
