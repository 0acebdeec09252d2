// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalogue is whole, and a code travels with its error.
#include "dialects/Diagnostics/ErrorCodes.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel {
namespace {

TEST(ErrorCodesTest, EveryCodeIsThereOnceAndInOrder) {
  llvm::StringRef before;
  for (auto [i, info] : llvm::enumerate(getErrorCatalogue())) {
    EXPECT_EQ(static_cast<size_t>(info.code), i) << info.name.str();
    EXPECT_EQ(&getErrorInfo(info.code), &info);
    EXPECT_LT(before, info.name);
    before = info.name;
    bool isNamed =
        info.name.starts_with("ACCEL-E0") || info.name.starts_with("ACCEL-W0");
    EXPECT_TRUE(isNamed && info.name.size() == 11) << info.name.str();
    EXPECT_FALSE(info.title.empty() || info.explanation.empty() ||
                 info.remedy.empty());
  }
  EXPECT_EQ(getErrorCatalogue().back().code,
            ErrorCode::ParameterWithoutInfluence);
}

TEST(ErrorCodesTest, FoundByNameInAnyCaseAndWithoutItsPrefix) {
  const ErrorInfo &info = getErrorInfo(ErrorCode::UnknownAttribute);
  EXPECT_EQ(findErrorInfo("ACCEL-E0203"), &info);
  EXPECT_EQ(findErrorInfo("accel-e0203"), &info);
  EXPECT_EQ(findErrorInfo("E0203"), &info);
  EXPECT_EQ(findErrorInfo("E0299"), nullptr);
  EXPECT_EQ(findErrorInfo(""), nullptr);
}

TEST(ErrorCodesTest, ACodeTravelsWithTheErrorAndStays) {
  MLIRContext context;
  const ErrorInfo *seen = nullptr;
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    seen = getCode(diagnostic);
    text = diagnostic.str();
  });
  withCode(emitCodedError(UnknownLoc::get(&context), ErrorCode::Dimensions),
           ErrorCode::InvalidNode)
      << "expected a size";
  EXPECT_EQ(seen, &getErrorInfo(ErrorCode::Dimensions));
  EXPECT_EQ(text, "expected a size");
  emitError(UnknownLoc::get(&context)) << "no code";
  EXPECT_EQ(seen, nullptr);
}

} // namespace
} // namespace accel
