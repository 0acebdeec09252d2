// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the operands of launches to their buffers.
#include "passes/Analysis/OperandAlignment.h"

#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/IterationDomain.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

static int64_t getAlignment(Value buffer) {
  plan::BufferRange range = plan::getBufferRange(buffer);
  uint64_t alignment = llvm::MinAlign(range.buffer.getAlignment(), range.begin);
  if (range.part) {
    auto type = cast<MemRefType>(buffer.getType());
    alignment = llvm::MinAlign(alignment, range.part.getGranule() *
                                              plan::getElementBytes(type));
  }
  return std::min<int64_t>(alignment, kLongestAccess);
}

OperandAlignments::OperandAlignments(ModuleOp module) {
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (auto found =
            kernel->getAttrOfType<DenseI64ArrayAttr>(kAlignmentsAttr)) {
      known[kernel.getSymName()] = SmallVector<int64_t>(found.asArrayRef());
    }
  }
  module.walk([&](plan::LaunchOp launch) {
    SmallVector<int64_t> alignments =
        llvm::map_to_vector(launch.getBuffers(), getAlignment);
    auto [all, isFirst] = known.try_emplace(launch.getKernel(), alignments);
    if (!isFirst) {
      for (auto [one, other] : llvm::zip_equal(all->second, alignments)) {
        one = std::min(one, other);
      }
    }
  });
}

ArrayRef<int64_t> OperandAlignments::get(func::FuncOp kernel) const {
  auto found = known.find(kernel.getSymName());
  return found == known.end() ? ArrayRef<int64_t>() : found->second;
}
