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

/// Whether `op` computes of what the function has stored in states or in
/// buffers of `moved`, or exchanges it. Adds what it writes to `moved`.
static bool readsStates(Operation &op, llvm::DenseSet<Operation *> &moved) {
  auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
  if (!instruction) {
    return false;
  }
  SmallVector<plan::BufferAccess> accesses = instruction.getAccesses();
  auto reads = [&](const plan::BufferAccess &each) {
    plan::BufferOp buffer = plan::getBufferRange(each.buffer).buffer;
    bool isParameter = isa<plan::LaunchOp>(op) &&
                       buffer.getRegion() == plan::Region::Persistent &&
                       buffer.getKlass() == plan::MemoryClass::Parameters;
    return each.access != plan::Access::Write &&
           (isParameter || moved.contains(buffer));
  };
  if (!isa<plan::AllGatherOp>(op) && llvm::none_of(accesses, reads)) {
    return false;
  }
  for (const plan::BufferAccess &each : accesses) {
    if (each.access != plan::Access::Read) {
      moved.insert(plan::getBufferRange(each.buffer).buffer);
    }
  }
  return true;
}

/// Moves what computes of stored parameters to the end, in order: they are
/// there once all of them are stored, and loaded. Returns where that begins.
static Operation *moveReadersBehind(func::FuncOp initialize) {
  Block &body = initialize.getBody().front();
  SmallVector<Operation *> readers;
  llvm::DenseSet<Operation *> moved;
  for (Operation &op : body) {
    if (readsStates(op, moved)) {
      readers.push_back(&op);
    }
  }
  for (Operation *reader : readers) {
    reader->moveBefore(body.getTerminator());
  }
  return readers.empty() ? body.getTerminator() : readers.front();
}

void accel::loadWeights(func::FuncOp initialize, SymbolBuffers &symbols) {
  OpBuilder builder(moveReadersBehind(initialize));
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
