// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a compilation goes: --time-report.
#ifndef ACCEL_COMPILER_COMPILATIONTIMES_H
#define ACCEL_COMPILER_COMPILATIONTIMES_H

#include "mlir/Support/Timing.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace accel {

/// Measures scopes of scopes, if it is enabled.
class CompilationTimes {
public:
  CompilationTimes(bool isEnabled, bool asJson);

  /// The part `name` of the compilation; it lasts as long as the scope lives.
  mlir::TimingScope begin(llvm::StringRef name) { return scope.nest(name); }

  /// Ends the measurement and prints it, if it is enabled: as a table, or as
  /// makeTimeReport has it.
  llvm::Error print(llvm::raw_ostream &stream);

private:
  bool isEnabled, asJson;
  std::string text;
  llvm::raw_string_ostream textStream{text};
  mlir::DefaultTimingManager manager;
  mlir::TimingScope scope;
};

} // namespace accel

#endif
