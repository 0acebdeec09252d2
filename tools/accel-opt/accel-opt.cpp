// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-opt: runs single passes and pipelines on textual IR of any level, and
// functions of it in the interpreter.
#include "compiler/RegisterAll.h"
#include "tools/accel-opt/RunFlags.h"
#include "tools/accel-opt/RunFunction.h"
#include "tools/accel-opt/TransformFile.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  accel::registerAllAccelDialects(registry);
  accel::registerAllAccelPasses();
  mlir::registerTransformsPasses();
  accel::registerRunFlags();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, accel::kOptOverview, registry);
  accel::RunOptions run = accel::getRunFlags();
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses()) {
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  }
  llvm::InitLLVM init(argc, argv);
  return mlir::asMainReturnCode(accel::transformFile(
      {input, run.inputFile, output},
      [&](std::unique_ptr<llvm::MemoryBuffer> text, llvm::raw_ostream &result) {
        return run.function.empty()
                   ? mlir::MlirOptMain(result, std::move(text), registry,
                                       config)
                   : accel::runAfterPasses(run, std::move(text), result,
                                           registry);
      }));
}
