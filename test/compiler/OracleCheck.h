// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instruction of a real plan against the oracle: what its code makes of the
// bytes that the plan gives it, and what the definition says in double.
#ifndef ACCEL_TEST_COMPILER_ORACLECHECK_H
#define ACCEL_TEST_COMPILER_ORACLECHECK_H

#include "dialects/Accel/Interpreter/HostTensor.h"
#include "runtime/plan/schema/plan.pb.h"
#include "test/cuda/PtxRun.h"
#include "test/passes/lower/KernelRun.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace accel::test {

/// A buffer of an instruction, in the memory of the replay.
struct Place {
  char *data = nullptr;
  uint64_t bytes = 0;
  bool isRead = false;
  bool isWritten = false;
};

/// A kernel's code in the variants that this machine runs.
struct KernelCode {
  mlir::func::FuncOp definition;
  struct Variant {
    std::string name;
    KernelFunction function;
    int64_t tiles;
  };
  std::vector<Variant> variants;
  /// Its PTX, which an interpreter runs.
  struct Ptx {
    std::string name;
    const PtxImage *image;
    std::string kernel;
    int64_t tiles, threads;
  };
  std::vector<Ptx> ptx;
};

/// Runs a kernel on copies of `places`, once per variant and for 1
/// and 2 threads, with results poisoned that are not read; expects the same
/// bits each time, no operand changed, and the interpreter's results up to the
/// error that evaluation in the elements' own type has by itself. PTX gives the
/// same bits, but for attention. Leaves the results in `places`. False after a
/// test failure.
bool checkLaunch(const KernelCode &kernel, const std::vector<Place> &places);

/// Runs a kernel where its buffers lie, unchecked.
void runLaunch(const KernelCode &kernel, const std::vector<Place> &places);

} // namespace accel::test

#endif
