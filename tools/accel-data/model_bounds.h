// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libsentencepiece takes on trust and must not: a model holds a table of
// characters that the library follows from one entry to the next without ever
// looking whether the next one is inside.
#ifndef ACCEL_TOOLS_ACCEL_DATA_MODEL_BOUNDS_H_
#define ACCEL_TOOLS_ACCEL_DATA_MODEL_BOUNDS_H_

#include "absl/strings/string_view.h"

namespace accel::tools {

// Whether `model`, the content of a file, is fields of Protocol Buffers, and
// no table of characters in it leads outside of itself, whatever the text. All
// that is not checked here the library checks.
bool HasBoundedTables(absl::string_view model);

// Whether one such table does: the size in bytes of a double-array trie in 32
// bits, the trie, and the strings, each ended by 0, that its values point to.
bool IsBoundedTable(absl::string_view table);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_MODEL_BOUNDS_H_
