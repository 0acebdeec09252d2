// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of one run: found or made, marked as ours and locked against a
// second run.
#ifndef ACCEL_RUNTIME_REPORT_RUN_DIRECTORY_H_
#define ACCEL_RUNTIME_REPORT_RUN_DIRECTORY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

struct RunDirectoryOptions {
  std::string path = {};  // --run-dir; empty: <parent>/<PLAN>-NNN, first free
  std::string plan_path = {};  // gives PLAN
  std::string parent = "runs";
  // The run goes on with one that is there.
  bool resumes = false;
};

// Borrows: the vfs.
class RunDirectory {
 public:
  // Refused: a folder that another process runs in (named), one that holds the
  // steps of an earlier run unless this one resumes, one with foreign files in
  // it, something that is no folder.
  static absl::StatusOr<std::unique_ptr<RunDirectory>> Open(
      Vfs& vfs, const RunDirectoryOptions& options);

  // What Open would refuse, but for races with other programs; nothing is made.
  static absl::Status Check(Vfs& vfs, const RunDirectoryOptions& options);

  // Whether `path` is the folder of a run, of this version, for who only looks
  // at it. NotFound if it is none, Unimplemented if of another version.
  static absl::Status CheckIsOne(Vfs& vfs, const std::string& path);

  // What every run writes into the folder `path`.
  static std::vector<std::string> FilesIn(const std::string& path);

  const std::string& path() const { return path_; }
  // The path of a file in the folder.
  std::string File(absl::string_view name) const;
  std::string metrics_path() const;
  std::string record_path() const;

 private:
  RunDirectory(std::string path, std::unique_ptr<FileLock> lock);

  static absl::StatusOr<std::unique_ptr<RunDirectory>> Enter(Vfs& vfs,
                                                             std::string path,
                                                             bool resumes);

  std::string path_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_RUN_DIRECTORY_H_
