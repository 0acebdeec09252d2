// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of a compilation, inputs and outputs.
#ifndef ACCEL_COMPILER_COMPILATIONFILES_H
#define ACCEL_COMPILER_COMPILATIONFILES_H

#include "compiler/Options.h"
#include "runtime/io/output_files.h"

#include "llvm/ADT/ArrayRef.h"

namespace accel {

/// Refuses an output that is an input or another output, before anything is
/// written, so that nothing is lost. Borrows: the options and the vfs.
class CompilationFiles {
public:
  CompilationFiles(const CompilerOptions &options, runtime::Vfs &vfs)
      : options(options), vfs(vfs), compared(vfs) {}

  /// Checks what the options name.
  absl::Status checkOptions();
  /// Checks the files that the model names, which are known when it was read.
  absl::Status checkData(llvm::ArrayRef<std::string> dataFiles);

  /// Whether the options ask for a plan, or IR, in a file.
  bool writesOutput() const {
    return !options.output.empty() && !options.estimate && !options.check;
  }
  /// Writes the rule that makes the output, if it is asked for. Requires: the
  /// output is there, so that the rule says nothing of one that is not.
  absl::Status writeDependencies(llvm::ArrayRef<std::string> dataFiles);

private:
  std::vector<std::string>
  listInputs(llvm::ArrayRef<std::string> dataFiles) const;
  /// Those of `--params`.
  std::vector<std::string> listParameters() const;

  const CompilerOptions &options;
  runtime::Vfs &vfs;
  runtime::OutputFiles compared;
};

} // namespace accel

#endif
