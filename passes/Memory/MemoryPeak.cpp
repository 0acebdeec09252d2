// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of live bytes, instruction by instruction.
#include "passes/Memory/MemoryPeak.h"

using namespace mlir;

namespace accel {
namespace {

/// Instructions with their numbers in the plan.
SmallVector<std::pair<Operation *, uint64_t>>
numberInstructions(func::FuncOp function) {
  SmallVector<std::pair<Operation *, uint64_t>> numbered;
  uint64_t next = 0;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<plan::InstructionOpInterface>(op)) {
      numbered.emplace_back(op, next++);
    } else if (isa<plan::RepeatOp>(op)) {
      ++next;
    }
  });
  return numbered;
}

/// For every instruction, the bytes of the buffers that live then.
SmallVector<uint64_t> getLiveBytes(const MemoryProblem &problem, size_t count) {
  SmallVector<int64_t> change(count + 2, 0);
  for (const BufferLifetime &buffer : problem.buffers) {
    change[buffer.first] += buffer.bytes;
    change[buffer.last + 1] -= buffer.bytes;
  }
  SmallVector<uint64_t> live;
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += change[i];
    live.push_back(sum);
  }
  return live;
}

} // namespace

std::optional<PeakInstruction> findPeak(func::FuncOp function,
                                        const MemoryProblem &problem) {
  auto instructions = numberInstructions(function);
  SmallVector<uint64_t> live = getLiveBytes(problem, instructions.size());
  auto fullest = llvm::max_element(live);
  if (fullest == live.end()) {
    return std::nullopt;
  }
  return PeakInstruction{instructions[fullest - live.begin()].second, *fullest};
}

Operation *getNumbered(func::FuncOp function, uint64_t number) {
  for (auto [op, each] : numberInstructions(function)) {
    if (each == number) {
      return op;
    }
  }
  return nullptr;
}

} // namespace accel
