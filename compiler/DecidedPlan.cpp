// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One question after the other, to the module, to buffers and to instructions.
#include "compiler/DecidedPlan.h"

#include "compiler/PlanBuffers.h"
#include "compiler/PlanSignature.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistDialect.h"

using namespace mlir;
using namespace accel;

/// What Differentiate, Accumulate and Schedule say of the whole program.
static LogicalResult verifyFacts(ModuleOp module) {
  bool hasFailed = false;
  SmallVector<StringRef> names = {"plan.max_ranks"};
  if (findFunction(module, FunctionRole::Step)) {
    llvm::append_values(names, "accel.batch", "accel.gradient_exponent",
                        "accel.global_batch");
  }
  for (StringRef name : names) {
    if (!module->getAttrOfType<IntegerAttr>(name)) {
      module.emitError("expected attribute '")
          << name << "' of what is written into a plan, got none: run all "
          << "phases up to Memory";
      hasFailed = true;
    }
  }
  // A program without an instruction has no peak.
  bool isIdle = !module
                     .walk([](plan::InstructionOpInterface) {
                       return WalkResult::interrupt();
                     })
                     .wasInterrupted();
  for (StringRef name : {dist::kMeshAttr, plan::kPeakAttr}) {
    if (!module->hasAttr(name) && !(isIdle && name == plan::kPeakAttr)) {
      module.emitError("expected '")
          << name << "' of what is written into a plan, got none: run all "
          << "phases up to Memory";
      hasFailed = true;
    }
  }
  return failure(hasFailed);
}

static LogicalResult verifyBuffer(plan::BufferOp buffer) {
  if (buffer.getRegion() == plan::Region::Transient && !buffer.getOffset()) {
    return buffer.emitOpError("expected an offset of transient memory that is "
                              "written into a plan, got a buffer that Memory "
                              "has not placed");
  }
  auto fill = buffer->getAttrOfType<StringAttr>("accel.fill");
  if (fill && !parseFill(fill.getValue())) {
    return buffer.emitOpError("expected 'accel.fill' to be tokens, ones or "
                              "positions, got '")
           << fill.getValue() << "'";
  }
  Type element =
      cast<MemRefType>(buffer.getResult().getType()).getElementType();
  return findElementType(element)
             ? success()
             : buffer.emitOpError("expected elements that plans have a name "
                                  "for, got ")
                   << element;
}

static LogicalResult verifyInstruction(plan::InstructionOpInterface op) {
  if (!op.getStream() || !op.getCost()) {
    return op.emitOpError("expected a stream and a cost of what is written "
                          "into a plan, got an instruction that Schedule has "
                          "not seen");
  }
  for (Type type : op.getCost().getTypes()) {
    if (!findElementType(type)) {
      return op.emitOpError("expected operations on elements that plans have a "
                            "name for, got ")
             << type;
    }
  }
  bool isCollective =
      isa<plan::AllReduceOp, plan::AllGatherOp, plan::ReduceScatterOp>(op);
  if (isCollective && (!op->hasAttr(plan::kSequenceAttr) ||
                       !op->hasAttr(plan::kBytesSentAttr))) {
    return op.emitOpError(
        "expected a sequence number and the bytes that a rank "
        "sends, got a collective that AnnotateCosts has not "
        "seen");
  }
  return success();
}

LogicalResult accel::verifyDecided(ModuleOp module) {
  bool hasFailed = failed(verifyFacts(module));
  for (func::FuncOp function : getProgram(module)) {
    function.walk([&](Operation *op) {
      if (auto buffer = dyn_cast<plan::BufferOp>(op)) {
        hasFailed |= failed(verifyBuffer(buffer));
      } else if (auto known = dyn_cast<plan::InstructionOpInterface>(op)) {
        hasFailed |= failed(verifyInstruction(known));
      }
    });
  }
  return failure(hasFailed);
}
