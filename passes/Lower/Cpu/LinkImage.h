// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linker: an object file of self-contained position-independent code
// becomes a flat image.
#ifndef ACCEL_PASSES_LOWER_CPU_LINKIMAGE_H
#define ACCEL_PASSES_LOWER_CPU_LINKIMAGE_H

#include "passes/Lower/Cpu/Codegen.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace accel {

/// Lays out code and constants one after the other and applies the relocations
/// between them. Fails on anything that would need a loader: an undefined
/// symbol, writable data, another relocation. Entries are sorted by offset.
llvm::Expected<CodeImage> linkImage(llvm::MemoryBufferRef object);

} // namespace accel

#endif
