// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows memory through a function: what a write leaves there, and what a
// write of a part adds.
#include "passes/Analysis/Infinities.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace accel;

Infinities Infinities::operator|(Infinities other) const {
  return {negative || other.negative, positive || other.positive,
          zero || other.zero};
}

std::optional<plan::Sign> Infinities::getSign() const {
  if (!any()) {
    return std::nullopt;
  }
  return negative && positive ? plan::Sign::Both
         : negative           ? plan::Sign::Negative
                              : plan::Sign::Positive;
}

ArrayAttr accel::getInfinitiesAttr(MLIRContext *context,
                                   ArrayRef<Infinities> accesses) {
  SmallVector<Attribute> list;
  for (auto [i, infinities] : llvm::enumerate(accesses)) {
    if (std::optional<plan::Sign> sign = infinities.getSign()) {
      list.push_back(plan::InfinityAttr::get(context, i, *sign));
    }
  }
  return list.empty() ? ArrayAttr() : ArrayAttr::get(context, list);
}

namespace {

class FunctionFlow {
public:
  using Visit = llvm::function_ref<void(plan::InstructionOpInterface,
                                        ArrayRef<Infinities>)>;

  FunctionFlow(func::FuncOp function, Visit visit)
      : symbols(function->getParentOfType<ModuleOp>()), visit(visit) {}

  void followBlock(Block &block, bool isFinal) {
    for (Operation &op : block) {
      if (auto repeat = dyn_cast<plan::RepeatOp>(op)) {
        followLoop(repeat, isFinal);
      } else if (auto buffer = dyn_cast<plan::BufferOp>(op)) {
        declare(buffer);
      } else if (auto each = dyn_cast<plan::InstructionOpInterface>(op)) {
        follow(each, isFinal);
      }
    }
  }

private:
  using Memory = llvm::MapVector<Operation *, Infinities>;

  void followLoop(plan::RepeatOp repeat, bool isFinal) {
    Block &body = repeat.getBody().front();
    bool hasChanged = true;
    while (hasChanged) {
      Memory before = memory;
      followBlock(body, /*isFinal=*/false);
      hasChanged = false;
      for (auto &[buffer, infinities] : memory) {
        Infinities all = infinities | before.lookup(buffer);
        hasChanged |= !(all == before.lookup(buffer));
        infinities = all;
      }
    }
    followBlock(body, isFinal);
  }

  void declare(plan::BufferOp buffer) {
    if (auto value = buffer.getValue()) {
      memory[buffer] = getInfinities(*value);
    }
  }

  Infinities read(Value buffer) const {
    return memory.lookup(plan::getBufferRange(buffer).buffer);
  }

  /// What the instruction leaves where it writes, by access.
  SmallVector<Infinities> getWritten(plan::InstructionOpInterface op,
                                     ArrayRef<plan::BufferAccess> accesses) {
    SmallVector<Infinities> written(accesses.size());
    auto launch = dyn_cast<plan::LaunchOp>(op.getOperation());
    auto kernel = launch ? symbols.lookup<func::FuncOp>(launch.getKernel())
                         : func::FuncOp();
    if (kernel) {
      return getWritten(kernel, accesses);
    }
    // What moves data, or adds it, leaves what it has read. A fill leaves
    // numbers, and so does data that is fetched.
    Infinities source;
    for (const plan::BufferAccess &access : accesses) {
      if (access.access != plan::Access::Write) {
        source = source | read(access.buffer);
      }
    }
    for (auto [access, infinities] : llvm::zip_equal(accesses, written)) {
      if (access.access != plan::Access::Read) {
        infinities = source;
      }
    }
    return written;
  }

  SmallVector<Infinities> getWritten(func::FuncOp kernel,
                                     ArrayRef<plan::BufferAccess> accesses) {
    SmallVector<Infinities> arguments;
    unsigned count = kernel.getNumArguments();
    for (const plan::BufferAccess &access : accesses.take_front(count)) {
      arguments.push_back(read(access.buffer));
    }
    SmallVector<Infinities> written(accesses.size());
    for (auto [i, infinities] :
         llvm::enumerate(findInfinities(kernel, arguments))) {
      const plan::BufferAccess &access = accesses[count + i];
      written[count + i] = access.access == plan::Access::ReadWrite
                               ? infinities | read(access.buffer)
                               : infinities;
    }
    return written;
  }

  void follow(plan::InstructionOpInterface op, bool isFinal) {
    SmallVector<plan::BufferAccess> accesses = op.getAccesses();
    SmallVector<Infinities> written = getWritten(op, accesses);
    for (auto [access, infinities] : llvm::zip_equal(accesses, written)) {
      if (access.access == plan::Access::Read) {
        continue;
      }
      plan::BufferRange range = plan::getBufferRange(access.buffer);
      bool isWhole = !range.part &&
                     range.bytes == plan::getMemRefBytes(cast<MemRefType>(
                                        range.buffer.getResult().getType()));
      Infinities &held = memory[range.buffer];
      held = isWhole ? infinities : held | infinities;
    }
    if (isFinal) {
      visit(op, written);
    }
  }

  SymbolTable symbols;
  Visit visit;
  Memory memory; ///< what each buffer holds, at this place of the program
};

} // namespace

void accel::findInfinities(
    func::FuncOp function,
    llvm::function_ref<void(plan::InstructionOpInterface, ArrayRef<Infinities>)>
        visit) {
  FunctionFlow(function, visit)
      .followBlock(function.getBody().front(), /*isFinal=*/true);
}
