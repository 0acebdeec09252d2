// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interpreter makes of casts to floats of 16 and 8 bits is what LLVM's
// APFloat makes of them.
#include "test/dialects/interpreter/CastReference.h"
#include "test/dialects/interpreter/IrFixture.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace accel::test {
namespace {

constexpr uint64_t kInputs = 600'000;
constexpr uint64_t kPatterns = 6;

class CastTest : public IrFixture {
protected:
  /// The results of `function @f` of `text` for one argument.
  HostTensor run(const std::string &text, const HostTensor &argument) {
    OwningOpRef<ModuleOp> module = parse(text);
    llvm::SmallVector<HostTensor> results =
        runFunction(getFunction(*module, "f"), {argument});
    return results.empty() ? HostTensor() : results[0];
  }
};

bool areSame(double a, double b) {
  return llvm::bit_cast<uint64_t>(a) == llvm::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// 442,368 of them are ties and their neighbours.
TEST_F(CastTest, NumbersBecomeWhatAPFloatMakesOfThem) {
  CastInputs inputs(kInputs, kPatterns);
  std::vector<double> numbers(inputs.size());
  for (uint64_t i = 0; i < inputs.size(); ++i) {
    numbers[i] = llvm::bit_cast<float>(inputs.at(i));
  }
  std::string sizes = "tensor<" + std::to_string(kInputs) + "x";
  HostTensor argument(RankedTensorType::get({static_cast<int64_t>(kInputs)},
                                            Float32Type::get(&context)),
                      numbers);
  for (const CastCase &each : getCastCases()) {
    SCOPED_TRACE(each.getName());
    HostTensor result =
        run("func.func @f(%x: " + sizes + "f32>) -> " + sizes + each.element +
                "> {\n  %y = " + each.getOperation(kInputs) +
                "\n  return %y : " + sizes + each.element + ">\n}",
            argument);
    ASSERT_TRUE(result);
    for (uint64_t i = 0; i < inputs.size(); ++i) {
      uint32_t bits = narrowByAPFloat(each, inputs.at(i));
      float expected = llvm::bit_cast<float>(widenByAPFloat(each, bits));
      ASSERT_TRUE(areSame(result.floats()[i], expected))
          << std::hex << inputs.at(i) << ": expected " << expected << ", got "
          << result.floats()[i];
    }
  }
}

// A double goes by way of f32: 1 + 2^-8 + 2^-40 lies above the middle between
// two numbers of bf16, in f32 on it.
TEST_F(CastTest, DoublesAndIntegersAreRoundedToSinglesFirst) {
  HostTensor number =
      run("func.func @f(%x: tensor<2xf64>) -> tensor<2xbf16> {\n"
          "  %y = accel.cast %x : tensor<2xf64> -> "
          "tensor<2xbf16>\n  return %y : tensor<2xbf16>\n}",
          HostTensor(getFloatType({2}),
                     std::vector<double>{1.0 + 0x1p-8 + 0x1p-40,
                                         1.0 + 0x1p-8 + 0x1p-20}));
  ASSERT_TRUE(number);
  EXPECT_EQ(number.floats()[0], 1.0);
  EXPECT_EQ(number.floats()[1], 1.0 + 0x1p-7);
  HostTensor integer =
      run("func.func @f(%x: tensor<1xi64>) -> tensor<1xf16> {\n"
          "  %y = accel.cast %x : tensor<1xi64> -> "
          "tensor<1xf16>\n  return %y : tensor<1xf16>\n}",
          HostTensor(getIntegerType({1}), std::vector<int64_t>{2049}));
  ASSERT_TRUE(integer);
  EXPECT_EQ(integer.floats()[0], 2048.0);
}

// Every code survives the way through an attribute, as its number.
TEST_F(CastTest, EveryCodeIsTheNumberThatAPFloatReads) {
  for (const CastCase &each : getCastCases()) {
    SCOPED_TRACE(each.getName());
    Type element = parseType(each.element, &context);
    int64_t count = int64_t(1) << each.width;
    auto type = RankedTensorType::get({count}, element);
    std::vector<char> raw;
    for (int64_t code = 0; code < count; ++code) {
      for (unsigned byte = 0; byte < each.width / 8; ++byte) {
        raw.push_back(static_cast<char>(code >> (8 * byte)));
      }
    }
    DenseElementsAttr attribute =
        DenseElementsAttr::getFromRawBuffer(type, raw);
    std::optional<HostTensor> tensor = HostTensor::fromAttribute(attribute);
    ASSERT_TRUE(tensor);
    for (int64_t code = 0; code < count; ++code) {
      float expected = llvm::bit_cast<float>(
          widenByAPFloat(each, static_cast<uint32_t>(code)));
      ASSERT_TRUE(areSame(tensor->floats()[code], expected)) << code;
    }
    llvm::SmallVector<char> again(tensor->toAttribute().getRawData());
    for (int64_t code = 0; code < count; ++code) {
      if (!std::isnan(tensor->floats()[code])) {
        for (unsigned byte = 0; byte < each.width / 8; ++byte) {
          size_t at = code * each.width / 8 + byte;
          ASSERT_EQ(again[at], raw[at]) << code;
        }
      }
    }
  }
}

} // namespace
} // namespace accel::test
