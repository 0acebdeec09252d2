// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's disassembler: the instructions of a cubin (SASS), for people.
#ifndef ACCEL_PASSES_LOWER_CUDA_DISASSEMBLER_H
#define ACCEL_PASSES_LOWER_CUDA_DISASSEMBLER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace accel {

/// Whether there is nvdisasm, where CudaProgram::find looks.
llvm::Error findDisassembler(llvm::StringRef cudaPath);

/// What it prints.
llvm::Expected<std::string> disassembleCubin(llvm::StringRef cubin,
                                             llvm::StringRef cudaPath);

} // namespace accel

#endif
