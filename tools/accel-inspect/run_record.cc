// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON of one object, whose fields may be missing.
#include "tools/accel-inspect/run_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace accel::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRecordVersion = 1;

}  // namespace

absl::StatusOr<RunRecord> RunRecord::Parse(absl::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a JSON object, got ",
                     json.is_discarded() ? "no JSON" : json.type_name()));
  }
  const auto version = json.find("version");
  if (version == json.end() || *version != kRecordVersion) {
    return absl::UnimplementedError(absl::StrCat(
        "expected version ", kRecordVersion, ", got ",
        version == json.end() ? "none" : version->dump(),
        "; use the release of accel-inspect that belongs to the run's"));
  }
  return RunRecord(std::move(json));
}

std::string RunRecord::Find(absl::string_view name) const {
  const Json* at = &json_;
  for (const absl::string_view part : absl::StrSplit(name, '.')) {
    const auto found =
        at->is_object() ? at->find(std::string(part)) : at->end();
    if (found == at->end()) {
      return "";
    }
    at = &*found;
  }
  return at->is_string()      ? at->get<std::string>()
         : at->is_primitive() ? at->dump()
                              : "";
}

}  // namespace accel::tools
