// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a test compiles with: a context of all dialects, what is said meanwhile,
// and a folder of its own.
#ifndef ACCEL_TEST_COMPILER_COMPILERFIXTURE_H
#define ACCEL_TEST_COMPILER_COMPILERFIXTURE_H

#include "compiler/RegisterAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace accel::test {

/// A base of tests beside testing::TestWithParam. The folder goes with it.
class CompilerFixture {
protected:
  CompilerFixture() : context(makeRegistry()) {
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &each) { diagnostics += each.str() + "\n"; });
    std::string pattern = testing::TempDir() + "accel-compiler-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~CompilerFixture() { std::filesystem::remove_all(folder); }

  mlir::MLIRContext context;
  std::string diagnostics;
  std::string folder;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllAccelDialects(registry);
    return registry;
  }
};

} // namespace accel::test

#endif
