// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma gives the product of the matrices whose elements lie where the PTX ISA
// says, and a warp that is not complete is an error.
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/hash.h"
#include "test/cuda/ptx/kernel_fixture.h"
#include "test/cuda/ptx/rounding.h"

namespace accel::ptx {
namespace {

using ::accel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kFault = absl::StatusCode::kFailedPrecondition;
constexpr auto kUnknown = absl::StatusCode::kUnimplemented;
constexpr auto kWrong = absl::StatusCode::kInvalidArgument;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr char kOperands[] =
    " {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};";

std::string Mma(absl::string_view type) {
  return absl::StrCat("mma.sync.aligned.m16n8k16.row.col.f32.", type, ".", type,
                      ".f32", kOperands);
}

// Every thread has 12 words at %rd1: four of C, four of A, two of B and two
// that nobody reads. Each block is a product of its own.
std::string ProductText(const std::string& product) {
  return KernelText(absl::StrCat(
      "mov.u32 %r20, %ctaid.x; mov.u32 %r21, %tid.x;"
      "mad.lo.u32 %r20, %r20, 32, %r21; mul.wide.u32 %d0, %r20, 48;"
      "add.u64 %d0, %d0, %rd1; mul.wide.u32 %d1, %r20, 16;"
      "add.u64 %d1, %d1, %rd0;"
      "ld.global.nc.v4.b32 {%r0,%r1,%r2,%r3}, [%d0];"
      "ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%d0+16];"
      "ld.global.v2.b32 {%r8,%r9}, [%d0+32];",
      product, "st.global.v4.b32 [%d1], {%r0,%r1,%r2,%r3};"));
}

struct Product {
  std::array<std::array<float, 16>, 16> a = {};
  std::array<std::array<float, 8>, 16> b = {};
  std::array<std::array<float, 8>, 16> c = {};
};
using Result = std::array<std::array<float, 8>, 16>;

// The fragments, from the view of the matrix: which word of which thread holds
// an element.
void Pack(const Product& product, const Format& format, uint32_t* words) {
  const auto put = [&](int row_of_threads, int column, int word, float value) {
    const int thread = 4 * row_of_threads + column / 2;
    words[12 * thread + word] |= RoundTo(format, value, Rounding::kNearestEven)
                                 << (16 * (column % 2));
  };
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < 16; ++k) {
      put(row % 8, k % 8, 4 + row / 8 + 2 * (k / 8), product.a[row][k]);
    }
    for (int column = 0; column < 8; ++column) {
      put(column, row % 8, 8 + row / 8, product.b[row][column]);
      const int thread = 4 * (row % 8) + column / 2;
      words[12 * thread + 2 * (row / 8) + column % 2] =
          Bits(product.c[row][column]);
    }
  }
}

std::vector<Result> Multiply(absl::string_view type,
                             const std::vector<Product>& products) {
  const Format& format = type == "f16" ? kF16 : kBf16;
  std::vector<uint32_t> input(products.size() * 32 * 12);
  for (size_t i = 0; i < products.size(); ++i) {
    Pack(products[i], format, &input[i * 32 * 12]);
  }
  std::vector<uint32_t> memory(products.size() * 32 * 4);
  Run1 run;
  run.grid.x = static_cast<uint32_t>(products.size());
  run.block.x = 32;
  run.options.seed = 3;
  EXPECT_OK(RunKernel(ProductText(Mma(type)), memory, input, run));
  std::vector<Result> results(products.size());
  for (size_t i = 0; i < products.size(); ++i) {
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        const size_t thread = 32 * i + 4 * (row % 8) + column / 2;
        results[i][row][column] =
            Float(memory[4 * thread + 2 * (row / 8) + column % 2]);
      }
    }
  }
  return results;
}

Result Reference(const Product& product) {
  Result result;
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) {
        sum += double{product.a[row][k]} * double{product.b[k][column]};
      }
      result[row][column] =
          static_cast<float>(sum + double{product.c[row][column]});
    }
  }
  return result;
}

// Numbers that f16 and bf16 hold, and whose sums of products a double does.
template <typename Matrix>
void Fill(Matrix& matrix, uint64_t seed) {
  for (auto& row : matrix) {
    for (float& element : row) {
      const uint64_t hash = Hash(seed, &element - matrix[0].data());
      element = (static_cast<float>(hash % 256) - 128) *
                (hash % 3 == 0 ? 0x1p-9F : 0x1p-5F);
    }
  }
}

TEST(MmaTest, RandomMatrices) {
  std::vector<Product> products(20);
  for (size_t i = 0; i < products.size(); ++i) {
    Fill(products[i].a, 3 * i);
    Fill(products[i].b, 3 * i + 1);
    Fill(products[i].c, 3 * i + 2);
    products[i].c[i % 16][i % 8] += 0x1p-20F;
  }
  for (const char* type : {"bf16", "f16"}) {
    const std::vector<Result> results = Multiply(type, products);
    for (size_t i = 0; i < products.size(); ++i) {
      EXPECT_EQ(results[i], Reference(products[i])) << type << i;
    }
  }
}

TEST(MmaTest, EveryElementIsInItsPlace) {
  // One element of A or B is 1 and selects a row or a column of the other
  // matrix, whose elements differ; so do those of C.
  std::vector<Product> products(16 * 16 + 16 * 8);
  for (int i = 0; i < static_cast<int>(products.size()); ++i) {
    Product& product = products[i];
    const bool is_a = i < 256;
    for (int k = 0; k < 256; ++k) {
      product.a[k / 16][k % 16] = is_a ? (k == i ? 1.0F : 0.0F) : 1.0F + k;
    }
    for (int k = 0; k < 128; ++k) {
      product.b[k / 8][k % 8] = is_a ? 1.0F + k : (k == i - 256 ? 1.0F : 0.0F);
      product.c[k / 8][k % 8] = static_cast<float>(1000 * k);
    }
  }
  for (const char* type : {"bf16", "f16"}) {
    const std::vector<Result> results = Multiply(type, products);
    for (size_t i = 0; i < products.size(); ++i) {
      ASSERT_EQ(results[i], Reference(products[i])) << type << i;
    }
  }
}

TEST(MmaTest, InfinitiesAndNans) {
  Product product;
  product.a[0][0] = kInf;  // row 0: infinity times 1 and, in column 7, 0
  product.a[1][0] = kInf;  // row 1: infinity - infinity
  product.a[1][1] = -kInf;
  product.a[2][5] = kNan;  // row 2
  product.c[3][4] = kNan;
  product.c[4][5] = -kInf;
  for (int column = 0; column < 8; ++column) {
    product.b[0][column] = column < 7 ? 1.0F : 0.0F;
    product.b[1][column] = 1;
  }
  for (const char* type : {"bf16", "f16"}) {
    const Result result = Multiply(type, {product})[0];
    for (int column = 0; column < 8; ++column) {
      EXPECT_EQ(Bits(result[0][column]), column < 7 ? 0x7f800000 : 0x7fffffff);
      EXPECT_EQ(Bits(result[1][column]), 0x7fffffff);
      EXPECT_EQ(Bits(result[2][column]), 0x7fffffff);
      EXPECT_EQ(Bits(result[3][column]), column == 4 ? 0x7fffffff : 0);
      EXPECT_EQ(result[4][column], column == 5 ? -kInf : 0);
      EXPECT_EQ(result[15][column], 0);
    }
  }
  Product large;
  large.a[0][0] = large.b[0][0] = 0x1p100F;
  EXPECT_EQ(Multiply("bf16", {large})[0][0][0], kInf);
}

absl::Status StatusOfWarp(const std::string& body, uint32_t threads = 32,
                          uint64_t seed = 0, uint32_t* d3 = nullptr) {
  std::vector<uint32_t> memory(32 * 4);
  const std::vector<uint32_t> input(32 * 12);
  Run1 run{.block = {threads}, .options = {.seed = seed}};
  const absl::Status status = RunKernel(ProductText(body), memory, input, run);
  if (d3 != nullptr) {
    *d3 = memory[3];
  }
  return status;
}

TEST(MmaTest, AWarpThatIsNotComplete) {
  const std::string mma = Mma("bf16");
  const std::string one = "setp.eq.u32 %p0, %r21, 5;";
  EXPECT_OK(StatusOfWarp(mma));
  for (const std::string& body : {"@%p0 ret;" + mma, "@!%p0 " + mma}) {
    EXPECT_THAT(StatusOfWarp(one + body),
                StatusIs(kFault, HasSubstr("thread (5, 0, 0) has exited")))
        << body;
  }
  EXPECT_THAT(StatusOfWarp(absl::StrCat(one, "@%p0 bra X;", mma,
                                        "bra.uni Y; X:\n", mma, "Y:")),
              StatusIs(kFault, HasSubstr("divergent mma")));
  EXPECT_THAT(StatusOfWarp(one + "@!%p0 " + mma + "bar.sync 0;"),
              StatusIs(kFault, HasSubstr("hang")));
  EXPECT_THAT(
      StatusOfWarp(mma, 31),
      StatusIs(kFault, HasSubstr("the block's end leaves this one 31")));
}

absl::Status StatusOfText(absl::string_view form, absl::string_view operands) {
  return Module::Parse(KernelText(absl::StrCat("mma.", form, operands)))
      .status();
}

TEST(MmaTest, OtherForms) {
  const std::vector<std::pair<const char*, const char*>> forms = {
      {"sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "'.m16n8k8'"},
      {"sync.aligned.m16n8k16.col.row.f32.f16.f16.f32", "'.col'"},
      {"sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "'.f16'"},
      {"sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32", "'.bf16'"},
      {"sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", "'.e4m3'"},
      {"sync.m16n8k16.row.col.f32.f16.f16.f32", "'.m16n8k16'"},
      {"sync.aligned.m16n8k16.row.col.f32.f16.f16", "this form"},
      {"sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "'.sp'"}};
  for (const auto& [form, unknown] : forms) {
    EXPECT_THAT(
        StatusOfText(form, kOperands),
        StatusIs(kUnknown, AllOf(HasSubstr(unknown), HasSubstr("'mma'"))))
        << form;
  }
}

TEST(MmaTest, WrongOperands) {
  for (const char* operands :
       {"{%r0,%r1}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};",
        "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, %d0, {%r0,%r1,%r2,%r3};",
        "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%h7}, {%r8,%r9}, {%r0,%r1,%r2,%r3};",
        "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9};"}) {
    EXPECT_THAT(StatusOfText("sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 ",
                             operands),
                StatusIs(kWrong, HasSubstr("expected ")))
        << operands;
  }
}

TEST(MmaTest, ARegisterWithoutAValueDependsOnTheSeed) {
  // Nobody writes %r15, and memory without a value is an error.
  std::string product = Mma("bf16");
  product.replace(product.rfind("%r3"), 3, "%r15");
  uint32_t first = 0;
  uint32_t second = 0;
  ASSERT_OK(StatusOfWarp(product, 32, 0, &first));
  ASSERT_OK(StatusOfWarp(product, 32, 1, &second));
  EXPECT_NE(first, second);
  EXPECT_THAT(StatusOfWarp("ld.global.b32 %r8, [%d1];" + Mma("bf16")),
              StatusIs(kFault, HasSubstr("uninitialised byte")));
}

// What a kernel of attention has around its products.
TEST(MmaTest, PackingsAndApproximations) {
  std::vector<uint32_t> memory(8);
  ASSERT_OK(RunKernel(
      KernelText("ld.global.nc.v4.b32 {%r0,%r1,%r2,%r3}, [%rd1];"
                 "cvt.rn.bf16x2.f32 %r4, %r0, %r1;"
                 "cvt.rn.f16x2.f32 %r5, %r0, %r1;"
                 "mov.b32 {%h0, %h1}, %r5; mov.b32 %r6, {%h1, %h0};"
                 "prmt.b32 %r7, %r4, %r5, 0x5410;"
                 "st.global.v4.b32 [%rd0], {%r4,%r5,%r6,%r7};"
                 "ex2.approx.ftz.f32 %r8, %r1; lg2.approx.ftz.f32 %r9, %r1;"
                 "rcp.approx.ftz.f32 %r10, %r1; ld.global.v4.b32 "
                 "{%r11,%r12,%r13,%r14}, [%rd1];"
                 "st.global.v4.b32 [%rd0+16], {%r8,%r9,%r10,%r14};"),
      memory, {Bits(1.0F), Bits(2.0F), 0, 77}, {}));
  EXPECT_EQ(memory, (std::vector<uint32_t>{0x3f804000, 0x3c004000, 0x40003c00,
                                           0x40004000, Bits(4.0F), Bits(1.0F),
                                           Bits(0.5F), 77}));
}

}  // namespace
}  // namespace accel::ptx
