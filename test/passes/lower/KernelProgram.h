// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of the cases with its inputs, what the interpreter makes of them,
// and memory to run the kernel's code on.
#ifndef ACCEL_TEST_PASSES_LOWER_KERNELPROGRAM_H
#define ACCEL_TEST_PASSES_LOWER_KERNELPROGRAM_H

#include "test/passes/lower/KernelCases.h"
#include "test/passes/lower/KernelRun.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

#include <memory>

namespace accel::test {

/// Of a case among the parameters of a test, without spaces.
std::string nameOf(const testing::TestParamInfo<KernelCase> &info);

/// A parsed kernel with its inputs.
struct Program {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp kernel;
  std::string diagnostics;
  llvm::SmallVector<HostTensor> arguments, before, expected;

  Program();
};

/// Parses, makes inputs, asks the interpreter. Failures are gtest's.
void prepare(const KernelCase &kernelCase, Program &program);

/// Makes the kernel what OutlineKernels leaves.
void expandComposites(Program &program);

/// Fresh memory for a kernel's operands and results, which begin at multiples
/// of `alignment` bytes, or `before` elements in front of one.
class LaunchMemory {
public:
  LaunchMemory(const Program &program, const KernelCase &kernelCase,
               size_t alignment = 1, size_t before = 0);

  /// The address of each argument, then of each result.
  std::vector<void *> getPointers() const;
  /// The bytes behind each of them.
  std::vector<size_t> getSizes() const;
  /// No operand has changed, and nothing in front of a buffer.
  void check() const;
  std::vector<std::string> resultBytes() const;
  HostTensor result(size_t i) const;

private:
  const Program &program;
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<GuardedBuffer *> places;
  std::vector<size_t> overwritten;
};

/// Compares with what the interpreter gave. Failures are gtest's.
void compare(const Program &program, const LaunchMemory &launch,
             double tolerance);

} // namespace accel::test

#endif
