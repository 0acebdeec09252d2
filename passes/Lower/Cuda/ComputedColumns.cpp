// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements are computed one by one, as scalars; what they are computed of is
// loaded several at a time, and they are stored so.
#include "passes/Lower/Cuda/ComputedColumns.h"

#include "passes/Analysis/KernelOperands.h"
#include "passes/Lower/Conversions.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

namespace {

class ComputedColumns {
public:
  ComputedColumns(KernelEmitter &emitter, const TransposeTiles &tiles,
                  ArrayRef<int64_t> alignments)
      : emitter(emitter), builder(emitter.getBuilder()), loc(emitter.getLoc()),
        tiles(tiles), alignments(alignments) {}

  WordBlock emit(ArrayRef<Value> firsts);

private:
  using Values = SmallVector<Value>;

  /// How many elements of operand or result `number`, of `type`, an access has.
  int64_t getAccess(unsigned number, Type type) const;
  void load(BlockArgument argument, AffineExpr first);
  /// The elements of `result` as memory has them; empty after an error.
  Values compute(Value result, AffineExpr first);
  void store(unsigned result, AffineExpr first, ArrayRef<Value> elements);
  Values getWords(ArrayRef<Value> elements);

  KernelEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  const TransposeTiles &tiles;
  ArrayRef<int64_t> alignments;
};

} // namespace

/// Places are multiples of a block's rows.
int64_t ComputedColumns::getAccess(unsigned number, Type type) const {
  int64_t bytes = getStoredBytes(cast<RankedTensorType>(type).getElementType());
  int64_t known = alignments.empty() ? 1 : alignments[number];
  return llvm::MinAlign(std::max(known, bytes), tiles.blockRows * bytes) /
         bytes;
}

/// Makes the elements known as scalars: whoever reads them finds them there.
void ComputedColumns::load(BlockArgument argument, AffineExpr first) {
  Value buffer = emitter.getBuffer(argument);
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  Type element = elementTypeOf(argument);
  int64_t each = getAccess(argument.getArgNumber(), argument.getType());
  int64_t bytes = each * getStoredBytes(element);
  for (int64_t i = 0; i < tiles.blockRows; i += each) {
    Value loaded = vector::LoadOp::create(
        builder, loc, VectorType::get(each, stored), buffer,
        ValueRange{emitter.materialize(first + i)}, /*nontemporal=*/false,
        llvm::MaybeAlign(bytes));
    for (int64_t j = 0; j < each; ++j) {
      Value scalar = vector::ExtractOp::create(builder, loc, loaded, j);
      emitter.setScalar(argument, first + (i + j),
                        fromStorage(builder, loc, scalar, element));
    }
  }
}

ComputedColumns::Values ComputedColumns::compute(Value result,
                                                 AffineExpr first) {
  Values elements;
  for (int64_t i = 0; i < tiles.blockRows; ++i) {
    Value element = emitter.scalarAt(result, first + i);
    if (!element) {
      return {};
    }
    elements.push_back(toStorage(builder, loc, element));
  }
  return elements;
}

void ComputedColumns::store(unsigned result, AffineExpr first,
                            ArrayRef<Value> elements) {
  func::FuncOp kernel = emitter.getKernel();
  Type type = kernel.getResultTypes()[result];
  int64_t each = getAccess(kernel.getNumArguments() + result, type);
  auto vector = VectorType::get(each, elements.front().getType());
  int64_t bytes =
      each * getStoredBytes(cast<RankedTensorType>(type).getElementType());
  for (int64_t i = 0; i < tiles.blockRows; i += each) {
    Value stored = vector::FromElementsOp::create(builder, loc, vector,
                                                  elements.slice(i, each));
    vector::StoreOp::create(builder, loc, stored,
                            emitter.getResultBuffer(result),
                            ValueRange{emitter.materialize(first + i)},
                            /*nontemporal=*/false, llvm::MaybeAlign(bytes));
  }
}

ComputedColumns::Values ComputedColumns::getWords(ArrayRef<Value> elements) {
  auto vector = VectorType::get(elements.size(), elements.front().getType());
  Value all = vector::FromElementsOp::create(builder, loc, vector, elements);
  int64_t count = tiles.blockRows * tiles.elementBytes / WordBlock::kWordBytes;
  all = vector::BitCastOp::create(
      builder, loc, VectorType::get(count, builder.getI32Type()), all);
  Values words;
  for (int64_t i = 0; i < count; ++i) {
    words.push_back(vector::ExtractOp::create(builder, loc, all, i));
  }
  return words;
}

WordBlock ComputedColumns::emit(ArrayRef<Value> firsts) {
  struct Stored {
    unsigned result;
    AffineExpr first;
    Values elements;
  };
  int64_t all = emitter.getDomain().elements;
  SmallVector<AffineExpr> places = llvm::map_to_vector(
      firsts, [&](Value first) { return emitter.dimension(first); });
  for (AffineExpr first : places) {
    for (BlockArgument argument : emitter.getKernel().getArguments()) {
      if (getNumElements(argument) == all) {
        load(argument, first);
      }
    }
  }
  WordBlock columns(tiles.elementBytes);
  SmallVector<Stored> stores;
  for (AffineExpr first : places) {
    for (auto [i, result] : llvm::enumerate(emitter.getResults())) {
      if (i == tiles.turned->number) {
        continue;
      }
      Values elements = compute(result, first);
      if (elements.empty()) {
        return columns;
      }
      if (i == tiles.turned->source) {
        columns.addRow(getWords(elements));
      }
      stores.push_back({unsigned(i), first, elements});
    }
  }
  for (const Stored &each : stores) {
    store(each.result, each.first, each.elements);
  }
  return columns;
}

WordBlock accel::emitComputedColumns(KernelEmitter &emitter,
                                     const TransposeTiles &tiles,
                                     ArrayRef<Value> firsts,
                                     ArrayRef<int64_t> alignments) {
  return ComputedColumns(emitter, tiles, alignments).emit(firsts);
}
