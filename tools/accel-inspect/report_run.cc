// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metrics, run.json and the names of checkpoints, put together.
#include "tools/accel-inspect/report_run.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "runtime/text/printable.h"

namespace accel::tools {
namespace {

using RecordJson = nlohmann::ordered_json;

constexpr uint64_t kMostReportedBytes = uint64_t{1} << 26;
// accel-run nests two levels.
constexpr int kMostRecordLevels = 8;

std::string RecordText(const std::string& name, const RecordJson& value) {
  if (absl::EndsWith(name, "_bytes") && value.is_number_unsigned()) {
    return absl::StrCat(runtime::FormatBytes(value.get<uint64_t>()), " (",
                        value.get<uint64_t>(), ")");
  }
  return value.is_string()
             ? value.get<std::string>()
             : value.dump(-1, ' ', false, RecordJson::error_handler_t::replace);
}

// A row for each value; the names of those inside of others are put together.
void AddRecordRows(const std::string& prefix, const RecordJson& object,
                   int level, ReportedRecord& record) {
  for (const auto& [name, value] : object.items()) {
    const std::string shown =
        absl::StrCat(prefix, prefix.empty() ? "" : " ",
                     absl::StrReplaceAll(name, {{"_", " "}}));
    if (value.is_object() && level < kMostRecordLevels) {
      AddRecordRows(shown, value, level + 1, record);
    } else {
      record.rows.emplace_back(shown, RecordText(name, value));
    }
  }
}

// A member of another type counts as none: the table shows it as it is.
template <typename T>
T RecordMember(const RecordJson& object, const char* name,
               bool (*is)(const RecordJson&), T otherwise) {
  const auto found = object.find(name);
  return found != object.end() && is(*found) ? found->get<T>() : otherwise;
}

bool IsText(const RecordJson& value) { return value.is_string(); }
bool IsCount(const RecordJson& value) {
  return value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t{1}
                                                                    << 53;
}

absl::StatusOr<ReportedRecord> ReadReportedRecord(runtime::Vfs& vfs,
                                                  const std::string& path) {
  const auto text = runtime::ReadWholeFile(vfs, path, kMostReportedBytes);
  if (absl::IsNotFound(text.status())) {
    return ReportedRecord{};
  }
  RETURN_IF_ERROR(text.status());
  return ParseReportedRecord(path, *text);
}

}  // namespace

absl::StatusOr<ReportedRecord> ParseReportedRecord(const std::string& path,
                                                   absl::string_view text) {
  const RecordJson json = RecordJson::parse(text.begin(), text.end(), nullptr,
                                            /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", runtime::Printable(path), "': expected a JSON object, got ",
        json.is_discarded() ? "no JSON" : json.type_name(),
        "; the file is damaged: remove it for a report without it"));
  }
  ReportedRecord record;
  record.found = true;
  record.run = RecordMember<std::string>(json, "run", IsText, "");
  record.steps = RecordMember<int64_t>(json, "steps", IsCount, 0);
  record.halts =
      RecordMember<std::string>(json, "on_nonfinite", IsText, "") == "halt";
  record.peak_bytes = static_cast<double>(
      RecordMember<int64_t>(json, "planned_peak_bytes", IsCount, 0));
  AddRecordRows("", json, 0, record);
  return record;
}

absl::StatusOr<RunReport> ReadRunReport(runtime::Vfs& vfs,
                                        const std::string& path) {
  RunReport report;
  report.path = path;
  ASSIGN_OR_RETURN(std::vector<MetricsRun> runs, ReadMetrics(vfs, path));
  for (MetricsRun& run : runs) {
    const size_t begin = report.steps.size();
    std::move(run.steps.begin(), run.steps.end(),
              std::back_inserter(report.steps));
    std::vector<MetricsStep>().swap(run.steps);
    report.parts.push_back({std::move(run.id), begin, report.steps.size()});
  }
  if (MetricsPath(vfs, path) == path) {
    return report;  // of a file alone
  }
  ASSIGN_OR_RETURN(
      report.record,
      ReadReportedRecord(vfs, runtime::JoinPath(path, "run.json")));
  ASSIGN_OR_RETURN(report.checkpoints,
                   runtime::CheckpointStore(vfs, path).List());
  std::reverse(report.checkpoints.begin(), report.checkpoints.end());
  return report;
}

}  // namespace accel::tools
