// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, and work of the host in them.
#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"
#include "test/cuda/double/driver/tasks.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

}  // namespace

Result cuStreamCreate(StreamHandle* handle, unsigned flags) {
  const Call call("cuStreamCreate", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (handle == nullptr || (flags & ~kStreamNonBlocking) != 0) {
    return kErrorInvalidValue;
  }
  Device& device = *call.device;
  *handle = call.driver().streams.Add(call.driver().scheduler.AddStream(
      device, absl::StrCat("stream ", ++device.streams_made, " of GPU ",
                           device.number)));
  return kSuccess;
}

// What is in the stream is still executed.
Result cuStreamDestroy_v2(StreamHandle handle) {
  const Call call("cuStreamDestroy_v2", Needs::kContext);
  std::shared_ptr<Stream> stream;
  const Result result = call.Find(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  if (stream->capture != nullptr) {
    return call.driver().captures.Forbid(
        *stream->capture, kErrorStreamCaptureUnsupported,
        "cuStreamDestroy of a captured stream");
  }
  call.driver().streams.Remove(handle);
  return kSuccess;
}

Result cuStreamQuery(StreamHandle handle) {
  const Call call("cuStreamQuery", Needs::kContext);
  std::shared_ptr<Stream> stream;
  const Result result = call.Find(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  Driver& driver = call.driver();
  if (stream->capture != nullptr) {
    return driver.captures.Forbid(*stream->capture,
                                  kErrorStreamCaptureUnsupported,
                                  "cuStreamQuery of a captured stream");
  }
  driver.scheduler.Progress();
  if (stream->device->broken != kSuccess) {
    return stream->device->broken;
  }
  if (!stream->pending.empty()) {
    return kErrorNotReady;
  }
  driver.Saw(stream->clock);
  return kSuccess;
}

Result cuStreamWaitEvent(StreamHandle stream_handle, EventHandle event_handle,
                         unsigned flags) {
  const Call call("cuStreamWaitEvent", Needs::kContext);
  std::shared_ptr<Stream> stream;
  const Result result = call.Find(stream_handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  Driver& driver = call.driver();
  const std::shared_ptr<Event> event = driver.events.Find(event_handle);
  if (event == nullptr) {
    return kErrorInvalidHandle;
  }
  if (flags != 0) {
    return kErrorInvalidValue;
  }
  if (++driver.waits == driver.configuration.dropped_wait) {
    return kSuccess;
  }
  if (stream->capture != nullptr || event->capture != nullptr) {
    return driver.captures.Wait(*stream, *event);
  }
  if (event->record != nullptr) {
    driver.scheduler.Push(*stream, nullptr, driver.HostClock())
        ->after.push_back(event->record);
  }
  return kSuccess;
}

Result cuLaunchHostFunc(StreamHandle handle, HostFunction function,
                        void* data) {
  const Call call("cuLaunchHostFunc", Needs::kContext);
  std::shared_ptr<Stream> stream;
  const Result result = call.Find(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  if (function == nullptr) {
    return kErrorInvalidValue;
  }
  return call.driver().Enqueue(*stream, CallHost(function, data));
}
