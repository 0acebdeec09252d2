// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the interpreter have in common: a context with the
// dialects, text to modules, diagnostics as text.
#ifndef ACCEL_TEST_DIALECTS_INTERPRETER_IRFIXTURE_H
#define ACCEL_TEST_DIALECTS_INTERPRETER_IRFIXTURE_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace accel::test {

class IrFixture : public testing::Test {
protected:
  IrFixture() {
    context.loadDialect<AccelDialect, mlir::func::FuncDialect>();
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          diagnostics += diagnostic.str() + "\n";
        });
  }

  /// Null after a test failure if `text` is no valid module.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << diagnostics << "in\n" << text.str();
    return module;
  }

  static mlir::func::FuncOp getFunction(mlir::ModuleOp module,
                                        llvm::StringRef name) {
    return module.lookupSymbol<mlir::func::FuncOp>(name);
  }

  mlir::RankedTensorType getFloatType(llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, mlir::Float64Type::get(&context));
  }
  mlir::RankedTensorType getIntegerType(llvm::ArrayRef<int64_t> shape,
                                        unsigned width = 64) {
    return mlir::RankedTensorType::get(shape,
                                       mlir::IntegerType::get(&context, width));
  }
  HostTensor makeScalar(double value) {
    return HostTensor::splat(getFloatType({}), value);
  }

  mlir::MLIRContext context;
  std::string diagnostics; ///< all so far
};

/// What `function` gives for `arguments`, by a fresh interpreter; a test
/// failure and nothing if it cannot be run.
inline llvm::SmallVector<HostTensor>
runFunction(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> arguments) {
  Interpreter interpreter(function->getParentOfType<mlir::ModuleOp>());
  mlir::FailureOr<llvm::SmallVector<HostTensor>> results =
      interpreter.run(function, arguments);
  EXPECT_TRUE(mlir::succeeded(results));
  return mlir::succeeded(results) ? *results : llvm::SmallVector<HostTensor>();
}

} // namespace accel::test

#endif
