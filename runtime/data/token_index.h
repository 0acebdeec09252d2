// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index of a pair of files as Megatron's tools write it: CORPUS.bin holds
// the tokens of all documents, one behind the other and without a header,
// CORPUS.idx says of which type they are and where sequences and documents
// begin. Little endian:
//
//   offset      bytes   field
//   0           9       "MMIDIDX\0\0"
//   9           8       version, 1
//   17          1       type: 1 u8, 2 i8, 3 i16, 4 i32, 5 i64, 8 u16; others
//                       are floats
//   18          8       number of sequences S
//   26          8       number of document entries D, one more than documents
//   34          4 S     tokens of each sequence, i32
//   34 +  4 S   8 S     where each begins in CORPUS.bin, in bytes, i64
//   34 + 12 S   8 D     the sequence with which each document begins, i64; the
//                       last entry is S
#ifndef ACCEL_RUNTIME_DATA_TOKEN_INDEX_H_
#define ACCEL_RUNTIME_DATA_TOKEN_INDEX_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/dtype.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct TokenIndex {
  DType dtype = DType::kU16;
  int64_t sequences = 0;
  int64_t documents = 0;
  int64_t tokens = 0;
};

// Whether the name is that of an index: it ends with .idx.
bool IsIndexName(absl::string_view path);
// "a/corpus.idx" gives "a/corpus.bin" and the other way round.
// Requires: the name ends with .idx, or with .bin.
std::string TokensOfIndex(absl::string_view path);
std::string IndexOfTokens(absl::string_view path);

// Reads the whole index, in pieces, and checks every entry: sequences lie one
// behind the other without a gap, documents begin in order. InvalidArgument
// names file, byte offset, expected and got.
absl::StatusOr<TokenIndex> ReadTokenIndex(Vfs& vfs, const std::string& path);

// Whether the file begins as an index does, of this or an older layout.
absl::StatusOr<bool> LooksLikeIndex(Vfs& vfs, const std::string& path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_TOKEN_INDEX_H_
