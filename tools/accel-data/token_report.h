// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accel-data info, verify and head: what is in files of tokens.
#ifndef ACCEL_TOOLS_ACCEL_DATA_TOKEN_REPORT_H_
#define ACCEL_TOOLS_ACCEL_DATA_TOKEN_REPORT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/io/vfs.h"

namespace accel::tools {

// The files of all three may have :u16 or :u32 at their ends, as in --data.
struct ReportOptions {
  std::vector<std::string> files;
  std::optional<uint32_t> end_of_document;  // info counts documents with it
  std::optional<int64_t> vocabulary;        // verify: ids are below it
  int64_t count = 64;                       // head: so many tokens
  std::string tokenizer;                    // head: decodes; empty: none
};

// Takes one line for people.
using Print = std::function<void(const std::string& line)>;

// Tokens, ids, documents and digest of each file and, of several, of all.
absl::Status ReportInfo(runtime::Vfs& vfs, const ReportOptions& options,
                        const Print& print);

// One line for each file that is as it should be; the error names all others.
absl::Status VerifyFiles(runtime::Vfs& vfs, const ReportOptions& options,
                         const Print& print);

// The first tokens of a file, and the text that they are, if that is known.
absl::Status PrintHead(runtime::Vfs& vfs, const ReportOptions& options,
                       const Print& print);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_TOKEN_REPORT_H_
