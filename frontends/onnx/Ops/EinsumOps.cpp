// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of Einsum: operand by operand, each step a product of matrices. Of
// two operands, letters of both that are still wanted count products, those
// that are not are summed by the product, and letters of one alone are rows or
// columns.
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// A value with a letter for each dimension.
struct Lettered {
  Value value;
  std::string letters;
};

/// Dimensions that the ellipsis stands for get letters of their own.
constexpr char firstUnnamed = '0';

class Einsum {
public:
  explicit Einsum(NodeConversion &c) : c(c) {}

  FailureOr<Value> run() {
    std::string equation;
    llvm::copy_if(c.getString("equation", ""), std::back_inserter(equation),
                  [](char each) { return each != ' '; });
    if (failed(parse(equation))) {
      return failure();
    }
    Lettered result = operands.front();
    for (size_t i = 1; i < operands.size(); ++i) {
      std::string wanted = output;
      for (const Lettered &other : llvm::drop_begin(operands, i + 1)) {
        wanted += other.letters;
      }
      result = multiply(result, operands[i], wanted);
    }
    result = sumOthers(result, output);
    return order(result, output);
  }

private:
  LogicalResult parse(StringRef equation);
  FailureOr<std::string> nameDimensions(StringRef term, int64_t rank);
  Lettered takeDiagonals(Lettered operand);
  Lettered multiply(const Lettered &left, const Lettered &right,
                    StringRef wanted);
  Lettered sumOthers(const Lettered &operand, StringRef wanted);
  Value order(const Lettered &operand, StringRef letters);
  Value arrange(const Lettered &operand, ArrayRef<StringRef> groups);
  int64_t count(StringRef letters) const {
    int64_t elements = 1;
    for (char letter : letters) {
      elements *= sizes.lookup(letter);
    }
    return elements;
  }

  NodeConversion &c;
  SmallVector<Lettered> operands;
  std::string output, unnamed;
  llvm::DenseMap<char, int64_t> sizes;
};

/// The letters of an operand, the ellipsis spelt out.
FailureOr<std::string> Einsum::nameDimensions(StringRef term, int64_t rank) {
  auto [before, after] = term.split("...");
  bool hasEllipsis = term.contains("...");
  std::string letters = before.str();
  int64_t others = rank - static_cast<int64_t>(before.size() + after.size());
  if (others < 0 || others > 9 || (!hasEllipsis && others > 0)) {
    return c.error() << "expected a letter for each of " << rank
                     << " dimensions, got '" << term << "'";
  }
  // Aligned at the last one, as they broadcast.
  std::string middle;
  for (int64_t i = 0; i < others; ++i) {
    middle += static_cast<char>(firstUnnamed + others - 1 - i);
  }
  if (middle.size() > unnamed.size()) {
    unnamed = middle;
  }
  letters += middle + after.str();
  for (char letter : letters) {
    bool isName =
        llvm::isAlpha(letter) || middle.find(letter) != StringRef::npos;
    if (!isName) {
      return c.error() << "expected letters and '...' in a term, got '" << term
                       << "'";
    }
  }
  return letters;
}

/// A letter that a term has twice walks along both dimensions at once.
Lettered Einsum::takeDiagonals(Lettered operand) {
  std::string &letters = operand.letters;
  for (size_t first = 0; first < letters.size(); ++first) {
    size_t second;
    while ((second = letters.find(letters[first], first + 1)) !=
           std::string::npos) {
      // (..., n, n) of which one row has every (n + 1)th element.
      auto rank = static_cast<int64_t>(letters.size());
      SmallVector<int64_t> order;
      for (int64_t dim = 0; dim < rank; ++dim) {
        if (dim != int64_t(first) && dim != int64_t(second)) {
          order.push_back(dim);
        }
      }
      order.append({int64_t(first), int64_t(second)});
      std::string moved;
      for (int64_t dim : llvm::drop_end(order)) {
        moved += letters[dim];
      }
      Value value = c.transpose(operand.value, order);
      SmallVector<int64_t> shape(c.typeOf(value).getShape());
      int64_t size = shape.pop_back_val();
      shape.back() = size * size;
      SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
      Value flat = c.reshape(value, shape);
      shape.back() = size;
      strides.back() = size + 1;
      operand.value = c.slice(flat, offsets, shape, strides);
      letters = moved;
      first = 0;
    }
  }
  return operand;
}

LogicalResult Einsum::parse(StringRef equation) {
  auto [left, right] = equation.split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != c.inputCount()) {
    return c.error() << "expected a term for each of " << c.inputCount()
                     << " operands, got '" << equation << "'";
  }
  for (auto [i, term] : llvm::enumerate(terms)) {
    RankedTensorType type = c.inputType(i);
    FailureOr<std::string> letters = nameDimensions(term, type.getRank());
    if (failed(letters)) {
      return failure();
    }
    for (auto [letter, size] : llvm::zip_equal(*letters, type.getShape())) {
      auto [known, isNew] = sizes.try_emplace(letter, size);
      if (!isNew && known->second != size) {
        return c.error() << "expected one size for '" << letter << "', got "
                         << known->second << " and " << size;
      }
    }
    operands.push_back(takeDiagonals({c.input(i), *letters}));
  }
  if (equation.contains("->")) {
    auto [before, after] = right.split("...");
    output = before.str() +
             (right.contains("...") ? unnamed + after.str() : std::string());
  } else {
    output = unnamed;
    std::string all = left.str();
    llvm::sort(all);
    llvm::copy_if(all, std::back_inserter(output), [&](char letter) {
      return llvm::isAlpha(letter) && llvm::count(all, letter) == 1;
    });
  }
  for (char letter : output) {
    if (!sizes.count(letter) || llvm::count(output, letter) != 1) {
      return c.error() << "expected letters of the operands, each once, in the "
                          "result, got '"
                       << equation << "'";
    }
  }
  return success();
}

Value Einsum::order(const Lettered &operand, StringRef letters) {
  SmallVector<int64_t> permutation;
  for (char letter : letters) {
    permutation.push_back(static_cast<int64_t>(operand.letters.find(letter)));
  }
  return c.transpose(operand.value, permutation);
}

/// One dimension for each group of letters, which are all of the operand's.
Value Einsum::arrange(const Lettered &operand, ArrayRef<StringRef> groups) {
  std::string letters;
  SmallVector<int64_t> shape;
  for (StringRef group : groups) {
    letters += group.str();
    shape.push_back(count(group));
  }
  return c.reshape(order(operand, letters), shape);
}

Lettered Einsum::sumOthers(const Lettered &operand, StringRef wanted) {
  Lettered kept;
  SmallVector<int64_t> axes, shape;
  for (auto [i, letter] : llvm::enumerate(operand.letters)) {
    if (wanted.contains(letter)) {
      kept.letters += letter;
      shape.push_back(sizes.lookup(letter));
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  kept.value = axes.empty()
                   ? operand.value
                   : ReduceSumOp::create(c.builder, c.loc,
                                         c.typeOf(operand.value).clone(shape),
                                         operand.value, axes)
                         .getResult();
  return kept;
}

Lettered Einsum::multiply(const Lettered &left, const Lettered &right,
                          StringRef wanted) {
  Lettered a = sumOthers(left, wanted.str() + right.letters),
           b = sumOthers(right, wanted.str() + left.letters);
  std::string both, summed, rows, columns;
  for (char letter : a.letters) {
    bool isShared = b.letters.find(letter) != std::string::npos;
    (!isShared ? rows : wanted.contains(letter) ? both : summed) += letter;
  }
  llvm::copy_if(b.letters, std::back_inserter(columns), [&](char letter) {
    return a.letters.find(letter) == std::string::npos;
  });
  SmallVector<StringRef> leftGroups{both, rows, summed},
      rightGroups{both, summed, columns};
  SmallVector<int64_t> matrices{count(both), count(rows), count(columns)};
  if (both.empty()) {
    leftGroups.erase(leftGroups.begin());
    rightGroups.erase(rightGroups.begin());
    matrices.erase(matrices.begin());
  }
  Value product =
      MatmulOp::create(c.builder, c.loc, c.typeOf(left.value).clone(matrices),
                       arrange(a, leftGroups), arrange(b, rightGroups),
                       /*transposeLhs=*/false, /*transposeRhs=*/false);
  Lettered result{product, both + rows + columns};
  SmallVector<int64_t> shape;
  for (char letter : result.letters) {
    shape.push_back(sizes.lookup(letter));
  }
  result.value = c.reshape(product, shape);
  return result;
}

} // namespace

LogicalResult convertEinsum(NodeConversion &c) {
  for (size_t i = 0; i < c.inputCount(); ++i) {
    if (!isa<FloatType>(c.inputType(i).getElementType())) {
      return c.error() << "expected floats, got " << c.inputType(i);
    }
  }
  FailureOr<Value> result = Einsum(c).run();
  if (failed(result)) {
    return failure();
  }
  c.setResult(0, *result);
  return success();
}

} // namespace accel::onnx
