// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events.
#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

// Flags of cuEventCreate: blocking synchronisation, no timing.
constexpr unsigned kEventFlags = 1 | kEventDisableTiming;

Result Find(const Call& call, EventHandle handle,
            std::shared_ptr<Event>* event) {
  if (call.result != kSuccess) {
    return call.result;
  }
  *event = call.driver().events.Find(handle);
  return *event == nullptr ? kErrorInvalidHandle : (*event)->device->broken;
}

// Events that a capture recorded stand for nodes, which are never complete.
Result CheckCapture(const Call& call, const Event& event, const char* what) {
  if (event.capture == nullptr) {
    return kSuccess;
  }
  if (event.capture->streams.empty()) {
    return kErrorCapturedEvent;
  }
  return call.driver().captures.Forbid(*event.capture, kErrorCapturedEvent,
                                       what);
}

}  // namespace

Result cuEventCreate(EventHandle* handle, unsigned flags) {
  const Call call("cuEventCreate", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (handle == nullptr || (flags & ~kEventFlags) != 0) {
    return kErrorInvalidValue;
  }
  auto event = std::make_shared<Event>();
  event->device = call.device;
  event->is_timed = (flags & kEventDisableTiming) == 0;
  *handle = call.driver().events.Add(std::move(event));
  return kSuccess;
}

// Waits for the event stay in their streams.
Result cuEventDestroy_v2(EventHandle handle) {
  const Call call("cuEventDestroy_v2", Needs::kContext);
  std::shared_ptr<Event> event;
  if (const Result found = Find(call, handle, &event); found != kSuccess) {
    return found;
  }
  call.driver().events.Remove(handle);
  return kSuccess;
}

Result cuEventRecord(EventHandle handle, StreamHandle stream_handle) {
  const Call call("cuEventRecord", Needs::kContext);
  std::shared_ptr<Event> event;
  std::shared_ptr<Stream> stream;
  Result result = Find(call, handle, &event);
  if (result == kSuccess) {
    result = call.Find(stream_handle, &stream);
  }
  if (result != kSuccess) {
    return result;
  }
  if (event->device != stream->device) {
    return kErrorInvalidHandle;
  }
  if (stream->capture != nullptr) {
    return call.driver().captures.Record(*stream, *event);
  }
  event->capture = nullptr;
  event->nodes.clear();
  event->record =
      call.driver().scheduler.Push(*stream, nullptr, call.driver().HostClock());
  return kSuccess;
}

Result cuEventQuery(EventHandle handle) {
  const Call call("cuEventQuery", Needs::kContext);
  std::shared_ptr<Event> event;
  Result result = Find(call, handle, &event);
  if (result == kSuccess) {
    result = CheckCapture(call, *event, "cuEventQuery of a captured event");
  }
  if (result == kSuccess) {
    result = call.CheckUnsafe();
  }
  if (result != kSuccess) {
    return result;
  }
  const std::shared_ptr<Operation> record = event->record;
  if (record == nullptr) {
    return kSuccess;
  }
  call.driver().scheduler.Progress();
  if (event->device->broken != kSuccess) {
    return event->device->broken;
  }
  if (!record->IsDone()) {
    return kErrorNotReady;
  }
  call.driver().Saw(record->clock);
  return kSuccess;
}

Result cuEventElapsedTime(float* milliseconds, EventHandle begin_handle,
                          EventHandle end_handle) {
  const Call call("cuEventElapsedTime", Needs::kContext);
  std::shared_ptr<Event> begin;
  std::shared_ptr<Event> end;
  Result result = Find(call, begin_handle, &begin);
  if (result == kSuccess) {
    result = Find(call, end_handle, &end);
  }
  if (result != kSuccess) {
    return result;
  }
  if (milliseconds == nullptr) {
    return kErrorInvalidValue;
  }
  for (const auto& event : {begin, end}) {
    if (event->capture != nullptr) {
      return CheckCapture(call, *event, "cuEventElapsedTime");
    }
    if (event->record == nullptr || !event->is_timed ||
        event->device != begin->device) {
      return kErrorInvalidHandle;
    }
  }
  if (!begin->record->IsDone() || !end->record->IsDone()) {
    return kErrorNotReady;
  }
  const auto difference =
      static_cast<int64_t>(end->record->end_ns - begin->record->end_ns);
  *milliseconds = static_cast<float>(static_cast<double>(difference) / 1e6);
  return kSuccess;
}
