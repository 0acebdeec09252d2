// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first who needs a routine adds it.
#include "passes/Lower/Routine.h"

using namespace mlir;
using namespace accel;

func::FuncOp accel::getRoutine(ModuleOp module, Location loc, StringRef name,
                               FunctionType type, RoutineBody write) {
  if (auto routine = module.lookupSymbol<func::FuncOp>(name)) {
    return routine;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto routine = func::FuncOp::create(builder, loc, name, type);
  routine.setPrivate();
  Block *block = routine.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  func::ReturnOp::create(builder, loc, write(builder, block->getArguments()));
  return routine;
}

std::string accel::getRoutineFor(StringRef name, int64_t lanes) {
  return lanes == 0 ? name.str() : (name + ".x" + Twine(lanes)).str();
}
