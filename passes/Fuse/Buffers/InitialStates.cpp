// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of parts of computed slots, and loads of weights.
#include "passes/Fuse/Buffers/InitialStates.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Analysis/StateMemory.h"

using namespace mlir;
using namespace accel;

/// The first and the last instruction of `function` that access `buffer`.
static std::pair<Operation *, Operation *> findAccesses(func::FuncOp function,
                                                        Value buffer) {
  Operation *first = nullptr;
  Operation *last = nullptr;
  function.walk([&](plan::InstructionOpInterface instruction) {
    for (plan::BufferAccess access : instruction.getAccesses()) {
      if (plan::getBufferRange(access.buffer).buffer.getResult() == buffer) {
        first = first ? first : instruction.getOperation();
        last = instruction;
      }
    }
  });
  return {first, last};
}

void accel::storeInitialParts(func::FuncOp initialize, SymbolBuffers &symbols,
                              BufferDeclarations &declarations) {
  for (auto &[op, whole] : symbols.getWholes()) {
    auto state = cast<StateOp>(op);
    auto [first, last] = findAccesses(initialize, whole);
    // Gaps between parameters are zero, so that a rank's state is a function of
    // the seed alone.
    OpBuilder builder(first);
    plan::FillOp::create(builder, state.getLoc(), whole);
    builder.setInsertionPointAfter(last);
    Value part =
        declarations.addPart(state.getLoc(), whole, getStateShard(state));
    plan::CopyOp::create(builder, state.getLoc(), part, symbols.getPart(state));
  }
}

void accel::loadWeights(func::FuncOp initialize, SymbolBuffers &symbols) {
  OpBuilder builder(initialize.getBody().front().getTerminator());
  auto module = initialize->getParentOfType<ModuleOp>();
  for (auto parameter : module.getOps<ParameterOp>()) {
    DictionaryAttr initial = parameter.getInitial().value_or(DictionaryAttr());
    auto kind = initial ? initial.getAs<StringAttr>("kind") : StringAttr();
    if (!kind || kind.getValue() != "file") {
      continue;
    }
    auto master = SymbolTable::lookupNearestSymbolFrom<StateOp>(
        parameter, parameter.getSegmentAttr());
    bool isPart = dist::getHolding(master) == dist::Holding::Part;
    Value target = isPart ? symbols.getPart(master)
                          : symbols.getParameter(parameter, SlotRole::Master);
    IntegerAttr offset, elements;
    if (isPart) {
      offset = parameter.getOffsetAttr();
      elements = builder.getI64IntegerAttr(
          cast<RankedTensorType>(parameter.getType()).getNumElements());
    }
    plan::LoadOp::create(builder, parameter.getLoc(),
                         initial.getAs<StringAttr>("key"), target, offset,
                         elements);
  }
}
