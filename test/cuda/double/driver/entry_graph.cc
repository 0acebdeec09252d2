// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Capture and graphs.
#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

// Flags of cuGraphInstantiate that change nothing here: free memory at a
// launch, and the nodes' priorities.
constexpr unsigned long long kInstantiateFlags = 1 | 8;

}  // namespace

Result cuStreamBeginCapture_v2(StreamHandle handle, int mode) {
  const Call call("cuStreamBeginCapture_v2", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.Find(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  return call.driver().captures.Begin(*stream, mode, ThisThread());
}

Result cuStreamEndCapture(StreamHandle handle, Graph* graph) {
  const Call call("cuStreamEndCapture", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.Find(handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  if (graph == nullptr) {
    return kErrorInvalidValue;
  }
  *graph = nullptr;
  std::shared_ptr<CapturedGraph> captured;
  result = call.driver().captures.End(*stream, ThisThread(), &captured);
  if (result == kSuccess) {
    *graph = call.driver().graphs.Add(std::move(captured));
  }
  return result;
}

Result cuGraphInstantiateWithFlags(GraphExec* executable, Graph handle,
                                   unsigned long long flags) {
  const Call call("cuGraphInstantiateWithFlags", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  Driver& driver = call.driver();
  auto graph = driver.graphs.Find(handle);
  if (executable == nullptr || graph == nullptr ||
      (flags & ~kInstantiateFlags) != 0) {
    return kErrorInvalidValue;
  }
  const std::string name = absl::StrCat("graph ", driver.executables.made() + 1,
                                        " of GPU ", graph->device->number);
  *executable =
      driver.executables.Add(Instantiate(graph, name, driver.scheduler));
  return kSuccess;
}

Result cuGraphLaunch(GraphExec handle, StreamHandle stream_handle) {
  const Call call("cuGraphLaunch", Needs::kContext);
  std::shared_ptr<Stream> stream;
  Result result = call.Find(stream_handle, &stream);
  if (result != kSuccess) {
    return result;
  }
  Driver& driver = call.driver();
  const std::shared_ptr<ExecutableGraph> executable =
      driver.executables.Find(handle);
  if (executable == nullptr || executable->graph->device != stream->device) {
    return kErrorInvalidValue;
  }
  if (stream->capture != nullptr) {
    return driver.captures.Forbid(*stream->capture,
                                  kErrorStreamCaptureUnsupported,
                                  "cuGraphLaunch into a captured stream");
  }
  Launch(*executable, *stream, driver.scheduler, driver.HostClock());
  return kSuccess;
}

// Launches that have not been executed still are.
Result cuGraphExecDestroy(GraphExec handle) {
  const Call call("cuGraphExecDestroy", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  return call.driver().executables.Remove(handle) ? kSuccess
                                                  : kErrorInvalidValue;
}

Result cuGraphDestroy(Graph handle) {
  const Call call("cuGraphDestroy", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  return call.driver().graphs.Remove(handle) ? kSuccess : kErrorInvalidValue;
}
