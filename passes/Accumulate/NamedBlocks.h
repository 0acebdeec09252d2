// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a model by the names of its parameters: `encoder.layer.3.` is
// one of several that are named alike.
#ifndef ACCEL_PASSES_ACCUMULATE_NAMEDBLOCKS_H
#define ACCEL_PASSES_ACCUMULATE_NAMEDBLOCKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace accel {

struct NamedBlocks {
  std::string prefix;           ///< what all begin with: `encoder.layer.`
  std::vector<int64_t> numbers; ///< what follows it, ascending; two at least

  /// Which of the blocks a parameter belongs to, from 0; none: it lies outside.
  std::optional<size_t> find(llvm::StringRef name) const;
};

/// All rows of blocks, that of the most first. A row is what names have in
/// front of a whole number between dots that is all in which two of them
/// differ; a name belongs to the first row that it is of, so experts of a layer
/// and blocks of a stage make none.
std::vector<NamedBlocks> findNamedBlocks(llvm::ArrayRef<llvm::StringRef> names);

} // namespace accel

#endif
