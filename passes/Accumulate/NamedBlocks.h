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

/// All that are named alike, those of the most blocks first. A name belongs to
/// the first of its whole numbers between dots by which it alone differs from
/// another name, so experts of a layer and blocks of a stage make none.
std::vector<NamedBlocks> findNamedBlocks(llvm::ArrayRef<llvm::StringRef> names);

} // namespace accel

#endif
