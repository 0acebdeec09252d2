// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of the CUDA toolkit, and the files that it reads and writes.
#ifndef ACCEL_PASSES_LOWER_CUDA_CUDAPROGRAM_H
#define ACCEL_PASSES_LOWER_CUDA_CUDAPROGRAM_H

#include "passes/Lower/CodeTools.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>
#include <system_error>

namespace accel {

/// A program that has not ended in time, and was ended.
class ProgramTimeout : public llvm::ErrorInfo<ProgramTimeout> {
public:
  static char ID;

  ProgramTimeout(llvm::StringRef program, unsigned seconds)
      : program(program), seconds(seconds) {}

  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string program;
  unsigned seconds;
};

class CudaProgram {
public:
  /// Looks below `cudaPath`, a toolkit or a folder of NVIDIA's packages from
  /// PyPI, and nowhere else; empty: below CUDA_HOME, in PATH, and among the
  /// packages of the Python environment VIRTUAL_ENV. An error says where it was
  /// looked for, "expected NAME, PURPOSE, ...", and the remedy.
  static llvm::Expected<CudaProgram> find(llvm::StringRef name,
                                          llvm::StringRef cudaPath,
                                          const llvm::Twine &purpose,
                                          const llvm::Twine &remedy);

  llvm::StringRef getPath() const { return path; }

  /// What it prints; an error if it fails, ProgramTimeout if it takes longer.
  /// Threads: any number at the same time.
  llvm::Expected<std::string>
  run(llvm::ArrayRef<llvm::StringRef> arguments,
      unsigned seconds = CodeTools().ptxasSeconds) const;

private:
  std::string path;
};

/// A file that is gone when this is.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  llvm::StringRef getPath() const { return path; }
  /// Whether there is one.
  llvm::Error check() const;
  llvm::Error write(llvm::StringRef content) const;
  llvm::Expected<std::string> read() const;

private:
  std::error_code error;
  llvm::SmallString<128> path;
};

} // namespace accel

#endif
