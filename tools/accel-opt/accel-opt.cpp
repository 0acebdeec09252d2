// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-opt: runs single passes and pipelines on textual IR of any level, and
// functions of it in the interpreter.
#include "compiler/RegisterAll.h"
#include "tools/accel-opt/RunFlags.h"
#include "tools/accel-opt/RunFunction.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  accel::registerAllAccelDialects(registry);
  accel::registerAllAccelPasses();
  mlir::registerTransformsPasses();
  accel::registerRunFlags();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, accel::kOptOverview, registry);
  accel::RunOptions run = accel::getRunFlags();
  return mlir::asMainReturnCode(
      run.function.empty()
          ? mlir::MlirOptMain(argc, argv, input, output, registry)
          : accel::runAfterPasses(run, input, output, registry));
}
