// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of ptxas, and what it says of spills.
#include "passes/Lower/Cuda/Ptxas.h"

#include "llvm/ADT/StringExtras.h"
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

/// The first kernel that ptxas -v reports bytes of spills for; empty: none.
static std::string findSpills(StringRef printed) {
  static const llvm::Regex compiled("Compiling entry function '([^']+)'");
  static const llvm::Regex spills("([1-9][0-9]*) bytes spill stores");
  std::string kernel;
  for (StringRef line : llvm::split(printed, '\n')) {
    llvm::SmallVector<StringRef> parts;
    if (compiled.match(line, &parts)) {
      kernel = parts[1].str();
    } else if (spills.match(line, &parts)) {
      return "kernel '" + kernel + "' spills " + parts[1].str() +
             " bytes of registers";
    }
  }
  return "";
}

llvm::Expected<std::vector<char>> Ptxas::assemble(StringRef ptx,
                                                  StringRef chip) const {
  TemporaryFile source("ptx"), cubin("cubin");
  llvm::Error bad = llvm::joinErrors(source.check(), cubin.check());
  bad = bad ? std::move(bad) : source.write(ptx);
  if (bad) {
    return bad;
  }
  std::string arch = ("-arch=" + chip).str();
  llvm::Expected<std::string> printed =
      program.run({"-v", "-O3", arch, source.getPath(), "-o", cubin.getPath()});
  if (!printed) {
    return printed.takeError();
  }
  if (std::string spills = findSpills(*printed); !spills.empty()) {
    return makeError(program.getPath() + ": " + chip + ": " + spills);
  }
  llvm::Expected<std::string> code = cubin.read();
  if (!code) {
    return code.takeError();
  }
  return std::vector<char>(code->begin(), code->end());
}
