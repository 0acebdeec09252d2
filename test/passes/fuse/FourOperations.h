// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of four operations of which the last waits for two of the others:
// enough for groups that wait for each other.
#ifndef ACCEL_TEST_PASSES_FUSE_FOUROPERATIONS_H
#define ACCEL_TEST_PASSES_FUSE_FOUROPERATIONS_H

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Plan/IR/PlanDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace accel::test {

class FourOperations : public testing::Test {
protected:
  FourOperations() {
    context.loadDialect<AccelDialect, plan::PlanDialect,
                        mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
        %a = accel.exp %x : tensor<4xf32>
        %b = accel.neg %a : tensor<4xf32>
        %c = accel.sin %b : tensor<4xf32>
        %d = accel.add %a, %c : tensor<4xf32>
        return %d : tensor<4xf32>
      })",
                                                     &context);
    mlir::Block &body =
        (*module->getOps<mlir::func::FuncOp>().begin()).getBody().front();
    for (mlir::Operation &op : body.without_terminator()) {
      ops.push_back(&op);
    }
    end = body.getTerminator();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<mlir::Operation *> ops;
  mlir::Operation *end = nullptr; ///< behind them
};

} // namespace accel::test

#endif
