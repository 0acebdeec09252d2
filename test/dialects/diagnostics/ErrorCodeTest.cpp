// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A code travels with its error.
#include "dialects/Diagnostics/ErrorCode.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel {
namespace {

constexpr ErrorCode kFirst{"ACCEL-E0998", "a first kind"};
constexpr ErrorCode kSecond{"ACCEL-E0999", "a second kind"};

TEST(ErrorCodeTest, ACodeTravelsWithTheErrorAndStays) {
  MLIRContext context;
  std::optional<std::string> seen;
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    std::optional<StringRef> name = getCodeName(diagnostic);
    seen = name ? std::optional(name->str()) : std::nullopt;
    text = diagnostic.str();
  });
  withCode(emitCodedError(UnknownLoc::get(&context), kFirst), kSecond)
      << "expected a size";
  EXPECT_EQ(seen, "ACCEL-E0998");
  EXPECT_EQ(text, "expected a size");
  emitError(UnknownLoc::get(&context)) << "no code";
  EXPECT_EQ(seen, std::nullopt);
}

TEST(ErrorCodeTest, TheNameIsTheCode) {
  EXPECT_EQ(kFirst, (ErrorCode{"ACCEL-E0998", "in other words"}));
  EXPECT_FALSE(kFirst == kSecond);
  EXPECT_FALSE(isWarning(kFirst));
  EXPECT_TRUE(isWarning(ErrorCode{"ACCEL-W0998", "a warning"}));
}

} // namespace
} // namespace accel
