// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metrics as an event file, which TensorBoard reads.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_EVENT_FILE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_EVENT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"
#include "tools/accel-inspect/report_run.h"

namespace accel::tools {

// A record of a TFRecord file: the length of `data` in 8 bytes, the masked
// CRC-32C of these, `data`, its masked CRC-32C; all little endian.
std::string FramedRecord(absl::string_view data);

// What the file of `run` is called: one name for one run directory, however
// often it is read and its run resumed.
std::string EventFileName(const RunReport& run);

// Writes the scalars of all steps into `folder`/EventFileName(run), in place of
// what an earlier call has written there, so that no point is there twice;
// missing folders are made. Returns the size of the file in bytes. Refused: a
// folder with another event file, as TensorBoard shows all files of a folder as
// one run.
absl::StatusOr<uint64_t> WriteEventFile(runtime::Vfs& vfs, const RunReport& run,
                                        const std::string& folder);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_EVENT_FILE_H_
