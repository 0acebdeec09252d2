// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks first, writes last.
#include "tools/accel-opt/TransformFile.h"

#include "runtime/io/atomic_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/posix_vfs.h"

#include "mlir/Support/FileUtilities.h"

using namespace mlir;

namespace accel {
namespace {

LogicalResult check(const absl::Status &status) {
  if (!status.ok()) {
    llvm::errs() << "error: " << std::string(status.message()) << "\n";
  }
  return success(status.ok());
}

} // namespace

LogicalResult transformFile(const TransformFiles &files, Transform transform) {
  bool toStandardOutput = files.output == "-";
  std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  runtime::OutputFiles compared(*vfs);
  absl::Status status = compared.AddInput("input", files.input.str());
  status.Update(compared.AddInput("--run-inputs", files.values.str()));
  if (!toStandardOutput) {
    status.Update(compared.AddOutput("-o", files.output.str()));
  }
  if (failed(check(status))) {
    return failure();
  }
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(files.input, &message);
  if (!input) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (toStandardOutput) {
    return transform(std::move(input), llvm::outs());
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(transform(std::move(input), stream))) {
    return failure();
  }
  return check(runtime::WriteFileAtomically(*vfs, files.output.str(), text));
}

} // namespace accel
