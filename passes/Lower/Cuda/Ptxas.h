// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's assembler, a program of the CUDA toolkit, which makes the code of
// one GPU from PTX.
#ifndef ACCEL_PASSES_LOWER_CUDA_PTXAS_H
#define ACCEL_PASSES_LOWER_CUDA_PTXAS_H

#include "passes/Lower/Cuda/CudaProgram.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace accel {

/// What ptxas has made of a kernel.
struct AssembledKernel {
  unsigned registers = 0;    ///< of a thread
  unsigned spilledBytes = 0; ///< of a thread, for want of registers
  uint64_t offset = 0;       ///< of its instructions, in the cubin
  uint64_t size = 0;
};

/// The kernels that `ptxas -v` prints, without their places.
llvm::StringMap<AssembledKernel> readKernels(llvm::StringRef printed);

struct PtxasOutput {
  std::vector<char> cubin;
  llvm::StringMap<AssembledKernel> kernels; ///< all that have instructions
};

class Ptxas {
public:
  /// As CudaProgram::find.
  static llvm::Expected<Ptxas> find(llvm::StringRef cudaPath);

  /// "release 13.0, V13.0.88"
  llvm::StringRef getVersion() const { return version; }

  llvm::StringRef getPath() const { return program.getPath(); }

  /// The cubin for `chip`, "sm_90". An error has what ptxas said. The same
  /// input gives the same bytes. ProgramTimeout if it takes longer.
  llvm::Expected<PtxasOutput>
  assemble(llvm::StringRef ptx, llvm::StringRef chip, unsigned seconds) const;

private:
  CudaProgram program;
  std::string version;
};

} // namespace accel

#endif
