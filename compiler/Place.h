// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a location says about the user's program.
#ifndef ACCEL_COMPILER_PLACE_H
#define ACCEL_COMPILER_PLACE_H

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace accel {

struct Place {
  std::string node;  ///< of the graph
  std::string scope; ///< the module's, "transformer.h.0"
  std::string file;  ///< the user's Python
  unsigned line = 0; ///< 0: not known

  bool isEmpty() const { return node.empty() && file.empty(); }
  /// `'NODE' (SCOPE, FILE:LINE)`, without what is not known.
  std::string describe() const;
  llvm::json::Object toJson() const;
};

/// `gpt2.onnx: node 'NODE' (SCOPE, FILE:LINE)`; empty if there is no place.
std::string describePlace(const Place &place, llvm::StringRef model);

Place readPlace(mlir::Location location);

/// Empty if the location is about the whole of the model in file `model`.
Place readPlace(mlir::Location location, llvm::StringRef model);

inline std::string describePlace(mlir::Location location,
                                 llvm::StringRef model) {
  return describePlace(readPlace(location, model), model);
}

} // namespace accel

#endif
