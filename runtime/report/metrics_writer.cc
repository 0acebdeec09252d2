// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One write per step, so that no reader sees half a line of a living run.
#include "runtime/report/metrics_writer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/base/status_macros.h"
#include "runtime/base/wall_clock.h"

namespace accel::runtime {
namespace {

// The double that is nearest to the exact quotient: nanoseconds have more bits
// than a double after 104 days.
double Seconds(int64_t ns) {
  return static_cast<double>(static_cast<long double>(ns) / 1e9L);
}

// Where the last complete line ends.
absl::StatusOr<uint64_t> EndOfLastLine(File& file, uint64_t size) {
  std::array<std::byte, 4096> piece;
  uint64_t end = size;
  while (end > 0) {
    const uint64_t begin = end - std::min<uint64_t>(end, piece.size());
    const auto bytes = absl::MakeSpan(piece).first(end - begin);
    RETURN_IF_ERROR(file.ReadAt(begin, bytes));
    const auto newline =
        std::find(bytes.rbegin(), bytes.rend(), static_cast<std::byte>('\n'));
    if (newline != bytes.rend()) {
      return begin + static_cast<uint64_t>(bytes.rend() - newline);
    }
    end = begin;
  }
  return uint64_t{0};
}

// The library writes null for what is not finite.
std::string ToLine(const nlohmann::ordered_json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The object in [begin, end), or what is none.
absl::StatusOr<nlohmann::json> ReadLine(File& file, uint64_t begin,
                                        uint64_t end) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 20;
  if (end - begin > kMostBytes) {
    return nlohmann::json();
  }
  std::string line(end - begin, '\0');
  RETURN_IF_ERROR(file.ReadAt(
      begin,
      absl::MakeSpan(reinterpret_cast<std::byte*>(line.data()), line.size())));
  return nlohmann::json::parse(line, nullptr, false);
}

// Of a line with a step; nothing: it has none.
std::optional<int64_t> StepOf(const nlohmann::json& line) {
  if (!line.is_object()) {
    return std::nullopt;
  }
  const auto found = line.find("step");
  return found != line.end() && found->is_number_integer()
             ? std::optional(found->get<int64_t>())
             : std::nullopt;
}

// Where the lines of steps up to `step` end. Looks from the end of the file on,
// which may have the lines of months.
absl::StatusOr<uint64_t> EndOfStep(File& file, uint64_t size, int64_t step) {
  ASSIGN_OR_RETURN(uint64_t end, EndOfLastLine(file, size));
  while (end > 0) {
    ASSIGN_OR_RETURN(const uint64_t begin, EndOfLastLine(file, end - 1));
    ASSIGN_OR_RETURN(const auto line, ReadLine(file, begin, end));
    if (StepOf(line).value_or(step + 1) <= step) {
      return end;
    }
    end = begin;
  }
  return uint64_t{0};
}

}  // namespace

std::string MetricsJson(const StepMetrics& metrics, absl::string_view run) {
  nlohmann::ordered_json line = {
      {"step", metrics.step},
      {"loss", metrics.loss},
      {"lr", metrics.lr},
      {"grad_norm", metrics.grad_norm},
      {"tokens", metrics.tokens},
      {"step_seconds", Seconds(metrics.step_ns)},
      {"data_wait_seconds", metrics.data_wait_ns
                                ? nlohmann::json(Seconds(*metrics.data_wait_ns))
                                : nlohmann::json()},
      {"tokens_per_second", metrics.tokens_per_second},
      {"peak_bytes", metrics.peak_bytes},
      {"epoch", metrics.epoch},
      {"skipped_steps", metrics.skipped_steps}};
  if (metrics.loss_scale) {
    line["loss_scale"] = *metrics.loss_scale;
  }
  line["time"] = FormatUtc(metrics.wall_time_ns);
  line["run"] = std::string(run);
  return ToLine(line);
}

std::string EvaluationJson(const EvaluationMetrics& metrics,
                           absl::string_view run) {
  return ToLine({{"step", metrics.step},
                 {"eval_loss", metrics.loss},
                 {"eval_tokens", metrics.tokens},
                 {"eval_seconds", Seconds(metrics.ns)},
                 {"time", FormatUtc(metrics.wall_time_ns)},
                 {"run", std::string(run)}});
}

struct MetricsWriter::Place {
  std::string path;
  FileStat file;
};

MetricsWriter::MetricsWriter(Vfs& vfs, std::shared_ptr<Place> place,
                             std::unique_ptr<LineWriter> lines)
    : vfs_(vfs), place_(std::move(place)), lines_(std::move(lines)) {}

absl::StatusOr<std::unique_ptr<MetricsWriter>> MetricsWriter::Start(
    Vfs& vfs, std::function<void(const absl::Status& status)> on_trouble) {
  auto place = std::make_shared<Place>();
  LineWriterOptions options;
  options.what = "the metrics";
  options.durable = true;
  options.on_trouble = std::move(on_trouble);
  options.check = [&vfs, place] { return CheckPlace(vfs, *place); };
  ASSIGN_OR_RETURN(auto lines, LineWriter::Start(std::move(options)));
  return std::unique_ptr<MetricsWriter>(
      new MetricsWriter(vfs, std::move(place), std::move(lines)));
}

// Lines for a file that has no name any more are lost.
absl::Status MetricsWriter::CheckPlace(Vfs& vfs, const Place& place) {
  const absl::StatusOr<FileStat> now = vfs.Stat(place.path);
  if (now.ok() && now->inode == place.file.inode &&
      now->device == place.file.device) {
    return absl::OkStatus();
  }
  return now.ok() || absl::IsNotFound(now.status())
             ? absl::NotFoundError(absl::StrCat(
                   "'", place.path, "' is gone, or is another file now: ",
                   "somebody has removed or moved the run directory"))
             : now.status();
}

absl::Status MetricsWriter::Open(const std::string& path, std::string run) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file,
                   vfs_.Open(path, OpenMode::kAppend));
  ASSIGN_OR_RETURN(const FileStat stat, file->Stat());
  ASSIGN_OR_RETURN(const uint64_t end, EndOfLastLine(*file, stat.size));
  if (end != stat.size) {
    RETURN_IF_ERROR(file->Truncate(end));
  }
  *place_ = {path, stat};
  run_ = std::move(run);
  lines_->Open(std::move(file));
  return absl::OkStatus();
}

absl::Status KeepMetrics(Vfs& vfs, const std::string& path, int64_t step) {
  const absl::StatusOr<FileStat> stat = vfs.Stat(path);
  if (absl::IsNotFound(stat.status())) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(stat.status());
  ASSIGN_OR_RETURN(const auto file, vfs.Open(path, OpenMode::kAppend));
  ASSIGN_OR_RETURN(const uint64_t end, EndOfStep(*file, stat->size, step));
  if (end == stat->size) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(file->Truncate(end));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

absl::StatusOr<bool> EndsWithEvaluation(Vfs& vfs, const std::string& path,
                                        int64_t step) {
  const absl::StatusOr<FileStat> stat = vfs.Stat(path);
  if (absl::IsNotFound(stat.status())) {
    return false;
  }
  RETURN_IF_ERROR(stat.status());
  ASSIGN_OR_RETURN(const auto file, vfs.Open(path, OpenMode::kRead));
  ASSIGN_OR_RETURN(const uint64_t end, EndOfLastLine(*file, stat->size));
  if (end == 0) {
    return false;
  }
  ASSIGN_OR_RETURN(const uint64_t begin, EndOfLastLine(*file, end - 1));
  ASSIGN_OR_RETURN(const auto line, ReadLine(*file, begin, end));
  return StepOf(line) == step && line.contains("eval_loss");
}

void MetricsWriter::Write(const StepMetrics& metrics) {
  lines_->Append(MetricsJson(metrics, run_) + "\n");
}

void MetricsWriter::Write(const EvaluationMetrics& metrics) {
  lines_->Append(EvaluationJson(metrics, run_) + "\n");
}

}  // namespace accel::runtime
