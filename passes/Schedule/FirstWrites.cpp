// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds who touches a range of a buffer first, and lets kernels store.
#include "passes/Schedule/FirstWrites.h"

#include "passes/Analysis/IterationDomain.h"

using namespace mlir;
using namespace accel;

static bool isInside(Value operand, Value view) {
  while (operand != view) {
    auto inner = operand.getDefiningOp<plan::ViewOp>();
    if (!inner) {
      return false;
    }
    operand = inner.getSource();
  }
  return true;
}

static void insertFillsBetween(const IndexRanges &written, Value view,
                               OpBuilder &builder) {
  auto type = cast<MemRefType>(view.getType());
  written.eachGap(type.getNumElements(), [&](int64_t begin, int64_t end) {
    auto part = MemRefType::get({end - begin}, type.getElementType());
    Value range = part == type ? view
                               : plan::ViewOp::create(builder, view.getLoc(),
                                                      part, view, begin)
                                     .getResult();
    plan::FillOp::create(builder, view.getLoc(), range);
  });
}

SmallVector<ResultMode> &FirstWrites::modesOf(plan::LaunchOp launch) {
  auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
  SmallVector<ResultMode> &found = modes[launch];
  found.resize(kernel ? kernel.getNumResults() : 0, ResultMode::AsItIs);
  return found;
}

/// Whether `op` can store what it adds to its operand, and does from now on.
bool FirstWrites::makeStore(Operation *op, unsigned operand) {
  auto launch = dyn_cast<plan::LaunchOp>(op);
  auto kernel = launch ? symbols.lookup<func::FuncOp>(launch.getKernel())
                       : func::FuncOp();
  if (!kernel || operand < kernel.getNumArguments()) {
    return false;
  }
  unsigned result = operand - kernel.getNumArguments();
  if (!isAccumulated(kernel, result)) {
    return false;
  }
  modesOf(launch)[result] = ResultMode::Stored;
  return true;
}

void FirstWrites::visitUse(Operation *op, unsigned operand, Value view,
                           IndexRanges &written, IndexRanges &touched) {
  Value buffer = op->getOperand(operand);
  auto type = cast<MemRefType>(buffer.getType());
  int64_t begin =
      (plan::getBufferRange(buffer).begin - plan::getBufferRange(view).begin) /
      plan::getElementBytes(type);
  int64_t end = begin + type.getNumElements();
  if (!touched.overlaps(begin, end) && makeStore(op, operand)) {
    written.insert(begin, end);
  }
  touched.insert(begin, end);
}

void FirstWrites::addLiveRange(const BufferLiveRange &range,
                               OpBuilder &builder) {
  for (auto &[whole, view] : range.views) {
    IndexRanges written, touched;
    for (unsigned i = range.liveRange.first; i <= range.liveRange.last; ++i) {
      Operation *op = buckets.getInstruction(i);
      for (OpOperand &operand : op->getOpOperands()) {
        if (isInside(operand.get(), view)) {
          visitUse(op, operand.getOperandNumber(), view, written, touched);
        }
      }
    }
    insertFillsBetween(written, view, builder);
  }
}

void FirstWrites::addAddition(plan::LaunchOp add) {
  for (ResultMode &mode : modesOf(add)) {
    mode = ResultMode::Added;
  }
}

/// Lets `launch` run `kernel`, which may store what it added to, and read one
/// operand less.
static void setKernel(plan::LaunchOp launch, func::FuncOp kernel) {
  OpBuilder builder(launch);
  SmallVector<Attribute> accesses(launch.getModes().getValue());
  if (unsigned count = accesses.size() -
                       (kernel.getNumArguments() + kernel.getNumResults())) {
    unsigned last = kernel.getNumArguments();
    launch.getBuffersMutable().erase(last, count);
    accesses.erase(accesses.begin() + last, accesses.begin() + last + count);
  }
  for (unsigned result = 0; result < kernel.getNumResults(); ++result) {
    if (!isAccumulated(kernel, result)) {
      accesses[kernel.getNumArguments() + result] =
          builder.getI32IntegerAttr(static_cast<int32_t>(plan::Access::Write));
    }
  }
  launch.setModesAttr(builder.getArrayAttr(accesses));
  launch.setKernel(kernel.getSymName());
}

void FirstWrites::finish(plan::RepeatOp loop) {
  SmallVector<KernelUse> uses;
  loop.walk([&](plan::LaunchOp launch) {
    if (auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel())) {
      uses.push_back({launch, kernel, modesOf(launch)});
    }
  });
  assignVariants(symbols, uses, [](Operation *user, func::FuncOp kernel) {
    setKernel(cast<plan::LaunchOp>(user), kernel);
  });
}
