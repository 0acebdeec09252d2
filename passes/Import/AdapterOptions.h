// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user may ask of low-rank adapters, and how that is written.
#ifndef ACCEL_PASSES_IMPORT_ADAPTEROPTIONS_H
#define ACCEL_PASSES_IMPORT_ADAPTEROPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace accel {

/// PEFT's defaults, where it has one.
struct AdapterOptions {
  int64_t rank = 0; ///< 0: no adapters
  double alpha = 8.0;
  double dropout = 0.0;
  /// A pattern that is found in the names of modules; empty: every linear layer
  /// but those that nothing is multiplied behind.
  std::string targets;
  /// The names of modules, in place of `targets`: those of a file, which has
  /// the values of their pairs.
  std::vector<std::string> modules;

  bool isOn() const { return rank > 0; }

  /// `rank=8,alpha=16,dropout=0.1,targets=REGEX`, each of them at most once;
  /// the pattern is what follows, commas as well.
  static llvm::Expected<AdapterOptions> parse(llvm::StringRef text);
  /// Fails where a number makes no adapter.
  llvm::Error verify() const;
};

} // namespace accel

#endif
