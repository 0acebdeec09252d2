// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for the newest checkpoint, and puts together a command line.
#include "tools/accel-run/failure_report.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/wall_clock.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "runtime/io/path.h"
#include "tools/accel-run/exit_code.h"

namespace accel::tools {
namespace {

constexpr uint64_t kMostHashed = uint64_t{256} << 20;
constexpr size_t kColumns = 78;

struct Found {
  int64_t step = 0;
  std::string folder;
  bool is_hashed = false;
};

absl::StatusOr<Found> Check(runtime::Vfs& vfs, int64_t step,
                            const std::string& folder) {
  ASSIGN_OR_RETURN(const auto checkpoint,
                   runtime::Checkpoint::Open(vfs, folder));
  const auto& files = checkpoint->manifest().files;
  uint64_t bytes = 0;
  for (const auto& file : files) {
    bytes += file.bytes;
  }
  const bool hashes = bytes <= kMostHashed;
  for (size_t i = 0; hashes && i < files.size(); ++i) {
    RETURN_IF_ERROR(checkpoint->Verify(i, [] {}));
  }
  return Found{step, folder, hashes};
}

std::optional<Found> FindNewest(runtime::Vfs& vfs,
                                const std::string& run_directory) {
  const runtime::CheckpointStore store(vfs, run_directory);
  const auto steps = store.List();
  for (const int64_t step : steps.ok() ? *steps : std::vector<int64_t>()) {
    auto found = Check(vfs, step, store.Folder(step));
    if (found.ok()) {
      return *std::move(found);
    }
  }
  return std::nullopt;
}

// Of a process that died with nobody beside it the last step that it told.
std::string WhereText(const Failure& failure) {
  return !failure.where.empty() || failure.run_directory.empty()
             ? failure.where
             : absl::StrCat(
                   "behind the last step of '",
                   runtime::JoinPath(failure.run_directory, "metrics.jsonl"),
                   "'");
}

std::string CheckpointText(const RunOptions& options,
                           const std::optional<Found>& found) {
  if (found) {
    return absl::StrCat("step ", found->step,
                        found->is_hashed
                            ? ", intact: '"
                            : ", complete, and hashed when a run goes on: '",
                        found->folder, "'");
  }
  return options.checkpoint_every.IsSet()
             ? "none that is intact"
             : "none, for want of --checkpoint-every";
}

// What time or another start may mend, and no change.
bool MayPass(int status) {
  return status > 128 || status == static_cast<int>(ExitCode::kCommunication) ||
         status == static_cast<int>(ExitCode::kInternal);
}

std::string Quoted(const std::string& word) {
  constexpr absl::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "@%+=:,./-_";
  if (!word.empty() &&
      word.find_first_not_of(kPlain.data()) == std::string::npos) {
    return word;
  }
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", R"('\'')"}}), "'");
}

}  // namespace

std::string ShellCommand(const std::vector<std::string>& words) {
  std::string text;
  size_t column = 4;
  for (const std::string& word : words) {
    const std::string quoted = Quoted(word);
    if (!text.empty() && column + quoted.size() + 3 > kColumns) {
      text += " \\\n    ";
      column = 6;
    } else if (!text.empty()) {
      text += " ";
    }
    text += quoted;
    column += quoted.size() + 1;
  }
  return text;
}

std::vector<std::string> ResumingWords(const std::vector<std::string>& words,
                                       const std::string& run_directory,
                                       bool names_directory) {
  std::vector<std::string> resuming;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--resume") {
      ++i;  // its value
    } else if (!absl::StartsWith(words[i], "--resume=")) {
      resuming.push_back(words[i]);
    }
  }
  if (!names_directory) {
    resuming.insert(resuming.end(), {"--run-dir", run_directory});
  }
  resuming.emplace_back("--resume=auto");
  return resuming;
}

std::string FailureReport(runtime::Vfs& vfs, const RunOptions& options,
                          char** argv, const Failure& failure) {
  std::vector<std::string> words;
  for (; *argv != nullptr; ++argv) {
    words.emplace_back(*argv);
  }
  const std::optional<Found> found =
      failure.run_directory.empty() ? std::nullopt
                                    : FindNewest(vfs, failure.run_directory);
  std::string text;
  const auto add = [&](absl::string_view label, const std::string& value) {
    if (!value.empty()) {
      absl::StrAppend(&text, text.empty() ? "" : "\n", label, value);
    }
  };
  add("where       ", WhereText(failure));
  if (failure.pid != 0) {
    add("rank        ", absl::StrCat(failure.rank, " of ", failure.ranks,
                                     ", pid ", failure.pid));
  }
  add("since       ", runtime::FormatUtc(failure.since_ns));
  add("checkpoint  ", CheckpointText(options, found));
  add("restarts    ", failure.restarts);
  // A directory with the steps of a run takes no other one, and one that was
  // resumed from elsewhere begins there again.
  const bool resumes =
      found || (!options.run_dir.empty() && options.resume.empty());
  add(MayPass(failure.status) ? "go on with" : "mend that, and go on with",
      absl::StrCat(
          "\n  ",
          ShellCommand(resumes ? ResumingWords(words, failure.run_directory,
                                               !options.run_dir.empty())
                               : words)));
  return text;
}

}  // namespace accel::tools
