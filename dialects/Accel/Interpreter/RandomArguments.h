// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values for the arguments and inputs of a function that is run without data:
// what an attribute gives, else random.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_RANDOMARGUMENTS_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_RANDOMARGUMENTS_H

#include "dialects/Accel/Interpreter/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace accel {

/// A value of `type` by `attributes`: the elements of `accel.value` (an
/// elements attribute of that type); else numbers that are functions of (seed,
/// name, index): uniform from `lowest` to `highest`, for integers both
/// included, where `accel.range = [lowest, highest]` is given, or
/// `accel.ranges` for the places of a dimension (InputRanges.h); without it
/// normal for floats, from 0 to 7 for integers, either for booleans. Fails
/// after an error at `location` if an attribute does not fit.
mlir::FailureOr<HostTensor> makeValue(mlir::Location location,
                                      mlir::RankedTensorType type,
                                      mlir::DictionaryAttr attributes,
                                      llvm::StringRef name, int64_t seed);

/// One value for every argument by its attributes; named by `accel.name`, else
/// `argN`. All that is wrong is reported.
mlir::FailureOr<llvm::SmallVector<HostTensor>>
makeArguments(mlir::func::FuncOp function, int64_t seed);

/// The name of argument `index`: `accel.name`, else `argN`.
std::string getArgumentName(mlir::func::FuncOp function, unsigned index);

/// The site of random numbers that belong to `name`: its 32-bit FNV-1a hash.
uint32_t getSite(llvm::StringRef name);

} // namespace accel

#endif
