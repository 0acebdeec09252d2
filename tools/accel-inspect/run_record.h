// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// run.json of a run directory, read back: the file is not trusted.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_RUN_RECORD_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_RUN_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace accel::tools {

// What the last start of the run said of itself.
class RunRecord {
 public:
  // Unimplemented for another version, InvalidArgument for what is no record.
  static absl::StatusOr<RunRecord> Parse(absl::string_view text);

  // A text, number or boolean of the record as text; empty if it has none of
  // that name. "resumed.step" is that of an object inside.
  std::string Find(absl::string_view name) const;
  const nlohmann::ordered_json& json() const { return json_; }

 private:
  explicit RunRecord(nlohmann::ordered_json json) : json_(std::move(json)) {}

  nlohmann::ordered_json json_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_RUN_RECORD_H_
