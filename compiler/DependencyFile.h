// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan was made of, as a rule that Make and Ninja read: `-MD -MF FILE`.
#ifndef ACCEL_COMPILER_DEPENDENCYFILE_H
#define ACCEL_COMPILER_DEPENDENCYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace accel {

/// `TARGET: FILE FILE ...`, a file per line and each of them once. Names are
/// written as they are given, with what is special in a makefile escaped.
std::string makeDependencyRule(llvm::StringRef target,
                               llvm::ArrayRef<std::string> files);

/// Whether a rule can name the file: no makefile can name one with a newline.
bool canBeNamedInRule(llvm::StringRef file);

} // namespace accel

#endif
