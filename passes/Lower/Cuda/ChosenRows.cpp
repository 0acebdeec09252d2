// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 32 threads look at 32 indices and vote; the rows that they find are dealt out
// one by one, so that thread t keeps the t-th. All threads do the same:
//
//   until all indices have been seen and all rows taken:
//     until `most` rows are taken, or all are:
//       if no bit is left: the bits of the next 32 indices
//       if one is: its row is the next thread's
//     body
#include "passes/Lower/Cuda/ChosenRows.h"

#include "passes/Lower/Arithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace accel;

Value FoundRows::getRow(Value place) const {
  Value row = WarpOps(builder, loc).readFrom(own, place);
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      row);
}

ChosenRows::ChosenRows(KernelEmitter &emitter, Value indices, int64_t first)
    : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()),
      arithmetic(builder, loc), ops(builder, loc), indices(indices),
      first(first) {
  for (Value *number : {&next, &base, &count}) {
    *number = emitter.allocate(builder.getIndexType(), {});
  }
  for (Value *number : {&left, &own}) {
    *number = emitter.allocate(builder.getI32Type(), {});
  }
}

void ChosenRows::loop(llvm::function_ref<Value()> condition,
                      llvm::function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  builder.createBlock(&loop.getBefore());
  scf::ConditionOp::create(builder, loc, condition(), ValueRange());
  Block *inside = builder.createBlock(&loop.getAfter());
  scf::YieldOp::create(builder, loc);
  builder.setInsertionPointToStart(inside);
  body();
}

/// Whether an index has not been seen, or a row not been taken.
Value ChosenRows::hasMore(Value end) const {
  Arithmetic words(builder, loc, builder.getI32Type());
  Value none = words.isZero(emitter.getNumber(left));
  return arith::OrIOp::create(builder, loc,
                              arithmetic.isLess(emitter.getNumber(next), end),
                              arithmetic.isNot(none));
}

Value ChosenRows::getIndex(Value row) const {
  Value index = memref::LoadOp::create(builder, loc, indices,
                                       ValueRange{arithmetic.add(row, first)});
  return arithmetic.cast(index, builder.getIndexType());
}

/// The next 32 indices.
void ChosenRows::look(Value matrix, Value end) {
  Value start = emitter.getNumber(next);
  Value row = arithmetic.add(start, ops.threadIndex());
  Value there = arithmetic.min(row, arithmetic.sub(end, arithmetic.index(1)));
  Value isChosen = arithmetic.both(arithmetic.isBelow(row, end),
                                   arithmetic.isEqual(getIndex(there), matrix));
  emitter.setNumber(left, ops.ballot(isChosen));
  emitter.setNumber(base, start);
  emitter.setNumber(next, arithmetic.add(start, kWarpThreads));
}

/// The first row that is left.
void ChosenRows::take() {
  Arithmetic words(builder, loc, builder.getI32Type());
  Value bits = emitter.getNumber(left), place = emitter.getNumber(count);
  Value bit = math::CountTrailingZerosOp::create(builder, loc, bits);
  emitter.setNumber(left,
                    words.andBits(bits, words.sub(bits, words.integer(1))));
  Value row = words.add(
      arithmetic.cast(emitter.getNumber(base), builder.getI32Type()), bit);
  emitter.setNumber(own,
                    words.select(arithmetic.isEqual(ops.threadIndex(), place),
                                 row, emitter.getNumber(own)));
  emitter.setNumber(count, arithmetic.add(place, 1));
}

void ChosenRows::forEach(Value matrix, Value begin, Value end, int64_t most,
                         llvm::function_ref<void(const FoundRows &)> body) {
  Arithmetic words(builder, loc, builder.getI32Type());
  Value zero = arithmetic.index(0);
  emitter.setNumber(next, begin);
  emitter.setNumber(left, words.integer(0));
  loop([&] { return hasMore(end); },
       [&] {
         emitter.setNumber(count, zero);
         emitter.setNumber(own, arithmetic.cast(begin, builder.getI32Type()));
         auto isOpen = [&] {
           Value hasRoom = arithmetic.isLess(emitter.getNumber(count),
                                             arithmetic.index(most));
           return arithmetic.both(hasRoom, hasMore(end));
         };
         loop(isOpen, [&] {
           emitter.onlyIf(words.isZero(emitter.getNumber(left)),
                          [&] { look(matrix, end); });
           emitter.onlyIf(
               arithmetic.isNot(words.isZero(emitter.getNumber(left))),
               [&] { take(); });
         });
         Value found = emitter.getNumber(count);
         emitter.onlyIf(arithmetic.isLess(zero, found), [&] {
           body(FoundRows(builder, loc, emitter.getNumber(own), found));
         });
       });
}
