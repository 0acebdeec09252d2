// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Squares of four bytes by four, or of two halves by two, are turned by
// themselves and change places: half an instruction for a byte.
#include "passes/Lower/Cuda/WordBlock.h"

#include "passes/Lower/Arithmetic.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace accel;

namespace {

/// prmt.b32: the bytes of two words, of which a selector names one for each
/// byte of the result, the lowest in its lowest four bits: 0 to 3 are bytes of
/// `low`, 4 to 7 of `high`.
class Permuter {
public:
  Permuter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value permute(Value low, Value high, int64_t selector) const {
    Type word = builder.getI32Type();
    Value bytes = Arithmetic(builder, loc, word).integer(selector);
    return LLVM::CallIntrinsicOp::create(
               builder, loc, word, builder.getStringAttr("llvm.nvvm.prmt"),
               ValueRange{low, high, bytes})
        .getResult(0);
  }
  /// The low halves of both, and the high halves.
  Value lowHalves(Value low, Value high) const {
    return permute(low, high, 0x5410);
  }
  Value highHalves(Value low, Value high) const {
    return permute(low, high, 0x7632);
  }

  /// Two rows of two halves.
  SmallVector<Value> turnHalves(ArrayRef<Value> rows) const {
    return {lowHalves(rows[0], rows[1]), highHalves(rows[0], rows[1])};
  }
  /// Four rows of four bytes: first pairs of rows, a0 b0 a1 b1 and a2 b2 a3 b3.
  SmallVector<Value> turnBytes(ArrayRef<Value> rows) const {
    constexpr int64_t kFirst = 0x5140, kLast = 0x7362;
    Value first[] = {permute(rows[0], rows[1], kFirst),
                     permute(rows[2], rows[3], kFirst)};
    Value last[] = {permute(rows[0], rows[1], kLast),
                    permute(rows[2], rows[3], kLast)};
    return {lowHalves(first[0], first[1]), highHalves(first[0], first[1]),
            lowHalves(last[0], last[1]), highHalves(last[0], last[1])};
  }

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace

WordBlock WordBlock::transposed(OpBuilder &builder, Location loc) const {
  Permuter permuter(builder, loc);
  // A square has one word of each of so many rows, or an element of one row.
  size_t side = std::max<int64_t>(kWordBytes / elementBytes, 1);
  size_t width = std::max<int64_t>(elementBytes / kWordBytes, 1);
  WordBlock result(elementBytes);
  for (size_t word = 0; word < rows.front().size(); word += width) {
    SmallVector<Words> turned(side);
    for (size_t row = 0; row < rows.size(); row += side) {
      if (side == 1) {
        llvm::append_range(turned[0], ArrayRef(rows[row]).slice(word, width));
        continue;
      }
      SmallVector<Value> square =
          llvm::map_to_vector(ArrayRef(rows).slice(row, side),
                              [&](const Words &words) { return words[word]; });
      square =
          side == 4 ? permuter.turnBytes(square) : permuter.turnHalves(square);
      for (auto [words, each] : llvm::zip_equal(turned, square)) {
        words.push_back(each);
      }
    }
    llvm::for_each(turned, [&](Words &words) { result.addRow(words); });
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static constexpr int64_t kWordBytes = WordBlock::kWordBytes;

/// Elements in so many bytes of `buffer`.
static VectorType elementsOf(Value buffer, int64_t bytes) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return VectorType::get(bytes * 8 / element.getIntOrFloatBitWidth(), element);
}

/// Those bytes as integers.
static VectorType integersOf(OpBuilder &builder, int64_t bytes) {
  int64_t width = std::min(bytes, kWordBytes);
  return VectorType::get(bytes / width, builder.getIntegerType(8 * width));
}

WordBlock::Words accel::loadWords(OpBuilder &builder, Location loc,
                                  Value buffer, Value at, int64_t bytes) {
  Arithmetic arithmetic(builder, loc, builder.getI32Type());
  Value loaded = vector::LoadOp::create(
      builder, loc, elementsOf(buffer, bytes), buffer, ValueRange{at},
      /*nontemporal=*/false, llvm::MaybeAlign(bytes));
  VectorType integers = integersOf(builder, bytes);
  loaded = vector::BitCastOp::create(builder, loc, integers, loaded);
  WordBlock::Words words;
  for (int64_t i = 0; i < integers.getNumElements(); ++i) {
    Value each = vector::ExtractOp::create(builder, loc, loaded, i);
    words.push_back(bytes < kWordBytes ? arithmetic.zeroExtend(each) : each);
  }
  return words;
}

void accel::storeWords(OpBuilder &builder, Location loc, ArrayRef<Value> words,
                       Value buffer, Value at, int64_t bytes) {
  VectorType integers = integersOf(builder, bytes);
  Arithmetic narrow(builder, loc, integers.getElementType());
  auto parts = llvm::map_to_vector(words, [&](Value word) {
    return bytes < kWordBytes ? narrow.truncate(word) : word;
  });
  Value stored = vector::FromElementsOp::create(builder, loc, integers, parts);
  stored = vector::BitCastOp::create(builder, loc, elementsOf(buffer, bytes),
                                     stored);
  vector::StoreOp::create(builder, loc, stored, buffer, ValueRange{at},
                          /*nontemporal=*/false, llvm::MaybeAlign(bytes));
}
