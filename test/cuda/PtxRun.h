// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of a plan's PTX, as a GPU's runtime would make them, through the
// interpreter of PTX.
#ifndef ACCEL_TEST_CUDA_PTXRUN_H
#define ACCEL_TEST_CUDA_PTXRUN_H

#include "passes/Lower/TargetLowering.h"
#include "test/cuda/ptx/interpreter.h"

#include <memory>
#include <string>
#include <vector>

namespace accel::test {

/// Memory behind one pointer of a kernel. Equal pointers are one range.
struct PtxRange {
  void *data = nullptr;
  size_t bytes = 0;
  bool isRead = false;    ///< holds values before the launch
  bool isWritten = false; ///< may be written by it
};

/// The PTX of a variant.
class PtxImage {
public:
  /// Failures are gtest's.
  explicit PtxImage(const CodeImage &image);

  /// Runs tiles [begin, end) of `kernel` in blocks of `threads`: one warp for
  /// each tile. Nothing but `ranges` may be touched, and what is only written
  /// is poisoned. `seed`: the order of blocks and threads.
  absl::Status run(const std::string &kernel,
                   const std::vector<PtxRange> &ranges, int64_t begin,
                   int64_t end, int64_t threads, uint64_t seed) const;

private:
  std::unique_ptr<ptx::Module> module;
};

} // namespace accel::test

#endif
