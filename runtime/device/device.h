// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank computes with: it says whether it can run a plan, loads the code,
// allocates the memory, and makes the streams that work on both. One folder per
// kind of device implements these interfaces; create_device.h alone knows them.
#ifndef ACCEL_RUNTIME_DEVICE_DEVICE_H_
#define ACCEL_RUNTIME_DEVICE_DEVICE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/base/watchdog.h"
#include "runtime/comm/communicator.h"
#include "runtime/device/roofline.h"
#include "runtime/device/stream.h"
#include "runtime/device/tuned_products.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// Who carries out collectives between GPUs.
enum class CollectivesChoice {
  kAuto,  // kCard for ranks that share a GPU, kNccl for others
  kNccl,
  kCard,  // copies and sums on the GPU that all ranks share
  kHost,  // through memory of the host, by its communicator
};

// The memory of one rank: all spaces of its layout.
//
// Threads: calls on different ranges may come from different threads.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  // Copies from the host, to the host.
  // Requires: the range lies in the layout; both sizes are equal; no stream
  // works on the range.
  virtual absl::Status Write(const ByteRange& range,
                             absl::Span<const std::byte> src) = 0;
  virtual absl::Status Read(const ByteRange& range,
                            absl::Span<std::byte> dst) const = 0;
};

// The code of a plan's kernels, in the variant that the device has chosen.
class DeviceCode {
 public:
  virtual ~DeviceCode() = default;

  // "x86-64-v4"; empty if the plan has no kernels.
  virtual std::string variant() const = 0;
};

// Gives so many zeroed bytes, from a new page on, that are the same for all
// ranks of the host and live longer than the rank's memory. Null: the rank is
// alone and has its own.
using SharedAllocator =
    std::function<absl::StatusOr<absl::Span<std::byte>>(uint64_t bytes)>;

struct StreamOptions {
  // The work of all streams is done in the order in which it was enqueued.
  bool serial = false;
  // Devices that can may capture a function and replay it.
  bool graphs = true;
  // StreamClient::Finish is told the times.
  bool timed = false;
  // How a library computes the plan's products. Borrowed; null: as the library
  // chooses. Unimplemented if it was measured on another machine.
  const TunedProducts* tuned = nullptr;
  // Does the collectives. Borrowed; null for a rank alone.
  Communicator* communicator = nullptr;
  // Borrowed. Ends waits of streams and for streams; the client notes progress.
  const Watchdog* watchdog = nullptr;
};

struct TuningOptions {
  // How long the device may take for the calls of one algorithm.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  // Told of each product when it has been measured; an error ends the tuning.
  std::function<absl::Status(const std::string& kernel, const TunedProduct&)>
      measured;
};

class Device {
 public:
  virtual ~Device() = default;

  // For people: "AMD EPYC 9654 96-Core Processor, 2 threads".
  virtual std::string Describe() const = 0;
  // The threads that a launch is cut for: RankBinding::threads.
  virtual int threads() const = 0;

  // Whether the plan has code that this device runs, and which: the variant's
  // index. Unimplemented, naming what is missing, otherwise.
  virtual absl::StatusOr<int> ChooseVariant(const PlanView& plan) const = 0;
  // Loads the code of that variant.
  virtual absl::StatusOr<std::unique_ptr<DeviceCode>> LoadCode(
      const Plan& plan) = 0;

  // All memory of the layout, zeroed. ResourceExhausted, naming what is needed
  // and what there is, if it does not fit; then nothing was allocated. What
  // `shared` gives counts once for all ranks: each is asked for its share.
  virtual absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(
      const PlanView& plan, const MemoryLayout& layout,
      const SharedAllocator& shared = nullptr) = 0;

  // Whether Allocate has room for them, ResourceExhausted as it says otherwise.
  // `sharing`: the ranks that share what is shared.
  virtual absl::Status CheckMemory(const MemoryLayout& layout,
                                   uint64_t sharing) const = 0;

  // One stream for each of the plan's.
  // Borrows: everything.
  // Requires: code and memory are of this device and this plan.
  virtual absl::StatusOr<std::unique_ptr<StreamGroup>> CreateStreams(
      const PlanView& plan, const DeviceCode& code, DeviceMemory& memory,
      StreamClient& client, const StreamOptions& options) = 0;

  // Measures all algorithms that the device's library has for each product of
  // the plan, on memory of its own: operands as large and as aligned as in the
  // layout. Everything but the plan's hash is filled in.
  // Unimplemented where no library computes products; ResourceExhausted if the
  // operands of the largest one do not fit.
  virtual absl::StatusOr<TunedProducts> TuneProducts(
      const PlanView& /*plan*/, const MemoryLayout& /*layout*/,
      const TuningOptions& /*options*/) {
    return absl::UnimplementedError(
        "this device computes products by the plan's own code, and has no "
        "other algorithms to measure");
  }

  // Whether MeasureRoofline is there. Where it is not, nobody knows the peak.
  virtual bool HasRoofline() const { return true; }
  // Measures what the device can do; takes about half a second, and of the
  // host's memory so many bytes as long as it lasts.
  virtual absl::StatusOr<Roofline> MeasureRoofline() = 0;
  virtual uint64_t RooflineMemoryBytes() const = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_DEVICE_H_
