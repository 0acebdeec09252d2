// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accelc: compiles the training step of an ONNX model into a plan.
#include "compiler/Driver.h"
#include "compiler/Reference.h"
#include "tools/accelc/CommandLine.h"
#include "tools/accelc/MakeOptions.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::variant<accel::CommandLine, int> line =
      accel::parseCommandLine(argc, argv);
  if (const int *code = std::get_if<int>(&line)) {
    return *code;
  }
  const auto &values = std::get<accel::CommandLine>(line);
  if (values.listOps) {
    accel::printOperators(llvm::outs(), values.json);
    return 0;
  }
  if (!values.explain.empty()) {
    bool known = accel::explainCode(values.explain, llvm::outs(), llvm::errs());
    return static_cast<int>(known ? accel::ExitCode::Ok
                                  : accel::ExitCode::CommandLine);
  }
  auto options = accel::makeOptions(values);
  return static_cast<int>(
      options ? accel::compile(*options, llvm::outs(), llvm::errs())
              : accel::ExitCode::CommandLine);
}
