// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of ptxas, and what it says and writes of each kernel.
#include "passes/Lower/Cuda/Ptxas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Regex.h"

using namespace accel;
using llvm::StringRef;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<Ptxas> Ptxas::find(StringRef cudaPath) {
  llvm::Expected<CudaProgram> program = CudaProgram::find(
      "ptxas", cudaPath, "which makes code of GPUs",
      "install the CUDA toolkit or the package nvidia-cuda-nvcc, say "
      "--cuda-path=DIR, or write compute_ for sm_ in --target: PTX needs no "
      "ptxas");
  if (!program) {
    return program.takeError();
  }
  Ptxas found;
  found.program = *program;
  llvm::Expected<std::string> text = program->run({"--version"});
  if (!text) {
    return text.takeError();
  }
  llvm::SmallVector<StringRef> parts;
  if (!llvm::Regex("release [0-9.]+, V[0-9.]+").match(*text, &parts)) {
    return makeError(program->getPath() +
                     " --version: expected a release, got '" +
                     StringRef(*text).trim() + "'");
  }
  found.version = parts.front().str();
  return found;
}

llvm::StringMap<AssembledKernel> accel::readKernels(StringRef printed) {
  static const llvm::Regex compiled("Compiling entry function '([^']+)'");
  static const llvm::Regex spills("([0-9]+) bytes spill stores");
  static const llvm::Regex used("Used ([0-9]+) registers");
  llvm::StringMap<AssembledKernel> kernels;
  AssembledKernel *kernel = nullptr;
  for (StringRef line : llvm::split(printed, '\n')) {
    llvm::SmallVector<StringRef> parts;
    if (compiled.match(line, &parts)) {
      kernel = &kernels[parts[1]];
    } else if (kernel && spills.match(line, &parts)) {
      (void)parts[1].getAsInteger(10, kernel->spilledBytes);
    } else if (kernel && used.match(line, &parts)) {
      (void)parts[1].getAsInteger(10, kernel->registers);
    }
  }
  return kernels;
}

/// A kernel's instructions are the section `.text.KERNEL`.
static llvm::Error findSections(PtxasOutput &output, StringRef ptxas) {
  llvm::MemoryBufferRef buffer(
      StringRef(output.cubin.data(), output.cubin.size()), "cubin");
  auto object = llvm::object::ELF64LEObjectFile::create(buffer);
  if (!object) {
    return object.takeError();
  }
  for (llvm::object::ELFSectionRef section : object->sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (!name) {
      return name.takeError();
    }
    if (!name->consume_front(".text.")) {
      continue;
    }
    AssembledKernel &kernel = output.kernels[*name];
    if (kernel.registers == 0) {
      return makeError(ptxas + " -v: expected how many registers kernel '" +
                       *name +
                       "' uses, got no such line; use ptxas of CUDA 13");
    }
    kernel.offset = section.getOffset();
    kernel.size = section.getSize();
  }
  return llvm::Error::success();
}

llvm::Expected<PtxasOutput> Ptxas::assemble(StringRef ptx, StringRef chip,
                                            unsigned seconds) const {
  TemporaryFile source("ptx"), cubin("cubin");
  llvm::Error bad = llvm::joinErrors(source.check(), cubin.check());
  bad = bad ? std::move(bad) : source.write(ptx);
  if (bad) {
    return bad;
  }
  std::string arch = ("-arch=" + chip).str();
  llvm::Expected<std::string> printed = program.run(
      {"-v", "-O3", arch, source.getPath(), "-o", cubin.getPath()}, seconds);
  if (!printed) {
    return printed.takeError();
  }
  llvm::Expected<std::string> code = cubin.read();
  if (!code) {
    return code.takeError();
  }
  PtxasOutput output{std::vector<char>(code->begin(), code->end()),
                     readKernels(*printed)};
  if (llvm::Error error = findSections(output, getPath())) {
    return error;
  }
  return output;
}
