// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what instructions cost, and the numbers of collectives, into the IR.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace accel {
#define GEN_PASS_DEF_ANNOTATECOSTSPASS
#include "passes/Schedule/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// Operations of a kernel by the type that they compute in.
using Counts = SmallVector<std::pair<Type, int64_t>>;

/// Integers before floats, narrow ones first: an order that does not depend on
/// the kernel.
bool comesFirst(Type a, Type b) {
  auto key = [](Type type) {
    return std::tuple(isa<FloatType>(type), type.getIntOrFloatBitWidth(),
                      type.isBF16());
  };
  return key(a) < key(b);
}

/// That of its result; what makes floats of 16 and 8 bits element by element is
/// arithmetic on f32.
Type getComputedType(Operation *op) {
  Type element = elementTypeOf(op->getResult(0));
  auto fusable = dyn_cast<FusionOpInterface>(op);
  bool isElementwise =
      fusable && fusable.getFusionKind() == FusionKind::Elementwise;
  return isElementwise && SmallFloat::get(element)
             ? Float32Type::get(op->getContext())
             : element;
}

Counts countOperations(func::FuncOp kernel) {
  llvm::MapVector<Type, int64_t> counts;
  kernel.walk([&](CostOpInterface op) {
    counts[getComputedType(op)] += op.getFlops();
  });
  Counts list;
  llvm::copy_if(counts, std::back_inserter(list),
                [](const auto &each) { return each.second > 0; });
  llvm::sort(list, [](const auto &a, const auto &b) {
    return comesFirst(a.first, b.first);
  });
  return list;
}

/// Bytes that `op` reads and writes, all of them once, those it updates twice.
int64_t countBytes(plan::InstructionOpInterface op) {
  int64_t bytes = 0;
  for (const plan::BufferAccess &access : op.getAccesses()) {
    plan::BufferRange range = plan::getBufferRange(access.buffer);
    if (!range.buffer.getPerThread()) {
      bytes += range.bytes * (access.access == plan::Access::ReadWrite ? 2 : 1);
    }
  }
  return bytes;
}

class AnnotateCostsPass
    : public accel::impl::AnnotateCostsPassBase<AnnotateCostsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Operation *, Counts> counts; // kernels are launched often
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      int64_t collectives = 0;
      function.walk([&](plan::InstructionOpInterface op) {
        const Counts *found = nullptr;
        if (auto launch = dyn_cast<plan::LaunchOp>(op.getOperation())) {
          auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
          auto [known, isNew] = counts.try_emplace(kernel);
          if (isNew && kernel) {
            known->second = countOperations(kernel);
          }
          found = &known->second;
        }
        annotate(op, found);
        if (plan::SizeAttr sent = getBytesSent(op)) {
          op->setAttr(plan::kSequenceAttr,
                      Builder(&getContext()).getI64IntegerAttr(collectives++));
          op->setAttr(plan::kBytesSentAttr, sent);
        }
      });
    }
  }

  void annotate(plan::InstructionOpInterface op, const Counts *found) {
    SmallVector<Type> types;
    SmallVector<int64_t> numbers;
    for (auto [type, number] : found ? *found : Counts()) {
      types.push_back(type);
      numbers.push_back(number);
    }
    op->setAttr(
        plan::kCostAttr,
        plan::CostAttr::get(&getContext(), countBytes(op), types, numbers));
  }

  /// Of a collective; null: `op` is none. In an all_reduce a rank sends a part
  /// to each other rank and a sum back to each: all but its own part, twice,
  /// which is all of it for many ranks.
  static plan::SizeAttr getBytesSent(Operation *op) {
    if (auto reduce = dyn_cast<plan::AllReduceOp>(op)) {
      auto type = cast<MemRefType>(reduce.getBuffer().getType());
      return plan::SizeAttr::get(op->getContext(),
                                 2 * type.getNumElements() *
                                     type.getElementTypeBitWidth() / 8,
                                 plan::ShardAttr());
    }
    if (auto gather = dyn_cast<plan::AllGatherOp>(op)) {
      return getSize(gather.getWhole(), gather.getShard());
    }
    auto scatter = dyn_cast<plan::ReduceScatterOp>(op);
    return scatter ? getSize(scatter.getWhole(), scatter.getShard())
                   : plan::SizeAttr();
  }

  /// Of the parts of all ranks of `whole`.
  static plan::SizeAttr getSize(Value whole, plan::ShardAttr shard) {
    auto type = cast<MemRefType>(whole.getType());
    return plan::SizeAttr::get(shard.getContext(),
                               type.getElementTypeBitWidth(), shard);
  }
};

} // namespace
