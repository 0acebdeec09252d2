// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams in capture mode, and the graphs that they make. The rules are those
// of "Stream Capture" in the CUDA programming guide.
//
// The double is stricter than the guide, or says less, in these points:
//   - a copy from or to pageable memory cannot be captured;
//   - a graph cannot be launched into a captured stream;
//   - an event that has never been recorded cannot be waited for by a captured
//     stream.
//
// Threads: used under the driver's lock.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_CAPTURE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_CAPTURE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/scheduler.h"
#include "test/cuda/double/driver/stream.h"
#include "test/cuda/double/driver/task.h"

namespace accel::cuda_double {

// Codes of the driver API that driver.h does not list.
enum : runtime::cuda::Result {
  kErrorIllegalState = 401,
  kErrorNotPermitted = 800,
  kErrorStreamCaptureMerge = 902,
  kErrorStreamCaptureUnmatched = 903,
  kErrorCapturedEvent = 907,
  kErrorStreamCaptureWrongThread = 908,
};

struct Node {
  SharedTask task;
  std::set<size_t> after;  // nodes before it
};

struct CapturedGraph {
  Device* device = nullptr;
  std::vector<Node> nodes;
};

struct Capture {
  int mode = 0;
  uint64_t thread = 0;
  Stream* origin = nullptr;
  std::shared_ptr<CapturedGraph> graph;
  std::vector<Stream*> streams;  // the origin first
  bool is_invalid = false;
};

// A graph that can be launched. Nodes of one branch are ordered; nodes of two
// branches are ordered only where the graph says so.
struct ExecutableGraph {
  std::shared_ptr<const CapturedGraph> graph;
  std::vector<size_t> branch_of;  // of each node
  std::vector<std::shared_ptr<Stream>> branches;
  std::shared_ptr<Operation> end;  // of the last launch
};

class Captures {
 public:
  using Report = std::function<void(const std::string&)>;
  using Result = runtime::cuda::Result;

  explicit Captures(Report report) : report_(std::move(report)) {}

  Result Begin(Stream& stream, int mode, uint64_t thread);
  // Adds a node behind what the stream has captured.
  Result Add(Stream& stream, SharedTask task);
  Result Record(Stream& stream, Event& event);
  // For a stream or an event that is captured.
  Result Wait(Stream& stream, const Event& event);
  Result End(Stream& stream, uint64_t thread,
             std::shared_ptr<CapturedGraph>* graph);

  // Says that `what` cannot be done to a captured stream or event.
  Result Forbid(Capture& capture, Result code, const std::string& what);
  // Refuses a call that may synchronise while a capture does not allow it.
  Result CheckUnsafe(const std::string& entry, uint64_t thread);
  // Ends all captures of a device whose context ends.
  void Abandon(const Device& device);

 private:
  void Close(Capture& capture);

  Report report_;
  std::vector<std::shared_ptr<Capture>> active_;
};

std::shared_ptr<ExecutableGraph> Instantiate(
    std::shared_ptr<const CapturedGraph> graph, const std::string& name,
    Scheduler& scheduler);
// Enqueues a launch behind what the stream holds.
void Launch(ExecutableGraph& executable, Stream& stream, Scheduler& scheduler,
            const Clock& host);

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_CAPTURE_H_
