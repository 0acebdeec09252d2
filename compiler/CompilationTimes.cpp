// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's timing manager.
#include "compiler/CompilationTimes.h"

#include "compiler/TimeReport.h"

using namespace mlir;

namespace accel {

CompilationTimes::CompilationTimes(bool isEnabled, bool asJson)
    : isEnabled(isEnabled), asJson(asJson) {
  using Format = DefaultTimingManager::OutputFormat;
  manager.setEnabled(isEnabled);
  manager.setDisplayMode(DefaultTimingManager::DisplayMode::Tree);
  manager.setOutput(
      createOutputStrategy(asJson ? Format::Json : Format::Text, textStream));
  scope = manager.getRootScope();
}

llvm::Error CompilationTimes::print(llvm::raw_ostream &stream) {
  if (!isEnabled) {
    return llvm::Error::success();
  }
  scope.stop();
  manager.print();
  if (!asJson) {
    stream << text;
    return llvm::Error::success();
  }
  llvm::Expected<llvm::json::Object> report = makeTimeReport(text);
  if (!report) {
    return report.takeError();
  }
  stream << llvm::json::Value(std::move(*report)) << "\n";
  return llvm::Error::success();
}

} // namespace accel
