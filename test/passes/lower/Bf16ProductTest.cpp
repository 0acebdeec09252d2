// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bf16 give the bits that their definition gives, whatever bits the
// operands are: pairs of the summed index, the odd element first, each an FMA
// of f32 that reads and makes no subnormal number; one NaN for all.
#include "test/passes/lower/KernelCases.h"
#include "test/passes/lower/KernelRun.h"

#include "dialects/Accel/IR/AccelDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

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

std::string makeText(const Size &s) {
  auto matrix = [](int64_t rows, int64_t columns, bool isTransposed) {
    return isTransposed ? tensorOf({columns, rows}, "bf16")
                        : tensorOf({rows, columns}, "bf16");
  };
  std::string lhs = matrix(s.rows, s.depth, s.transposeLhs);
  std::string rhs = matrix(s.depth, s.columns, s.transposeRhs);
  std::string result = tensorOf({s.rows, s.columns}, "f32");
  std::string flags = s.transposeLhs ? "transpose_lhs" : "";
  flags += s.transposeLhs && s.transposeRhs ? ", " : "";
  flags += s.transposeRhs ? "transpose_rhs" : "";
  return "func.func @k(%a: " + lhs + ", %b: " + rhs + ") -> " + result +
         " attributes {plan.kernel = {kind = \"product\", elements = " +
         text(s.rows * s.columns) + " : i64, rows = " + text(s.rows) +
         " : i64, columns = " + text(s.columns) +
         " : i64, block = " + text(s.block) + " : i64}} {\n" +
         "  %c = accel.matmul %a, %b {" + flags + "} : " + lhs + ", " + rhs +
         " -> " + result + "\n  return %c : " + result + "\n}\n";
}

class Bf16ProductTest : public testing::TestWithParam<std::tuple<Size, Bits>> {
};

TEST_P(Bf16ProductTest, HasTheBitsOfItsDefinition) {
  auto [size, kind] = GetParam();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<AccelDialect, plan::PlanDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(makeText(size), &context);
  ASSERT_TRUE(module);
  auto kernel = module->lookupSymbol<func::FuncOp>("k");
  assignGeometry(kernel);
  std::vector<CodeVariant> variants;
  llvm::copy_if(getCpuVariants(), std::back_inserter(variants), canRun);
  ASSERT_FALSE(variants.empty());
  FailureOr<LoweredCode> lowered = lowerKernels(*module, variants);
  ASSERT_TRUE(succeeded(lowered));

  std::vector<uint16_t> lhs = makeOperand(size.rows * size.depth, kind, 1);
  std::vector<uint16_t> rhs = makeOperand(size.depth * size.columns, kind, 2);
  FlushedSubnormals flush(kernel);
  Reference reference(size, lhs, rhs);
  for (const VariantCode &variant : lowered->variants) {
    SCOPED_TRACE(variant.variant.name);
    MappedImage image(variant.image);
    auto code = cast<plan::CodeAttr>(
        kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr)
            .get(variant.variant.name));
    std::vector<float> result(size.rows * size.columns, -1.0F);
    std::unique_ptr<GuardedBuffer> workspace = makeWorkspace(kernel);
    void *buffers[] = {lhs.data(), rhs.data(), result.data(),
                       workspace->data()};
    for (auto [begin, end] : splitTiles(code.getTiles(), 5)) {
      image.getFunction(variant.image.entries[0])(buffers, begin, end);
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

std::string
nameProduct(const testing::TestParamInfo<std::tuple<Size, Bits>> &info) {
  const char *kinds[] = {"any", "tiny", "usual"};
  auto [size, kind] = info.param;
  return std::string(kinds[static_cast<int>(kind)]) + "_" + text(size.rows) +
         "x" + text(size.columns) + "x" + text(size.depth) +
         (size.transposeLhs ? "_tl" : "") + (size.transposeRhs ? "_tr" : "");
}

INSTANTIATE_TEST_SUITE_P(Sizes, Bf16ProductTest,
                         testing::Combine(testing::ValuesIn(getSizes()),
                                          testing::Values(Bits::Any, Bits::Tiny,
                                                          Bits::Usual)),
                         nameProduct);

} // namespace
} // namespace accel::test
