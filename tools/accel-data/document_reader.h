// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Documents in files: a text file is one, each object of a JSON Lines file is
// one. Memory does not grow with the size of files.
#ifndef ACCEL_TOOLS_ACCEL_DATA_DOCUMENT_READER_H_
#define ACCEL_TOOLS_ACCEL_DATA_DOCUMENT_READER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::tools {

// Where a piece of text comes from: "'a.txt', line 7".
struct TextPlace {
  const std::string& path;
  int64_t line;  // of its first character, from 1

  std::string Text() const;
};

// Takes documents, piece by piece. An error ends the reading.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  virtual absl::Status Text(absl::string_view piece,
                            const TextPlace& place) = 0;
  virtual absl::Status EndDocument(const TextPlace& place) = 0;
  // So many further bytes of the file have been read.
  virtual absl::Status Progress(uint64_t bytes) = 0;
};

struct ReaderOptions {
  // Refuses what is not UTF-8 and cuts between characters only.
  bool utf8 = false;
  // Of JSON Lines: the field that holds the text.
  std::string field = "text";
};

// Whether the name promises JSON Lines: .jsonl or .ndjson.
bool IsJsonLinesName(absl::string_view path);

// The whole file as one document. Compressed and other known binary files are
// refused, and so are .json files, which are JSON Lines if anything.
absl::Status ReadTextFile(runtime::Vfs& vfs, const std::string& path,
                          const ReaderOptions& options, DocumentSink& sink);

// One document for each line that is not blank. An error names file and line.
absl::Status ReadJsonLines(runtime::Vfs& vfs, const std::string& path,
                           const ReaderOptions& options, DocumentSink& sink);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_DOCUMENT_READER_H_
