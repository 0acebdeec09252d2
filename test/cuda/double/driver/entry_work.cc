// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the doubles of other libraries call: enqueue.h and inspect.h.
#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"
#include "test/cuda/double/driver/inspect.h"
#include "test/cuda/double/driver/tasks.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

bool IsComplete(const Work& work) {
  return work.name != nullptr && work.run != nullptr &&
         (work.access_count == 0 || work.accesses != nullptr);
}

}  // namespace

ACCEL_DOUBLE_EXPORT int accel_double_enqueue(StreamHandle handle,
                                             const Work* work) {
  const bool of_stream = work != nullptr && work->of_stream != 0;
  const Call call("accel_double_enqueue",
                  of_stream ? Needs::kInit : Needs::kContext);
  std::shared_ptr<Stream> stream;
  const Result result =
      of_stream ? call.Find(handle, &stream) : call.FindOwn(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  if (work == nullptr || !IsComplete(*work)) {
    return kErrorInvalidValue;
  }
  // Once there is a task, its end calls `destroy`.
  if (stream->capture != nullptr && stream->capture->is_invalid) {
    return kErrorStreamCaptureInvalidated;
  }
  std::vector<Device*> devices = call.driver().DevicesInUse();
  if (of_stream) {
    devices = {stream->device};
  }
  return call.driver().Enqueue(*stream, RunWork(std::move(devices), *work));
}

ACCEL_DOUBLE_EXPORT int accel_double_fails(const char* entry) {
  if (entry == nullptr) {
    return kErrorInvalidValue;
  }
  return Call(entry, Needs::kNothing).result;
}

ACCEL_DOUBLE_EXPORT int accel_double_current_gpu(int* gpu) {
  const Call call("accel_double_current_gpu", Needs::kContext);
  if (call.result == kSuccess) {
    *gpu = call.device->number;
  }
  return call.result;
}

ACCEL_DOUBLE_EXPORT int accel_double_current_capability(int* major,
                                                        int* minor) {
  const Call call("accel_double_current_capability", Needs::kContext);
  if (call.device == nullptr) {
    return call.result;
  }
  *major = call.device->capability.major;
  *minor = call.device->capability.minor;
  return kSuccess;
}

ACCEL_DOUBLE_EXPORT int accel_double_stream_state(StreamHandle handle,
                                                  StreamState* state) {
  const Call call("accel_double_stream_state", Needs::kInit);
  std::shared_ptr<Stream> stream;
  const Result result = call.Find(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  state->gpu = stream->device->number;
  state->capture = reinterpret_cast<uint64_t>(stream->capture.get());
  state->issues = stream->issues;
  return stream->capture != nullptr && stream->capture->is_invalid
             ? kErrorStreamCaptureInvalidated
             : kSuccess;
}

ACCEL_DOUBLE_EXPORT int accel_double_holds(int gpu, unsigned long long begin,
                                           size_t bytes) {
  const Call call("accel_double_holds", Needs::kInit);
  if (call.result != kSuccess || gpu < 0 ||
      static_cast<size_t>(gpu) >= call.driver().devices.size()) {
    return 0;
  }
  Device& device = *call.driver().devices[static_cast<size_t>(gpu)];
  return CheckRange(device, {begin, bytes, false}).has_value() ? 0 : 1;
}

ACCEL_DOUBLE_EXPORT void accel_double_report(const char* text) {
  const Call call("accel_double_report", Needs::kNothing);
  if (call.result == kSuccess) {
    call.driver().Report(text);
  }
}

ACCEL_DOUBLE_EXPORT void accel_double_progress() {
  const Call call("accel_double_progress", Needs::kNothing);
  if (call.result == kSuccess) {
    call.driver().scheduler.Progress();
  }
}
