// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of buffers and the gathers that filled them last.
#include "passes/Schedule/BufferContents.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace accel;

namespace {

/// Bytes [begin, end) of a buffer, filled through a view of it.
struct Content {
  Operation *buffer;
  int64_t begin, end;
  Value view;
};

/// The view of the plan.buffer itself that `value` is reached through.
Value getBufferView(Value value) {
  while (true) {
    auto view = value.getDefiningOp<plan::ViewOp>();
    if (!view || isa<plan::BufferOp>(view.getSource().getDefiningOp())) {
      return value;
    }
    value = view.getSource();
  }
}

class ContentsWalk {
public:
  std::optional<WrongContents> visit(plan::InstructionOpInterface op) {
    auto gather = dyn_cast<plan::AllGatherOp>(op.getOperation());
    for (plan::BufferAccess access : op.getAccesses()) {
      plan::BufferRange range = plan::getBufferRange(access.buffer);
      if (range.buffer.getKlass() != plan::MemoryClass::Gathered) {
        continue;
      }
      if (gather && access.buffer == gather.getWhole()) {
        fill(range, access.buffer);
      } else if (!holds(getBufferView(access.buffer))) {
        return WrongContents{op, getBufferView(access.buffer)};
      }
    }
    return std::nullopt;
  }

  void clear() { contents.clear(); }

private:
  void fill(const plan::BufferRange &range, Value view) {
    int64_t end = range.begin + range.bytes;
    llvm::erase_if(contents, [&](const Content &content) {
      return content.buffer == range.buffer && content.begin < end &&
             range.begin < content.end;
    });
    contents.push_back({range.buffer, range.begin, end, view});
  }

  bool holds(Value view) const {
    return llvm::any_of(
        contents, [&](const Content &content) { return content.view == view; });
  }

  SmallVector<Content> contents;
};

} // namespace

std::optional<WrongContents> accel::findWrongContents(func::FuncOp function) {
  std::optional<WrongContents> wrong;
  ContentsWalk contents;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<plan::RepeatOp>(op)) {
      contents.clear();
    }
    auto instruction = dyn_cast<plan::InstructionOpInterface>(op);
    wrong = instruction ? contents.visit(instruction) : std::nullopt;
    return wrong ? WalkResult::interrupt() : WalkResult::advance();
  });
  return wrong;
}
