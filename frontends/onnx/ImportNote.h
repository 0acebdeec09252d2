// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an import did with a file beyond translating it, for the user to read
// and for the plan's report.
#ifndef ACCEL_FRONTENDS_ONNX_IMPORTNOTE_H
#define ACCEL_FRONTENDS_ONNX_IMPORTNOTE_H

#include "dialects/Diagnostics/ErrorCode.h"

#include <optional>
#include <string>
#include <vector>

namespace accel::onnx {

/// A sentence and the names that it is about.
struct ImportNote {
  enum class Severity {
    Remark, ///< something was repaired or decided
    Warning ///< probably not what the user wants; the sentence ends with the
            ///< remedy
  };
  Severity severity;
  std::string text;
  std::vector<std::string> names;
  std::optional<ErrorCode> code = std::nullopt; ///< of a warning
};

using ImportNotes = std::vector<ImportNote>;

void addRemark(ImportNotes &notes, std::string text,
               std::vector<std::string> names = {});
void addWarning(ImportNotes &notes, ErrorCode code, std::string text,
                std::vector<std::string> names = {});

/// Of a number of things: "1" and the sentence about one, or the number and
/// the sentence about several.
std::string tellCount(size_t number, const char *one, const char *several);

/// A remark about all of `names`, if there are any, that begins with their
/// number.
void addCountedRemark(ImportNotes &notes, const char *one, const char *several,
                      std::vector<std::string> names);

/// `text: first, second, third and 5 more`.
std::string toString(const ImportNote &note);

} // namespace accel::onnx

#endif
