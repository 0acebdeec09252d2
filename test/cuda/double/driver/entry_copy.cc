// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, memsets and values written by a stream.
#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"
#include "test/cuda/double/driver/tasks.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

// What is wrong with the call already, before its turn in the stream.
struct Arguments {
  const char* entry;
  std::vector<Touched> device;
  const void* host = nullptr;
  size_t host_bytes = 0;
};

// Flags of cuStreamWriteValue32: none, or without a memory barrier before it.
constexpr unsigned kWriteFlags = 1;

Result Check(Call& call, const Arguments& arguments) {
  Driver& driver = call.driver();
  for (const Touched& access : arguments.device) {
    std::optional<Fault> fault = CheckRange(*call.device, access);
    if (fault.has_value()) {
      fault->text = absl::StrCat(arguments.entry, ": ", fault->text);
      return driver.Break(*call.device, *fault);
    }
  }
  const auto host = reinterpret_cast<uint64_t>(arguments.host);
  const Block* pinned = driver.host.Find(arguments.host);
  if (pinned != nullptr && !pinned->Holds(host, arguments.host_bytes)) {
    return driver.Break(
        *call.device,
        {kErrorIllegalAddress,
         absl::StrCat(arguments.entry, ": out of range: ", arguments.host_bytes,
                      " bytes leave ", pinned->name(), " of ", pinned->bytes(),
                      " bytes at offset ", host - pinned->begin())});
  }
  for (Device* device : driver.DevicesInUse()) {
    if (device->memory->Find(host) != nullptr) {
      return driver.Break(*call.device, {kErrorLaunchFailed,
                                         absl::StrCat(arguments.entry,
                                                      ": the pointer to host "
                                                      "memory is one to the "
                                                      "memory of GPU ",
                                                      device->number)});
    }
  }
  return kSuccess;
}

// A copy of pageable memory cannot be captured.
Result CheckCapture(const Call& call, const Stream& stream, const void* host,
                    const char* entry) {
  if (stream.capture == nullptr || call.driver().host.Find(host) != nullptr) {
    return kSuccess;
  }
  return call.driver().captures.Forbid(
      *stream.capture, kErrorStreamCaptureUnsupported,
      absl::StrCat(entry, " of pageable memory in a captured stream"));
}

Result EnqueueMemset(const char* entry, DevicePointer to, uint32_t value,
                     size_t width, size_t count, StreamHandle handle) {
  Call call(entry, Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.FindOwn(handle, &stream);
  if (result != kSuccess || count == 0) {
    return result;
  }
  if (to % width != 0 || count > SIZE_MAX / width) {
    return kErrorInvalidValue;
  }
  result = Check(call, {entry, {{to, width * count, true}}});
  if (result != kSuccess) {
    return result;
  }
  return call.driver().Enqueue(*stream,
                               Memset(*call.device, to, value, width, count));
}

}  // namespace

Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes,
                            StreamHandle handle) {
  Call call("cuMemcpyHtoDAsync_v2", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.Find(handle, &stream);
  if (result != kSuccess || bytes == 0) {
    return result;
  }
  if (from == nullptr) {
    return kErrorInvalidValue;
  }
  result = Check(call, {"cuMemcpyHtoDAsync", {{to, bytes, true}}, from, bytes});
  if (result == kSuccess) {
    result = CheckCapture(call, *stream, from, "cuMemcpyHtoDAsync");
  }
  if (result != kSuccess) {
    return result;
  }
  return call.driver().Enqueue(
      *stream, CopyToDevice(*call.device, call.driver().host, to, from, bytes));
}

Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes,
                            StreamHandle handle) {
  Call call("cuMemcpyDtoHAsync_v2", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.Find(handle, &stream);
  if (result != kSuccess || bytes == 0) {
    return result;
  }
  if (to == nullptr) {
    return kErrorInvalidValue;
  }
  const bool is_pinned = call.driver().host.Find(to) != nullptr;
  result =
      Check(call, {"cuMemcpyDtoHAsync", {{from, bytes, false}}, to, bytes});
  if (result == kSuccess) {
    result = CheckCapture(call, *stream, to, "cuMemcpyDtoHAsync");
  }
  if (result == kSuccess && !is_pinned) {
    result = call.CheckUnsafe();
  }
  std::shared_ptr<Operation> copy;
  if (result == kSuccess) {
    result = call.driver().Enqueue(
        *stream, CopyToHost(*call.device, call.driver().host, to, from, bytes),
        &copy);
  }
  if (result != kSuccess || is_pinned) {
    return result;
  }
  return call.driver().Await(*stream->device, *copy);
}

Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes,
                            StreamHandle handle) {
  Call call("cuMemcpyDtoDAsync_v2", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.Find(handle, &stream);
  if (result != kSuccess || bytes == 0) {
    return result;
  }
  result = Check(
      call, {"cuMemcpyDtoDAsync", {{from, bytes, false}, {to, bytes, true}}});
  if (result != kSuccess) {
    return result;
  }
  return call.driver().Enqueue(*stream,
                               CopyOnDevice(*call.device, to, from, bytes));
}

Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t count,
                       StreamHandle stream) {
  return EnqueueMemset("cuMemsetD8Async", to, value, 1, count, stream);
}

Result cuMemsetD16Async(DevicePointer to, unsigned short value, size_t count,
                        StreamHandle stream) {
  return EnqueueMemset("cuMemsetD16Async", to, value, 2, count, stream);
}

Result cuMemsetD32Async(DevicePointer to, unsigned value, size_t count,
                        StreamHandle stream) {
  return EnqueueMemset("cuMemsetD32Async", to, value, 4, count, stream);
}

// NVIDIA's documents ask for the alignment of `to` and of the pitch; rows that
// overlap have no documented meaning.
Result cuMemsetD2D32Async(DevicePointer to, size_t pitch, unsigned value,
                          size_t width, size_t height, StreamHandle handle) {
  Call call("cuMemsetD2D32Async", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.FindOwn(handle, &stream);
  if (result != kSuccess || width == 0 || height == 0) {
    return result;
  }
  if (to % sizeof(value) != 0 || pitch % sizeof(value) != 0 ||
      pitch / sizeof(value) < width || height > SIZE_MAX / pitch) {
    return kErrorInvalidValue;
  }
  // The range first: it bounds how many rows there are to list.
  const uint64_t all = pitch * (height - 1) + width * sizeof(value);
  result = Check(call, {"cuMemsetD2D32Async", {{to, all, true}}});
  if (result != kSuccess) {
    return result;
  }
  return call.driver().Enqueue(
      *stream, MemsetRows(*call.device, to, pitch, value, width, height));
}

Result cuStreamWriteValue32_v2(StreamHandle handle, DevicePointer to,
                               uint32_t value, unsigned flags) {
  Call call("cuStreamWriteValue32_v2", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.FindOwn(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  if (to % sizeof(value) != 0 || (flags & ~kWriteFlags) != 0) {
    return kErrorInvalidValue;
  }
  result = Check(call, {"cuStreamWriteValue32", {{to, sizeof(value), true}}});
  if (result != kSuccess) {
    return result;
  }
  return call.driver().Enqueue(
      *stream, WriteValue(*call.device, call.driver().host, to, value));
}
