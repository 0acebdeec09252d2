// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/refusals.h"

#include <cstdio>
#include <cstdlib>

#include "test/cuda/double/driver/enqueue.h"
#include "test/cuda/double/driver/inspect.h"

namespace accel::cuda_double::dnn {
namespace {

constexpr size_t kMaxText = 512;
thread_local const char* entry_of_thread = "";
// A plain array: a destructor would keep the library from being unloaded.
thread_local char last_reason[kMaxText] = "";

bool IsMistake(Status status) {
  return status == kNotInitialized || status / 1000 == 2;
}

void Say(Status status, const std::string& reason) {
  const char* level = std::getenv("CUDNN_LOGLEVEL_DBG");
  if (level != nullptr && std::atoi(level) > 0) {
    std::fprintf(stderr, "double of cuDNN: %s gives %d: %s\n", entry_of_thread,
                 status, reason.c_str());
  }
}

}  // namespace

Status Enter(const char* entry) {
  entry_of_thread = entry;
  const Status status = accel_double_fails(entry);
  if (status != kSuccess) {
    std::snprintf(last_reason, kMaxText, "%s: the environment asks for it",
                  entry);
    Say(status, "the environment asks for it");
  }
  return status;
}

Status Refuse(Status status, const std::string& reason) {
  std::snprintf(last_reason, kMaxText, "%s: %s", entry_of_thread,
                reason.c_str());
  if (IsMistake(status)) {
    accel_double_report((std::string("cuDNN: ") + last_reason).c_str());
  } else {
    Say(status, reason);
  }
  return status;
}

Status Bad(const std::string& reason) { return Refuse(kBadParam, reason); }

const char* LastReason() { return last_reason; }

}  // namespace accel::cuda_double::dnn
