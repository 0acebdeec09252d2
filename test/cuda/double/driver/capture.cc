// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/capture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace accel::cuda_double {
namespace {

using namespace runtime::cuda;  // NOLINT

// The nodes that are in the set or before one in it.
std::vector<bool> Before(const CapturedGraph& graph,
                         const std::set<size_t>& nodes) {
  std::vector<bool> before(graph.nodes.size());
  for (size_t node : nodes) {
    before[node] = true;
  }
  for (size_t node = graph.nodes.size(); node-- > 0;) {
    if (before[node]) {
      for (size_t other : graph.nodes[node].after) {
        before[other] = true;
      }
    }
  }
  return before;
}

}  // namespace

Result Captures::Begin(Stream& stream, int mode, uint64_t thread) {
  if (mode < kCaptureModeGlobal || mode > kCaptureModeRelaxed) {
    return kErrorInvalidValue;
  }
  if (stream.capture != nullptr) {
    return Forbid(*stream.capture, kErrorIllegalState,
                  "cuStreamBeginCapture of a captured stream");
  }
  auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->thread = thread;
  capture->origin = &stream;
  capture->graph = std::make_shared<CapturedGraph>();
  capture->graph->device = stream.device;
  capture->streams = {&stream};
  stream.capture = capture;
  stream.frontier.clear();
  active_.push_back(capture);
  return kSuccess;
}

Result Captures::Add(Stream& stream, SharedTask task) {
  Capture& capture = *stream.capture;
  if (capture.is_invalid) {
    return kErrorStreamCaptureInvalidated;
  }
  std::vector<Node>& nodes = capture.graph->nodes;
  ++stream.issues;
  nodes.push_back({std::move(task), stream.frontier});
  stream.frontier = {nodes.size() - 1};
  return kSuccess;
}

Result Captures::Record(Stream& stream, Event& event) {
  if (stream.capture->is_invalid) {
    return kErrorStreamCaptureInvalidated;
  }
  ++stream.issues;
  event.record = nullptr;
  event.capture = stream.capture;
  event.nodes = stream.frontier;
  return kSuccess;
}

Result Captures::Wait(Stream& stream, const Event& event) {
  const bool event_is_active =
      event.capture != nullptr && !event.capture->streams.empty();
  if (stream.capture != nullptr && stream.capture->is_invalid) {
    return kErrorStreamCaptureInvalidated;
  }
  if (stream.capture == nullptr && !event_is_active) {
    report_("cuStreamWaitEvent: the capture that recorded the event has ended");
    return kErrorCapturedEvent;
  }
  if (!event_is_active) {
    return Forbid(*stream.capture, kErrorStreamCaptureIsolation,
                  "cuStreamWaitEvent in a captured stream on an event from "
                  "outside the capture");
  }
  if (event.capture->is_invalid) {
    return kErrorStreamCaptureInvalidated;
  }
  if (stream.capture == nullptr) {
    stream.capture = event.capture;
    stream.frontier = event.nodes;
    event.capture->streams.push_back(&stream);
    return kSuccess;
  }
  if (stream.capture != event.capture) {
    event.capture->is_invalid = true;
    return Forbid(*stream.capture, kErrorStreamCaptureMerge,
                  "cuStreamWaitEvent on an event of another capture");
  }
  ++stream.issues;
  stream.frontier.insert(event.nodes.begin(), event.nodes.end());
  return kSuccess;
}

void Captures::Close(Capture& capture) {
  const std::vector<Stream*> streams = std::move(capture.streams);
  capture.streams.clear();
  const auto closed =
      std::find_if(active_.begin(), active_.end(),
                   [&](const auto& other) { return other.get() == &capture; });
  const std::shared_ptr<Capture> keep = *closed;
  active_.erase(closed);
  for (Stream* stream : streams) {
    stream->capture = nullptr;
    stream->frontier.clear();
  }
}

Result Captures::End(Stream& stream, uint64_t thread,
                     std::shared_ptr<CapturedGraph>* graph) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) {
    return kErrorIllegalState;
  }
  if (capture->origin != &stream) {
    return Forbid(*capture, kErrorStreamCaptureUnmatched,
                  "cuStreamEndCapture of a stream that did not begin it");
  }
  if (capture->mode != kCaptureModeRelaxed && capture->thread != thread) {
    return Forbid(*capture, kErrorStreamCaptureWrongThread,
                  "cuStreamEndCapture in another thread than the beginning");
  }
  const std::vector<bool> joined = Before(*capture->graph, stream.frontier);
  const bool all_joined = std::all_of(
      capture->streams.begin(), capture->streams.end(), [&](const Stream* s) {
        return std::all_of(s->frontier.begin(), s->frontier.end(),
                           [&](size_t node) { return joined[node]; });
      });
  Close(*capture);
  if (capture->is_invalid) {
    return kErrorStreamCaptureInvalidated;
  }
  if (!all_joined) {
    report_(
        "cuStreamEndCapture: a stream was pulled into the capture and its work "
        "is not joined to the stream that began it");
    return kErrorStreamCaptureUnjoined;
  }
  *graph = capture->graph;
  return kSuccess;
}

Result Captures::Forbid(Capture& capture, Result code,
                        const std::string& what) {
  if (capture.is_invalid) {
    return kErrorStreamCaptureInvalidated;
  }
  capture.is_invalid = true;
  report_(absl::StrCat("capture: ", what, " invalidates the capture"));
  return code;
}

Result Captures::CheckUnsafe(const std::string& entry, uint64_t thread) {
  Result result = kSuccess;
  for (const auto& capture : active_) {
    const bool forbids =
        capture->mode == kCaptureModeGlobal ||
        (capture->mode == kCaptureModeThreadLocal && capture->thread == thread);
    if (forbids) {
      Forbid(*capture, kErrorStreamCaptureUnsupported, entry);
      result = kErrorStreamCaptureUnsupported;
    }
  }
  return result;
}

void Captures::Abandon(const Device& device) {
  const std::vector<std::shared_ptr<Capture>> active = active_;
  for (const auto& capture : active) {
    if (capture->graph->device == &device) {
      Close(*capture);
    }
  }
}

}  // namespace accel::cuda_double
