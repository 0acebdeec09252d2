// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bf16 give the bits that their definition gives, whatever bits the
// operands are: pairs of the summed index, the odd element first, each an FMA
// of f32 that reads and makes no subnormal number; one NaN for all. Products of
// 8 bits give those of the numbers of bf16 that their operands are, times the
// scales of their blocks if they have any.
#include "test/passes/lower/KernelCases.h"
#include "test/passes/lower/KernelRun.h"

#include "dialects/Accel/IR/AccelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;

namespace accel::test {
namespace {

struct Size {
  int64_t rows, columns, depth, block;
  bool transposeLhs, transposeRhs;
};

/// Which bits operands have.
enum class Bits { Any, Tiny, Usual };

float asFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float number;
  memcpy(&number, &wide, sizeof number);
  return number;
}

uint32_t bitsOf(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

std::vector<uint16_t> makeOperand(int64_t size, Bits kind, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint16_t> operand(size);
  for (uint16_t &bits : operand) {
    auto any = static_cast<uint16_t>(random());
    uint16_t mantissaAndSign = any & 0x807F;
    // Exponents so small that products and sums are subnormal at times.
    uint16_t tiny = mantissaAndSign | (random() % 70) << 7;
    uint16_t usual = mantissaAndSign | (120 + random() % 12) << 7;
    bits = kind == Bits::Any ? any : kind == Bits::Tiny ? tiny : usual;
  }
  return operand;
}

/// The definition, in the order that docs/kernels.md gives.
class Reference {
public:
  Reference(const Size &size, const std::vector<uint16_t> &lhs,
            const std::vector<uint16_t> &rhs)
      : size(size), lhs(lhs), rhs(rhs) {}

  float sum(int64_t row, int64_t column) const {
    float total = 0.0F;
    for (int64_t first = 0; first < size.depth; first += size.block) {
      int64_t last = std::min(first + size.block, size.depth);
      volatile float before = first == 0 ? 0.0F : total;
      total = before + sumBlock(row, column, first, last);
      total = std::isnan(total) ? std::nanf("") : total;
    }
    return total;
  }

private:
  float sumBlock(int64_t row, int64_t column, int64_t first,
                 int64_t last) const {
    float sum = 0.0F;
    for (int64_t k = first; k < last; k += 2) {
      bool hasOdd = k + 1 < last;
      sum = std::fma(hasOdd ? left(row, k + 1) : 0.0F,
                     hasOdd ? right(k + 1, column) : 0.0F, sum);
      sum = std::fma(left(row, k), right(k, column), sum);
    }
    return sum;
  }

  float left(int64_t row, int64_t k) const {
    return asFloat(
        lhs[size.transposeLhs ? k * size.rows + row : row * size.depth + k]);
  }
  float right(int64_t k, int64_t column) const {
    return asFloat(rhs[size.transposeRhs ? column * size.depth + k
                                         : k * size.columns + column]);
  }

  const Size &size;
  const std::vector<uint16_t> &lhs, &rhs;
};

/// `per`: of the summed index, with a scale; 0: there are none.
std::string makeText(const Size &s, const std::string &lhsType,
                     const std::string &rhsType, int64_t per) {
  auto matrix = [](int64_t rows, int64_t columns, const std::string &type,
                   bool isTransposed) {
    return isTransposed ? tensorOf({columns, rows}, type)
                        : tensorOf({rows, columns}, type);
  };
  std::string lhs = matrix(s.rows, s.depth, lhsType, s.transposeLhs);
  std::string rhs = matrix(s.depth, s.columns, rhsType, s.transposeRhs);
  std::string result = tensorOf({s.rows, s.columns}, "f32");
  std::string flags = s.transposeLhs ? "transpose_lhs" : "";
  flags += s.transposeLhs && s.transposeRhs ? ", " : "";
  flags += s.transposeRhs ? "transpose_rhs" : "";
  std::string scales, scaled;
  if (per > 0) {
    int64_t blocks = alignUp(s.depth, per) / per;
    std::string ofLhs = matrix(s.rows, blocks, "f8E8M0FNU", s.transposeLhs);
    std::string ofRhs = matrix(blocks, s.columns, "f8E8M0FNU", s.transposeRhs);
    scales = ", %s: " + ofLhs + ", %t: " + ofRhs;
    scaled =
        " scaled by(%s, %t : " + ofLhs + ", " + ofRhs + ") per " + text(per);
  }
  return "func.func @k(%a: " + lhs + ", %b: " + rhs + scales + ") -> " +
         result +
         " attributes {plan.kernel = {kind = \"product\", elements = " +
         text(s.rows * s.columns) + " : i64, rows = " + text(s.rows) +
         " : i64, columns = " + text(s.columns) +
         " : i64, block = " + text(s.block) + " : i64}} {\n" +
         "  %c = accel.matmul %a, %b" + scaled + " {" + flags + "} : " + lhs +
         ", " + rhs + " -> " + result + "\n  return %c : " + result + "\n}\n";
}

/// An operand as a kernel reads it, and the numbers of bf16 that it has.
struct Operand {
  std::string type;
  const void *data;
  const std::vector<uint16_t> &numbers;
  const void *scales = nullptr; ///< of its blocks
};

/// Compares all variants that run here with the definition.
void checkProduct(const Size &size, const Operand &lhs, const Operand &rhs,
                  int64_t per = 0) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<AccelDialect, plan::PlanDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(
      makeText(size, lhs.type, rhs.type, per), &context);
  ASSERT_TRUE(module);
  auto kernel = module->lookupSymbol<func::FuncOp>("k");
  assignGeometry(kernel);
  std::vector<CodeVariant> variants;
  llvm::copy_if(getCpuVariants(), std::back_inserter(variants), canRun);
  ASSERT_FALSE(variants.empty());
  FailureOr<LoweredCode> lowered = lowerKernels(*module, variants);
  ASSERT_TRUE(succeeded(lowered));

  FlushedSubnormals flush(kernel);
  Reference reference(size, lhs.numbers, rhs.numbers);
  for (const VariantCode &variant : lowered->variants) {
    SCOPED_TRACE(variant.variant.name);
    MappedImage image(variant.image);
    auto code = cast<plan::CodeAttr>(
        kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr)
            .get(variant.variant.name));
    std::vector<float> result(size.rows * size.columns, -1.0F);
    std::unique_ptr<GuardedBuffer> workspace = makeWorkspace(kernel);
    std::vector<void *> buffers;
    for (const void *data : {lhs.data, rhs.data, lhs.scales, rhs.scales}) {
      if (data) {
        buffers.push_back(const_cast<void *>(data));
      }
    }
    buffers.insert(buffers.end(), {result.data(), workspace->data()});
    for (auto [begin, end] : splitTiles(code.getTiles(), 5)) {
      image.getFunction(variant.image.entries[0])(buffers.data(), begin, end);
    }
    int64_t different = 0;
    for (int64_t row = 0; row < size.rows; ++row) {
      for (int64_t column = 0; column < size.columns; ++column) {
        uint32_t expected = bitsOf(reference.sum(row, column));
        uint32_t got = bitsOf(result[row * size.columns + column]);
        if (expected != got && ++different < 4) {
          ADD_FAILURE() << std::hex << "at " << row << ", " << column
                        << ": expected " << expected << ", got " << got;
        }
      }
    }
    EXPECT_EQ(different, 0);
  }
}

class Bf16ProductTest : public testing::TestWithParam<std::tuple<Size, Bits>> {
};

TEST_P(Bf16ProductTest, HasTheBitsOfItsDefinition) {
  auto [size, kind] = GetParam();
  std::vector<uint16_t> lhs = makeOperand(size.rows * size.depth, kind, 1);
  std::vector<uint16_t> rhs = makeOperand(size.depth * size.columns, kind, 2);
  checkProduct(size, {"bf16", lhs.data(), lhs}, {"bf16", rhs.data(), rhs});
}

/// Random bytes, and what LLVM says that they are in bf16.
class ByteOperand {
public:
  ByteOperand(std::string type, int64_t size, unsigned seed)
      : type(std::move(type)) {
    const llvm::fltSemantics &format = this->type == "f8E4M3FN"
                                           ? llvm::APFloat::Float8E4M3FN()
                                           : llvm::APFloat::Float8E5M2();
    std::mt19937 random(seed);
    for (int64_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<uint8_t>(random()));
      llvm::APFloat number(format, llvm::APInt(8, bytes.back()));
      bool isInexact = false;
      number.convert(llvm::APFloat::BFloat(),
                     llvm::APFloat::rmNearestTiesToEven, &isInexact);
      EXPECT_FALSE(isInexact);
      numbers.push_back(number.bitcastToAPInt().getZExtValue());
    }
  }

  /// Gives `per` neighbours of the summed index, of which there are `depth`, a
  /// scale: a power of two with which they stay normal numbers. `isSummedLast`:
  /// they are neighbours in memory.
  void scale(int64_t depth, int64_t per, bool isSummedLast, unsigned seed) {
    auto size = static_cast<int64_t>(numbers.size());
    int64_t vectors = size / depth;
    int64_t blocks = alignUp(depth, per) / per;
    std::mt19937 random(seed);
    for (int64_t i = 0; i < vectors * blocks; ++i) {
      scales.push_back(static_cast<uint8_t>(127 - 90 + random() % 180));
    }
    for (int64_t i = 0; i < size; ++i) {
      int64_t vector = isSummedLast ? i / depth : i % vectors;
      int64_t block = (isSummedLast ? i % depth : i / vectors) / per;
      uint8_t exponent = scales[isSummedLast ? vector * blocks + block
                                             : block * vectors + vector];
      float scaled = std::ldexp(asFloat(numbers[i]), exponent - 127);
      if (!std::isnan(scaled)) {
        EXPECT_EQ(bitsOf(scaled) & 0xFFFF, 0U);
        numbers[i] = static_cast<uint16_t>(bitsOf(scaled) >> 16);
      }
    }
  }

  Operand get() const {
    return {type, bytes.data(), numbers,
            scales.empty() ? nullptr : scales.data()};
  }

private:
  std::string type;
  std::vector<uint8_t> bytes, scales;
  std::vector<uint16_t> numbers;
};

class Fp8ProductTest : public testing::TestWithParam<
                           std::tuple<Size, const char *, const char *>> {};

TEST_P(Fp8ProductTest, HasTheBitsOfItsDefinition) {
  auto [size, lhsType, rhsType] = GetParam();
  ByteOperand lhs(lhsType, size.rows * size.depth, 1);
  ByteOperand rhs(rhsType, size.depth * size.columns, 2);
  checkProduct(size, lhs.get(), rhs.get());
}

class ScaledFp8ProductTest
    : public testing::TestWithParam<std::tuple<Size, const char *, int64_t>> {};

TEST_P(ScaledFp8ProductTest, HasTheBitsOfItsDefinition) {
  auto [size, type, per] = GetParam();
  ByteOperand lhs(type, size.rows * size.depth, 1);
  ByteOperand rhs("f8E4M3FN", size.depth * size.columns, 2);
  lhs.scale(size.depth, per, !size.transposeLhs, 3);
  rhs.scale(size.depth, per, size.transposeRhs, 4);
  checkProduct(size, lhs.get(), rhs.get(), per);
}

std::vector<Size> getSizes() {
  std::vector<Size> sizes;
  for (int transposes = 0; transposes < 4; ++transposes) {
    bool lhs = (transposes & 1) != 0, rhs = (transposes & 2) != 0;
    sizes.push_back({7, 17, 5, 32, lhs, rhs});
    sizes.push_back({50, 40, 64, 64, lhs, rhs});
    sizes.push_back({13, 71, 271, 160, lhs, rhs});
  }
  return sizes;
}

std::string nameSize(const Size &size) {
  return text(size.rows) + "x" + text(size.columns) + "x" + text(size.depth) +
         (size.transposeLhs ? "_tl" : "") + (size.transposeRhs ? "_tr" : "");
}

std::string
nameProduct(const testing::TestParamInfo<std::tuple<Size, Bits>> &info) {
  const char *kinds[] = {"any", "tiny", "usual"};
  auto [size, kind] = info.param;
  return std::string(kinds[static_cast<int>(kind)]) + "_" + nameSize(size);
}

std::string
nameFp8Product(const testing::TestParamInfo<Fp8ProductTest::ParamType> &info) {
  auto [size, lhs, rhs] = info.param;
  return std::string(lhs) + "_" + rhs + "_" + nameSize(size);
}

std::string nameScaledProduct(
    const testing::TestParamInfo<ScaledFp8ProductTest::ParamType> &info) {
  auto [size, type, per] = info.param;
  return std::string(type) + "_per_" + text(per) + "_" + nameSize(size);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Bf16ProductTest,
                         testing::Combine(testing::ValuesIn(getSizes()),
                                          testing::Values(Bits::Any, Bits::Tiny,
                                                          Bits::Usual)),
                         nameProduct);

INSTANTIATE_TEST_SUITE_P(Sizes, Fp8ProductTest,
                         testing::Combine(testing::ValuesIn(getSizes()),
                                          testing::Values("f8E4M3FN", "f8E5M2"),
                                          testing::Values("f8E4M3FN",
                                                          "f8E5M2")),
                         nameFp8Product);

INSTANTIATE_TEST_SUITE_P(Sizes, ScaledFp8ProductTest,
                         testing::Combine(testing::ValuesIn(getSizes()),
                                          testing::Values("f8E4M3FN", "f8E5M2"),
                                          testing::Values(32, 128)),
                         nameScaledProduct);

} // namespace
} // namespace accel::test
