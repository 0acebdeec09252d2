// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs nvdisasm on a file.
#include "passes/Lower/Cuda/Disassembler.h"

#include "passes/Lower/Cuda/CudaProgram.h"

#include "llvm/Support/raw_ostream.h"

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

/// A line for each kernel, and an empty one.
static std::string describeOccupancy(const CodeImage &image) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const CodeEntry &entry : image.entries) {
    if (entry.size == 0) { // a library's
      continue;
    }
    const Occupancy &occupancy = entry.occupancy;
    stream << "// " << entry.kernel << ": " << occupancy.registers
           << " registers a thread, " << occupancy.blocks
           << " blocks a processor";
    if (occupancy.bound != 0) {
      stream << ", .minnctapersm " << occupancy.bound;
    }
    stream << "\n";
  }
  stream << "\n";
  return text;
}

llvm::Expected<std::string> accel::disassembleCubin(const CodeImage &image,
                                                    llvm::StringRef cudaPath) {
  llvm::Expected<CudaProgram> program = findProgram(cudaPath);
  if (!program) {
    return program.takeError();
  }
  TemporaryFile file("cubin");
  llvm::Error bad = file.check();
  bad =
      bad ? std::move(bad) : file.write({image.code.data(), image.code.size()});
  if (bad) {
    return bad;
  }
  auto printed = program->run({"--print-code", file.getPath()});
  return printed ? describeOccupancy(image) + *printed : std::move(printed);
}
