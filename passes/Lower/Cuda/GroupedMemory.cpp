// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of elements, whose alignment is what is known of the buffer and what
// divides the place.
#include "passes/Lower/Cuda/GroupedMemory.h"

#include "passes/Analysis/OperandAlignment.h"
#include "passes/Lower/Arithmetic.h"
#include "passes/Lower/Conversions.h"
#include "passes/Lower/Cuda/WordBlock.h"
#include "passes/Lower/IndexArithmetic.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace accel;

GroupedMemory::GroupedMemory(OpBuilder &builder, Location loc, Value buffer,
                             int64_t first, Type element, int64_t alignment)
    : builder(builder), loc(loc), buffer(buffer), first(first),
      element(element), bytes(element.getIntOrFloatBitWidth() / 8),
      alignment(llvm::MinAlign(std::max(alignment, bytes), first * bytes)) {}

/// Of one access, a power of two that divides `count`.
int64_t GroupedMemory::accessElements(int64_t count, int64_t step) const {
  int64_t known = std::min<int64_t>(llvm::MinAlign(alignment, step * bytes),
                                    kLongestAccess);
  return std::min<int64_t>(known / bytes, llvm::MinAlign(count, count));
}

Value GroupedMemory::placeOf(Value at, int64_t further) const {
  return IndexArithmetic(builder, loc).add(at, first + further);
}

GroupedMemory::Values GroupedMemory::loadStored(Value at, int64_t count,
                                                int64_t step) const {
  int64_t each = accessElements(count, step);
  auto type = VectorType::get(
      each, cast<MemRefType>(buffer.getType()).getElementType());
  Values all;
  for (int64_t i = 0; i < count; i += each) {
    Value loaded = vector::LoadOp::create(
        builder, loc, type, buffer, ValueRange{placeOf(at, i)},
        /*nontemporal=*/false, llvm::MaybeAlign(each * bytes));
    for (int64_t j = 0; j < each; ++j) {
      all.push_back(vector::ExtractOp::create(builder, loc, loaded, j));
    }
  }
  return all;
}

/// Unlike a memref.store, which one thread of the warp does for all of them.
void GroupedMemory::storeStored(ArrayRef<Value> stored, Value at,
                                int64_t step) const {
  int64_t count = stored.size(), each = accessElements(count, step);
  auto type = VectorType::get(each, stored.front().getType());
  for (int64_t i = 0; i < count; i += each) {
    Value vector = vector::FromElementsOp::create(builder, loc, type,
                                                  stored.slice(i, each));
    vector::StoreOp::create(builder, loc, vector, buffer,
                            ValueRange{placeOf(at, i)}, /*nontemporal=*/false,
                            llvm::MaybeAlign(each * bytes));
  }
}

GroupedMemory::Values GroupedMemory::load(Value at, int64_t count,
                                          int64_t step) const {
  Values numbers = loadStored(at, count, step);
  for (Value &each : numbers) {
    each =
        emitElementCast(builder, loc, fromStorage(builder, loc, each, element),
                        element, builder.getF32Type(), /*saturates=*/false);
  }
  return numbers;
}

void GroupedMemory::store(ArrayRef<Value> numbers, Value at,
                          int64_t step) const {
  Values stored = llvm::map_to_vector(numbers, [&](Value number) {
    return toStorage(builder, loc,
                     emitElementCast(builder, loc, number, builder.getF32Type(),
                                     element,
                                     /*saturates=*/false));
  });
  storeStored(stored, at, step);
}

/// Of an access to words: those of `count` words, or a half of one.
int64_t GroupedMemory::accessBytes(int64_t count, int64_t step) const {
  return accessElements(2 * count, step) * bytes;
}

GroupedMemory::Values GroupedMemory::loadWords(Value at, int64_t count,
                                               int64_t step) const {
  int64_t access = accessBytes(count, step);
  Values all;
  for (int64_t i = 0; i < 2 * count; i += access / bytes) {
    llvm::append_range(
        all, accel::loadWords(builder, loc, buffer, placeOf(at, i), access));
  }
  if (access >= WordBlock::kWordBytes) {
    return all;
  }
  Arithmetic words(builder, loc, builder.getI32Type());
  for (int64_t i = 0; i < count; ++i) {
    all[i] = words.orBits(all[2 * i], words.shiftLeft(all[2 * i + 1], 16));
  }
  all.truncate(count);
  return all;
}

void GroupedMemory::storeWords(ArrayRef<Value> words, Value at,
                               int64_t step) const {
  int64_t access = accessBytes(words.size(), step);
  Values all(words);
  if (access < WordBlock::kWordBytes) {
    Arithmetic wide(builder, loc, builder.getI32Type());
    all.clear();
    for (Value word : words) {
      all.append({word, wide.shiftRightLogical(word, 16)});
    }
  }
  int64_t each = std::max<int64_t>(access / WordBlock::kWordBytes, 1);
  for (int64_t i = 0; i < std::ssize(all); i += each) {
    accel::storeWords(builder, loc, ArrayRef(all).slice(i, each), buffer,
                      placeOf(at, i / each * access / bytes), access);
  }
}
