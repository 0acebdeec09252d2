// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes in use, added up instruction by instruction from accesses alone.
#include "passes/Memory/MemoryCheck.h"

#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace accel;

namespace {

constexpr llvm::StringLiteral kArenaBytes = "plan.arena_bytes";

int64_t sizeOf(plan::BufferOp buffer) {
  return plan::getMemRefBytes(cast<MemRefType>(buffer.getType()));
}

/// The bytes of transient device memory in use at each entry of the function's
/// list of instructions in the plan. Nothing is in use at the head of a loop.
class UsedBytes {
public:
  explicit UsedBytes(func::FuncOp function) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<plan::RepeatOp>(op)) {
        heads.push_back(entries.size());
        entries.push_back(0);
      } else if (auto instruction =
                     dyn_cast<plan::InstructionOpInterface>(op)) {
        visit(instruction);
      }
    });
    for (auto &[op, use] : uses) {
      count(cast<plan::BufferOp>(op), use);
    }
    for (size_t head : heads) {
      entries[head] = 0;
    }
  }

  ArrayRef<int64_t> get() const { return entries; }

private:
  struct Use {
    size_t first = 0, last = 0;
    bool isInside = true; ///< by instructions of the loop only
  };

  void visit(plan::InstructionOpInterface op) {
    size_t now = entries.size();
    entries.push_back(0);
    isInLoop.resize(entries.size(), false);
    isInLoop[now] = op->getParentOfType<plan::RepeatOp>() != nullptr;
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferOp buffer = plan::getBufferRange(access.buffer).buffer;
      if (buffer.getRegion() == plan::Region::Transient &&
          buffer.getSpace() == plan::Space::Device) {
        Use &use = uses.try_emplace(buffer, Use{now, now, true}).first->second;
        use.last = now;
        use.isInside &= isInLoop[now];
      }
    }
  }

  /// What is used outside of the loop, too, is there in all of it.
  void count(plan::BufferOp buffer, const Use &use) {
    bool reachesLoop =
        !use.isInside && llvm::any_of(llvm::seq(use.first, use.last + 1),
                                      [&](size_t i) { return isInLoop[i]; });
    for (size_t i = 0; i < isInLoop.size(); ++i) {
      bool isBetween = use.first <= i && i <= use.last;
      if (isBetween || (reachesLoop && isInLoop[i])) {
        entries[i] += sizeOf(buffer);
      }
    }
  }

  std::vector<int64_t> entries;
  std::vector<size_t> heads;
  std::vector<bool> isInLoop; ///< false at the head of the loop itself
  llvm::MapVector<Operation *, Use> uses;
};

} // namespace

/// The instruction that `peak` names has the bytes that it says, and none of
/// any function has more.
static LogicalResult checkPeak(ModuleOp module) {
  auto peak = module->getAttrOfType<plan::PeakAttr>(plan::kPeakAttr);
  bool isReached = false;
  for (func::FuncOp function : getProgram(module)) {
    UsedBytes used(function);
    if (used.get().empty() || (!peak && !function->hasAttr(kArenaBytes))) {
      continue;
    }
    if (!peak) {
      return module.emitOpError("expected `plan.peak`, as '")
             << function.getSymName() << "' has an arena, got none";
    }
    bool isNamed = peak.getFunction().getValue() == function.getSymName();
    for (auto [i, bytes] : llvm::enumerate(used.get())) {
      if (bytes > peak.getBytes()) {
        return function.emitOpError("uses ")
               << bytes << " bytes at instruction " << i
               << ", and the module says that no instruction uses more than "
               << peak.getBytes();
      }
      isReached |= isNamed && bytes == peak.getBytes() &&
                   static_cast<int64_t>(i) == peak.getInstruction();
    }
  }
  if (peak && !isReached) {
    return module.emitOpError(
               "expected `plan.peak` to name an instruction that "
               "uses its bytes, got ")
           << peak;
  }
  return success();
}

/// Of memory that buckets are gathered into by all ranks of a host.
static int64_t countGathered(func::FuncOp function) {
  llvm::MapVector<Operation *, int64_t> sizes;
  function.walk([&](plan::AllGatherOp gather) {
    plan::BufferOp buffer = plan::getBufferRange(gather.getWhole()).buffer;
    if (buffer.getSpace() == plan::Space::Shared && buffer.getGathers()) {
      sizes[buffer] = sizeOf(buffer);
    }
  });
  int64_t sum = 0;
  for (auto &[buffer, bytes] : sizes) {
    sum += bytes;
  }
  return sum;
}

static LogicalResult checkGathersMost(ModuleOp module) {
  auto named = module->getAttrOfType<FlatSymbolRefAttr>(plan::kGathersMostAttr);
  auto function =
      named ? module.lookupSymbol<func::FuncOp>(named) : func::FuncOp();
  if (named && !function) {
    return module.emitOpError(
               "expected `plan.gathers_most` to name a function, "
               "got ")
           << named;
  }
  int64_t most = function ? countGathered(function) : 0;
  if (function && most == 0) {
    return function.emitOpError("gathers nothing into shared memory, and "
                                "`plan.gathers_most` names it");
  }
  for (func::FuncOp other : getProgram(module)) {
    int64_t bytes = other->hasAttr(kArenaBytes) ? countGathered(other) : 0;
    if (bytes > most) {
      return other.emitOpError("gathers into ")
             << bytes << " bytes of shared memory, and what "
             << "`plan.gathers_most` names into " << most;
    }
  }
  return success();
}

LogicalResult accel::checkMemoryTotals(ModuleOp module) {
  return success(succeeded(checkPeak(module)) &&
                 succeeded(checkGathersMost(module)));
}
