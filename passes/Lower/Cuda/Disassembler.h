// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's disassembler: the instructions of a cubin (SASS), for people.
#ifndef ACCEL_PASSES_LOWER_CUDA_DISASSEMBLER_H
#define ACCEL_PASSES_LOWER_CUDA_DISASSEMBLER_H

#include "passes/Lower/TargetLowering.h"

#include "llvm/Support/Error.h"

#include <string>

namespace accel {

/// Whether there is nvdisasm, where CudaProgram::find looks.
llvm::Error findDisassembler(llvm::StringRef cudaPath);

/// How many blocks of each kernel a processor has room for, and what nvdisasm
/// prints. Requires: the image is a cubin.
llvm::Expected<std::string> disassembleCubin(const CodeImage &image,
                                             llvm::StringRef cudaPath);

} // namespace accel

#endif
