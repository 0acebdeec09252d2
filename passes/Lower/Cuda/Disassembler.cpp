// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs nvdisasm on a file.
#include "passes/Lower/Cuda/Disassembler.h"

#include "passes/Lower/Cuda/CudaProgram.h"

using namespace accel;

static llvm::Expected<CudaProgram> findProgram(llvm::StringRef cudaPath) {
  return CudaProgram::find(
      "nvdisasm", cudaPath, "which shows code of GPUs",
      "install the CUDA toolkit or the package nvidia-cuda-nvdisasm, say "
      "--cuda-path=DIR, or look at PTX (--emit=ptx)");
}

llvm::Error accel::findDisassembler(llvm::StringRef cudaPath) {
  return findProgram(cudaPath).takeError();
}

llvm::Expected<std::string> accel::disassembleCubin(llvm::StringRef cubin,
                                                    llvm::StringRef cudaPath) {
  llvm::Expected<CudaProgram> program = findProgram(cudaPath);
  if (!program) {
    return program.takeError();
  }
  TemporaryFile file("cubin");
  llvm::Error bad = file.check();
  bad = bad ? std::move(bad) : file.write(cubin);
  if (bad) {
    return bad;
  }
  return program->run({"--print-code", file.getPath()});
}
