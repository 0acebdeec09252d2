// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How kernels become code for one kind of device: what a target's folder of
// passes/Lower implements.
#ifndef ACCEL_PASSES_LOWER_TARGETLOWERING_H
#define ACCEL_PASSES_LOWER_TARGETLOWERING_H

#include "passes/Lower/CodeTools.h"
#include "passes/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace accel {

/// How many blocks of a kernel a GPU's processor has room for.
struct Occupancy {
  unsigned registers = 0; ///< of a thread; 0: not known, as of PTX
  unsigned blocks = 0;
  unsigned bound = 0; ///< that the code asks for at least; 0: none
};

/// Where a kernel lies in an image.
struct CodeEntry {
  std::string kernel;
  uint64_t offset = 0; ///< of its first instruction, or of its text
  uint64_t size = 0;
  Occupancy occupancy = {};
};

/// Code and its constants, as the device's loader wants them: a flat image for
/// CPUs, PTX or a cubin for GPUs.
struct CodeImage {
  std::vector<char> code;
  std::string assembler; ///< "ptxas release 13.0, V13.0.88"; empty: LLVM
  std::vector<CodeEntry>
      entries; ///< in the order of the functions in the module
};

struct LowerOptions {
  std::string variant; ///< to write code for; none: the first of the module
  int64_t lanes;       ///< that reductions are cut into: those of the variant
};

/// Kernels to code, in two steps, so that variants whose kernels are cut alike
/// share the first: what it makes is converted to the LLVM dialect
/// (ConvertToLLVM.h) and compiled.
class TargetLowering {
public:
  virtual ~TargetLowering() = default;

  /// The passes that add its code to every function with `plan.kernel`, in
  /// MLIR's dialects of loops, vectors and memory.
  virtual void addPasses(mlir::OpPassManager &manager,
                         const LowerOptions &options) const = 0;
  /// Makes a context ready for `compile`.
  virtual void prepareTranslation(mlir::MLIRContext &context) const = 0;
  /// The image of every function of a module in the LLVM dialect. The same
  /// input gives the same bytes. Threads: several variants at the same time.
  virtual mlir::FailureOr<CodeImage> compile(mlir::ModuleOp code,
                                             const CodeVariant &variant,
                                             const CodeTools &tools) const = 0;
};

/// The lowering for a kind of device.
const TargetLowering &getLowering(plan::DeviceKind device);

} // namespace accel

#endif
