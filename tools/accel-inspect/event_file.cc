// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event of each step, with all of its scalars.
#include "tools/accel-inspect/event_file.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/crc32c.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/wall_clock.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "tools/accel-inspect/event.pb.h"

namespace accel::tools {
namespace {

// What TensorBoard takes for an event file has it in its name.
constexpr absl::string_view kEventFileMark = "tfevents";
constexpr absl::string_view kEventFileVersion = "brain.Event:2";
constexpr size_t kEventBlockBytes = size_t{1} << 20;

void AppendLittleEndian(uint64_t value, int bytes, std::string& text) {
  for (int i = 0; i < bytes; ++i) {
    text.push_back(static_cast<char>(value >> (8 * i)));
  }
}

// A sum over bytes that hold their own sum says little; so the format turns it.
uint32_t MaskedCrc(absl::string_view bytes) {
  const uint32_t crc = runtime::Crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

double WallSeconds(const MetricsStep& step) {
  return static_cast<double>(runtime::ParseUtc(step.time).value_or(0)) / 1e9;
}

void AddScalar(const char* tag, double value, eventpb::Summary& summary) {
  eventpb::Summary::Value& entry = *summary.add_value();
  entry.set_tag(tag);
  entry.set_simple_value(static_cast<float>(value));
}

// The tags are the names in metrics.jsonl. What was not finite is NaN, and what
// the line does not have is left out.
std::string StepRecord(const MetricsStep& step) {
  eventpb::Event event;
  event.set_wall_time(WallSeconds(step));
  event.set_step(step.step);
  eventpb::Summary& summary = *event.mutable_summary();
  AddScalar("loss", step.loss, summary);
  if (step.has_eval) {
    AddScalar("eval_loss", step.eval_loss, summary);
  }
  AddScalar("lr", step.lr, summary);
  AddScalar("grad_norm", step.grad_norm, summary);
  AddScalar("tokens_per_second", step.TokensPerSecond(), summary);
  const auto add_known = [&summary](const char* tag, double value) {
    if (!std::isnan(value)) {
      AddScalar(tag, value, summary);
    }
  };
  add_known("peak_bytes", step.peak_bytes);
  add_known("data_wait_seconds", step.data_wait_seconds);
  add_known("loss_scale", step.loss_scale);
  add_known("skipped_steps", step.skipped_steps);
  return FramedRecord(event.SerializeAsString());
}

std::string VersionRecord(const MetricsStep& first) {
  eventpb::Event event;
  event.set_wall_time(WallSeconds(first));
  event.set_file_version(std::string(kEventFileVersion));
  return FramedRecord(event.SerializeAsString());
}

absl::Status RefuseOtherEvents(runtime::Vfs& vfs, const std::string& folder,
                               const std::string& name) {
  ASSIGN_OR_RETURN(const auto names, vfs.List(folder));
  for (const std::string& other : names) {
    // A dot begins what is being written, or what a killed program has left.
    if (absl::StrContains(other, kEventFileMark) && other != name &&
        !absl::StartsWith(other, ".")) {
      return absl::FailedPreconditionError(absl::StrCat(
          "--tensorboard '", folder, "': expected a folder without the events ",
          "of another run, got one with '", other,
          "', and TensorBoard would show both as one run; choose a folder for ",
          "each run, or remove that file"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string FramedRecord(absl::string_view data) {
  std::string record;
  record.reserve(data.size() + 16);
  AppendLittleEndian(data.size(), 8, record);
  AppendLittleEndian(MaskedCrc(record), 4, record);
  absl::StrAppend(&record, data);
  AppendLittleEndian(MaskedCrc(data), 4, record);
  return record;
}

std::string EventFileName(const RunReport& run) {
  return absl::StrCat("events.out.", kEventFileMark, ".accel-",
                      run.parts.front().id);
}

absl::StatusOr<uint64_t> WriteEventFile(runtime::Vfs& vfs, const RunReport& run,
                                        const std::string& folder) {
  RETURN_IF_ERROR(runtime::MakeDirectories(vfs, folder));
  const std::string name = EventFileName(run);
  RETURN_IF_ERROR(RefuseOtherEvents(vfs, folder, name));
  ASSIGN_OR_RETURN(const auto file, runtime::AtomicFile::Create(
                                        vfs, runtime::JoinPath(folder, name)));
  std::string block = VersionRecord(run.steps.front());
  uint64_t bytes = 0;
  const auto write_block = [&]() -> absl::Status {
    bytes += block.size();
    const absl::Status written = file->file().AppendAll(absl::MakeConstSpan(
        reinterpret_cast<const std::byte*>(block.data()), block.size()));
    block.clear();
    return written;
  };
  for (const MetricsStep& step : run.steps) {
    absl::StrAppend(&block, StepRecord(step));
    if (block.size() >= kEventBlockBytes) {
      RETURN_IF_ERROR(write_block());
    }
  }
  RETURN_IF_ERROR(write_block());
  RETURN_IF_ERROR(file->Commit());
  return bytes;
}

}  // namespace accel::tools
