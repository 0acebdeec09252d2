// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled kernels in memory, and memory for them to run on: buffers that end
// at a page nobody may touch.
#ifndef ACCEL_TEST_PASSES_LOWER_KERNELRUN_H
#define ACCEL_TEST_PASSES_LOWER_KERNELRUN_H

#include "dialects/Accel/Interpreter/HostTensor.h"
#include "passes/Lower/LowerPipeline.h"
#include "passes/Target/Cpu/CpuTarget.h"

#include <memory>
#include <string>
#include <vector>

namespace accel::test {

using KernelFunction = void (*)(void *const *buffers, int64_t begin,
                                int64_t end);

/// Whether `kernel`, whose operands are `inputs`, adds its result to what is
/// there.
bool isKept(mlir::func::FuncOp kernel, unsigned result,
            llvm::ArrayRef<HostTensor> inputs);

/// An image, mapped to be executed.
class MappedImage {
public:
  explicit MappedImage(const CodeImage &image);
  ~MappedImage();
  MappedImage(const MappedImage &) = delete;
  MappedImage &operator=(const MappedImage &) = delete;

  KernelFunction getFunction(const CodeEntry &entry) const;

private:
  char *base;
  size_t size;
};

/// Memory for a tensor: what lies in front of it is checked, what lies behind
/// it traps.
class GuardedBuffer {
public:
  /// Filled with bytes that are NaN as floats. It begins at a multiple of
  /// `alignment` bytes, a power of two, or `before` elements in front of one:
  /// what is left behind it is checked, too.
  explicit GuardedBuffer(mlir::RankedTensorType type, size_t alignment = 1,
                         size_t before = 0);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;

  void *data() const { return start; }
  std::string bytes() const { return std::string(start, size); }
  void fill(const HostTensor &values);
  HostTensor read() const;
  /// Whether the bytes around the tensor are untouched.
  bool isGuardIntact() const;

private:
  mlir::RankedTensorType type;
  char *mapping;
  size_t mappedSize;
  char *start;
  size_t size;
};

/// What a thread that runs `kernel` may write besides its results; null:
/// nothing.
std::unique_ptr<GuardedBuffer> makeWorkspace(mlir::func::FuncOp kernel);

/// While it lives, this thread flushes subnormal numbers if `kernel` is meant
/// to run so.
class FlushedSubnormals {
public:
  explicit FlushedSubnormals(mlir::func::FuncOp kernel);
  ~FlushedSubnormals();
  FlushedSubnormals(const FlushedSubnormals &) = delete;
  FlushedSubnormals &operator=(const FlushedSubnormals &) = delete;

private:
  unsigned before;
};

/// Says how `kernel` is cut in each variant that there is, as the target does.
void assignGeometry(mlir::func::FuncOp kernel);

/// Whether this processor can run code for `variant`.
bool canRun(const CodeVariant &variant);

/// Cuts [0, tiles) into parts, the same for the same seed; in an order of its
/// own.
std::vector<std::pair<int64_t, int64_t>> splitTiles(int64_t tiles,
                                                    unsigned seed);

} // namespace accel::test

#endif
