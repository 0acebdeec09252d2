// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalogue explains each code that importer, passes and compiler have,
// once, and no other.
#include "compiler/ErrorCatalogue.h"
#include "compiler/ErrorCodes.h"
#include "frontends/onnx/ErrorCodes.h"
#include "passes/ErrorCodes.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <map>

namespace accel {
namespace {

constexpr llvm::ArrayRef<ErrorCode> kTables[] = {onnx::codes::all, codes::all,
                                                 driver_codes::all};

TEST(ErrorCatalogueTest, EveryEntryIsWholeAndInOrder) {
  llvm::StringRef before;
  for (const ErrorInfo &info : getErrorCatalogue()) {
    llvm::StringRef name = info.code.name;
    EXPECT_LT(before, name);
    before = name;
    bool isNamed = name.starts_with("ACCEL-E0") || name.starts_with("ACCEL-W0");
    EXPECT_TRUE(isNamed && name.size() == 11) << name.str();
    EXPECT_FALSE(info.code.title.empty() || info.explanation.empty() ||
                 info.remedy.empty())
        << name.str();
    EXPECT_EQ(&getErrorInfo(info.code), &info);
  }
}

TEST(ErrorCatalogueTest, ItExplainsWhatTheTablesDeclare) {
  std::map<std::string, std::string> declared;
  for (llvm::ArrayRef<ErrorCode> table : kTables) {
    std::map<std::string, std::string> own;
    for (const ErrorCode &code : table) {
      EXPECT_TRUE(own.try_emplace(code.name.str(), code.title.str()).second)
          << code.name.str() << " is twice in a table";
      // Importer and passes may have the same code; then it says the same.
      auto [known, isNew] =
          declared.try_emplace(code.name.str(), code.title.str());
      EXPECT_EQ(known->second, code.title.str()) << code.name.str();
    }
  }
  std::map<std::string, std::string> explained;
  for (const ErrorInfo &info : getErrorCatalogue()) {
    explained.try_emplace(info.code.name.str(), info.code.title.str());
  }
  EXPECT_EQ(declared, explained);
}

TEST(ErrorCatalogueTest, FoundByNameInAnyCaseAndWithoutItsPrefix) {
  const ErrorInfo &info = getErrorInfo(onnx::codes::UnknownAttribute);
  EXPECT_EQ(findErrorInfo("ACCEL-E0203"), &info);
  EXPECT_EQ(findErrorInfo("accel-e0203"), &info);
  EXPECT_EQ(findErrorInfo("E0203"), &info);
  EXPECT_EQ(findErrorInfo("E0299"), nullptr);
  EXPECT_EQ(findErrorInfo(""), nullptr);
}

/// docs/diagnostics.md: 3 goes with E02, 4 with E01 and E0402, 1 with all
/// others.
TEST(ErrorCatalogueTest, ExitStatusFollowsTheCode) {
  for (const ErrorInfo &info : getErrorCatalogue()) {
    llvm::StringRef name = info.code.name;
    ExitCode expected = name.starts_with("ACCEL-E02") ? ExitCode::Unsupported
                        : name.starts_with("ACCEL-E01") || name == "ACCEL-E0402"
                            ? ExitCode::InputOutput
                            : ExitCode::CompileError;
    EXPECT_EQ(info.exit, expected) << name.str();
  }
}

} // namespace
} // namespace accel
