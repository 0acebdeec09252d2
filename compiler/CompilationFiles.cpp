// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is read, what is written, and the rule that says so.
#include "compiler/CompilationFiles.h"

#include "compiler/DependencyFile.h"
#include "compiler/Pipeline.h"
#include "compiler/SavedParameters.h"
#include "frontends/onnx/ImportOptions.h"
#include "runtime/io/atomic_file.h"

#include "absl/strings/str_cat.h"

namespace accel {

absl::Status CompilationFiles::checkOptions() {
  absl::Status status = compared.AddInput("model", options.model);
  for (const InputBinding &binding : options.bindings) {
    status.Update(compared.AddInput("--bind", binding.file));
  }
  for (const std::string &file : listParameters()) {
    status.Update(compared.AddInput("--params", file));
  }
  if (writesOutput()) {
    status.Update(compared.AddOutput("-o", options.output));
  }
  for (const std::string &path : options.otherInputs) {
    status.Update(compared.AddInput("options", path));
  }
  if (!options.dependencyFile.empty()) {
    status.Update(compared.AddOutput("-MF", options.dependencyFile));
  }
  // A folder that is still to be made holds nothing yet.
  if (!options.dumpPhases.empty() && vfs.Stat(options.dumpPhases).ok()) {
    for (const PhaseInfo &info : getPhases()) {
      status.Update(compared.AddOutput(
          "--dump-phases", getDumpPath(info.phase, options.dumpPhases)));
    }
  }
  return status;
}

std::vector<std::string> CompilationFiles::listParameters() const {
  return options.parameterFile.empty()
             ? std::vector<std::string>()
             : listParameterFiles(vfs, options.parameterFile);
}

absl::Status
CompilationFiles::checkData(llvm::ArrayRef<std::string> dataFiles) {
  absl::Status status;
  for (const std::string &path : dataFiles) {
    status.Update(compared.AddInput("external data", path));
  }
  return status;
}

std::vector<std::string>
CompilationFiles::listInputs(llvm::ArrayRef<std::string> dataFiles) const {
  std::vector<std::string> files;
  if (options.model != onnx::standardInput) {
    files.push_back(options.model);
  }
  llvm::append_range(files, dataFiles);
  for (const InputBinding &binding : options.bindings) {
    files.push_back(binding.file);
  }
  llvm::append_range(files, listParameters());
  llvm::append_range(files, options.otherInputs);
  return files;
}

absl::Status
CompilationFiles::writeDependencies(llvm::ArrayRef<std::string> dataFiles) {
  if (options.dependencyFile.empty()) {
    return absl::OkStatus();
  }
  std::vector<std::string> inputs = listInputs(dataFiles);
  for (const std::string &file : inputs) {
    if (!canBeNamedInRule(file)) {
      return absl::InvalidArgumentError(
          absl::StrCat("-MD: expected names without line breaks, which no "
                       "makefile can hold, got '",
                       file, "'"));
    }
  }
  return runtime::WriteFileAtomically(
      vfs, options.dependencyFile, makeDependencyRule(options.output, inputs));
}

} // namespace accel
