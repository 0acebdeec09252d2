// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled casts between f32 and floats of 16 and 8 bits give the bits that
// LLVM's APFloat gives, on every variant that runs here, whether or not the
// processor flushes subnormal numbers. ACCEL_CAST_INPUTS says on how many
// numbers of f32; docs/testing.md has the full run.
#include "test/dialects/interpreter/CastReference.h"
#include "test/passes/lower/KernelCases.h"
#include "test/passes/lower/KernelRun.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "passes/Analysis/IterationDomain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <xmmintrin.h>

using namespace mlir;

namespace accel::test {
namespace {

constexpr int64_t kBlock = 1 << 16;
constexpr uint64_t kUsualInputs = 1'000'000;

/// A kernel of one operand and one result, compiled for each variant that this
/// processor runs.
class CastKernel {
public:
  CastKernel(const std::string &from, const std::string &to, int64_t size,
             const std::string &operation)
      : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<AccelDialect, plan::PlanDialect, func::FuncDialect>();
    std::string source = tensorOf({size}, from);
    std::string target = tensorOf({size}, to);
    module = parseSourceString<ModuleOp>(
        makeKernel("flat", 1, size, "%x: " + source, target,
                   "  %y = " + operation + "\n  return %y : " + target),
        &context);
    if (!module) {
      return;
    }
    auto kernel = module->lookupSymbol<func::FuncOp>("k");
    assignGeometry(kernel);
    tiles = cast<plan::CodeAttr>(
                kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr)
                    .begin()
                    ->getValue())
                .getTiles();
    std::vector<CodeVariant> variants;
    llvm::copy_if(getCpuVariants(), std::back_inserter(variants), canRun);
    FailureOr<LoweredCode> lowered = lowerKernels(*module, variants);
    for (size_t i = 0; succeeded(lowered) && i < variants.size(); ++i) {
      const CodeImage &image = lowered->variants[i].image;
      names.push_back(variants[i].name);
      images.push_back(std::make_unique<MappedImage>(image));
      functions.push_back(images.back()->getFunction(image.entries[0]));
    }
  }

  /// Each variant runs twice: as programs do, and on a processor that flushes
  /// subnormal numbers of f32 to zero, read and written.
  size_t size() const { return 2 * functions.size(); }
  std::string getVariant(size_t i) const {
    return names[i / 2] + (i % 2 ? ", flushing" : "");
  }
  void run(size_t i, const void *from, void *to) const {
    constexpr unsigned kFlush = 0x8040;
    void *buffers[] = {const_cast<void *>(from), to};
    unsigned usual = _mm_getcsr();
    _mm_setcsr(i % 2 ? usual | kFlush : usual);
    functions[i / 2](buffers, 0, tiles);
    _mm_setcsr(usual);
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  int64_t tiles = 0;
  std::vector<std::string> names;
  std::vector<std::unique_ptr<MappedImage>> images;
  std::vector<KernelFunction> functions;
};

uint32_t bitsAt(const std::vector<char> &bytes, size_t i, size_t width) {
  uint32_t bits = 0;
  memcpy(&bits, bytes.data() + i * width, width);
  return bits;
}

class CastKernelTest : public testing::TestWithParam<CastCase> {};

uint64_t countInputs() {
  const char *count = std::getenv("ACCEL_CAST_INPUTS");
  return count ? std::strtoull(count, nullptr, 10) : kUsualInputs;
}

TEST_P(CastKernelTest, NumbersBecomeWhatAPFloatMakesOfThem) {
  const CastCase &each = GetParam();
  uint64_t count = countInputs();
  ASSERT_GE(count, kUsualInputs) << "in ACCEL_CAST_INPUTS";
  CastInputs inputs(count, count > 10 * kUsualInputs ? 64 : 8);
  CastKernel kernel("f32", each.element, kBlock, each.getOperation(kBlock));
  ASSERT_GT(kernel.size(), 0u);
  size_t width = each.width / 8;
  std::vector<uint32_t> from(kBlock);
  std::vector<uint32_t> expected(kBlock);
  std::vector<char> to(kBlock * width);
  for (uint64_t first = 0; first < count; first += kBlock) {
    for (int64_t i = 0; i < kBlock; ++i) {
      from[i] = inputs.at(std::min(first + i, count - 1));
      expected[i] = narrowByAPFloat(each, from[i]);
    }
    for (size_t variant = 0; variant < kernel.size(); ++variant) {
      kernel.run(variant, from.data(), to.data());
      for (int64_t i = 0; i < kBlock; ++i) {
        ASSERT_EQ(bitsAt(to, i, width), expected[i])
            << kernel.getVariant(variant) << ", of " << std::hex << from[i];
      }
    }
  }
}

// A NaN that signals may stay one, which APFloat makes quiet.
TEST_P(CastKernelTest, EveryCodeBecomesTheNumberThatAPFloatReads) {
  constexpr uint32_t kInfinity = 0x7F800000;
  constexpr uint32_t kQuiet = 0x00400000;
  const CastCase &each = GetParam();
  int64_t count = int64_t(1) << each.width;
  CastKernel kernel(each.element, "f32", count,
                    "accel.cast %x : " + tensorOf({count}, each.element) +
                        " -> " + tensorOf({count}, "f32"));
  ASSERT_GT(kernel.size(), 0u);
  size_t width = each.width / 8;
  std::vector<char> from(count * width);
  for (int64_t code = 0; code < count; ++code) {
    memcpy(from.data() + code * width, &code, width);
  }
  std::vector<uint32_t> to(count);
  for (size_t variant = 0; variant < kernel.size(); ++variant) {
    SCOPED_TRACE(kernel.getVariant(variant));
    kernel.run(variant, from.data(), to.data());
    for (int64_t code = 0; code < count; ++code) {
      bool isNan = (to[code] & 0x7FFFFFFF) > kInfinity;
      ASSERT_EQ(isNan ? to[code] | kQuiet : to[code],
                widenByAPFloat(each, static_cast<uint32_t>(code)))
          << "of " << std::hex << code;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, CastKernelTest,
                         testing::ValuesIn(getCastCases()),
                         [](const testing::TestParamInfo<CastCase> &info) {
                           return info.param.getName();
                         });

} // namespace
} // namespace accel::test
