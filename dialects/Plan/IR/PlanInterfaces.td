// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every instruction of a plan can tell about itself.
#ifndef ACCEL_DIALECTS_PLAN_IR_PLANINTERFACES_TD
#define ACCEL_DIALECTS_PLAN_IR_PLANINTERFACES_TD
include "mlir/IR/OpBase.td"

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::accel::plan";
  let description = [{
    An instruction: it accesses buffers, runs on a stream, waits for events and signals one. Schedule decides the latter; the attributes
    for it are arguments of every instruction (Plan_Instruction), and null before.
  }];
  let methods = [
    InterfaceMethod<"The buffers accessed: for every memref operand, in order, what is done with it.",
      "::llvm::SmallVector<::accel::plan::BufferAccess>", "getAccesses">,
    InterfaceMethod<"How many copies ahead of the current microbatch a double-buffered operand is.",
      "int64_t", "getRotation", (ins), [{}], [{ return 0; }]>,
  ];
  let extraClassDeclaration = [{
    /// The name of its stream; null while Schedule has not run.
    ::mlir::FlatSymbolRefAttr getStream();
    /// The events waited for, and the numbers of those signalled.
    ::llvm::SmallVector<::accel::plan::WaitAttr> getWaitedEvents();
    ::llvm::SmallVector<int64_t> getSignalledEvents();
    /// The signs of infinities that its access number `access` may leave
    /// although nothing is wrong, if any.
    ::std::optional<::accel::plan::Sign> getInfinities(int64_t access);
    /// What it costs; null while Schedule has not run.
    ::accel::plan::CostAttr getCost();
  }];
}
#endif
