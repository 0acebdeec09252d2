// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ptxas, and finds each kernel's section in the object that it writes.
#include "passes/Lower/Cuda/Cubin.h"

#include "passes/Lower/Cuda/Ptxas.h"

#include "llvm/Object/ELFObjectFile.h"

using namespace mlir;
using namespace accel;

/// A kernel's instructions are the section `.text.KERNEL`.
static llvm::Error findEntries(CodeImage &image) {
  llvm::MemoryBufferRef buffer(StringRef(image.code.data(), image.code.size()),
                               "cubin");
  auto object = llvm::object::ELF64LEObjectFile::create(buffer);
  if (!object) {
    return object.takeError();
  }
  for (CodeEntry &entry : image.entries) {
    entry.size = 0;
    for (llvm::object::ELFSectionRef section : object->sections()) {
      llvm::Expected<StringRef> name = section.getName();
      if (!name) {
        return name.takeError();
      }
      if (*name == ".text." + entry.kernel) {
        entry.offset = section.getOffset();
        entry.size = section.getSize();
      }
    }
  }
  return llvm::Error::success();
}

FailureOr<CodeImage> accel::assemblePtx(ModuleOp module, const CodeImage &ptx,
                                        const CodeVariant &variant,
                                        StringRef cudaPath) {
  auto fail = [&](llvm::Error error) -> FailureOr<CodeImage> {
    return module.emitError("variant '")
           << variant.name << "': " << llvm::toString(std::move(error));
  };
  llvm::Expected<Ptxas> ptxas = Ptxas::find(cudaPath);
  if (!ptxas) {
    return fail(ptxas.takeError());
  }
  llvm::Expected<std::vector<char>> code = ptxas->assemble(
      StringRef(ptx.code.data(), ptx.code.size()), variant.processor);
  if (!code) {
    return fail(code.takeError());
  }
  CodeImage image;
  image.code = std::move(*code);
  image.assembler = ("ptxas " + ptxas->getVersion()).str();
  image.entries = ptx.entries;
  if (llvm::Error error = findEntries(image)) {
    return fail(std::move(error));
  }
  return image;
}
