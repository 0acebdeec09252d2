// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What keeps a model from training, each kind once: `accelc --check`.
#ifndef ACCEL_COMPILER_PROBLEMS_H
#define ACCEL_COMPILER_PROBLEMS_H

#include "compiler/ErrorCatalogue.h"
#include "compiler/Place.h"

#include <vector>

namespace accel {

/// One kind of mistake and everywhere that it was made.
struct Problem {
  const ErrorInfo *info; ///< null: it has no code
  std::string text;      ///< without the name of the node
  std::vector<Place> places;
  size_t count = 0; ///< also of those without a place
};

class Problems {
public:
  /// Counts an error to its kind.
  void add(const ErrorInfo *info, llvm::StringRef text, const Place &place);

  bool empty() const { return problems.empty(); }

  /// As text: the first places by name, how many others.
  void print(llvm::raw_ostream &output, llvm::StringRef model) const;
  /// All places.
  llvm::json::Array toJson() const;

private:
  std::vector<Problem> problems; ///< in the order in which they were found
};

} // namespace accel

#endif
