// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's assembler, a program of the CUDA toolkit, which makes the code of
// one GPU from PTX.
#ifndef ACCEL_PASSES_LOWER_CUDA_PTXAS_H
#define ACCEL_PASSES_LOWER_CUDA_PTXAS_H

#include "passes/Lower/Cuda/CudaProgram.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace accel {

class Ptxas {
public:
  /// As CudaProgram::find.
  static llvm::Expected<Ptxas> find(llvm::StringRef cudaPath);

  /// "release 13.0, V13.0.88"
  llvm::StringRef getVersion() const { return version; }

  /// The cubin for `chip`, "sm_90". An error has what ptxas said, or which
  /// kernel needs more registers than there are: spilled ones are slow, and
  /// none of ours is so large. The same input gives the same bytes.
  llvm::Expected<std::vector<char>> assemble(llvm::StringRef ptx,
                                             llvm::StringRef chip) const;

private:
  CudaProgram program;
  std::string version;
};

} // namespace accel

#endif
