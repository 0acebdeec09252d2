// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function is run with by `accel-opt --run`: arguments, inputs and
// parameters, from attributes, a file, or random.
#ifndef ACCEL_TOOLS_ACCEL_OPT_RUNINPUTS_H
#define ACCEL_TOOLS_ACCEL_OPT_RUNINPUTS_H

#include "dialects/Accel/Interpreter/Interpreter.h"
#include "tools/accel-opt/RunFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace accel {

/// Sets inputs, parameters and states of `interpreter` and gives the arguments
/// of `function`.
///
/// The file of the options holds one dictionary attribute from names - of
/// arguments (`accel.name`, else `argN`), inputs, parameters or states - to
/// elements attributes, for inputs also lists of them, one per microbatch. What
/// it does not name comes from `accel.value` of the argument, `accel.input`,
/// parameter or state, else it has its initial value or is random: arguments
/// and inputs as `makeValue` says, parameters normal with deviation 0.02.
mlir::FailureOr<llvm::SmallVector<HostTensor>>
prepareRun(Interpreter &interpreter, mlir::func::FuncOp function,
           const RunOptions &options);

} // namespace accel

#endif
