// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/group.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "test/cuda/double/nccl/communicators.h"
#include "test/cuda/double/nccl/refusals.h"

namespace accel::cuda_double::nccl {
namespace {

using namespace runtime::cuda;  // NOLINT

struct Part {
  std::shared_ptr<Communicator> communicator;
  Launch launch;
};

struct Group {
  int depth = 0;
  NcclResult error = kNcclSuccess;
  std::vector<Part> parts;  // one for each communicator
  std::vector<NcclComm*> joining;

  bool IsEmpty() const { return parts.empty() && joining.empty(); }
};

// A thread-local object would keep the library from being unloaded.
Group& OfThread() {
  static auto& groups = *new std::map<std::thread::id, Group>;
  static auto& lock = *new std::mutex;
  const std::lock_guard<std::mutex> guard(lock);
  return groups[std::this_thread::get_id()];
}

NcclResult CheckBuffers(const Communicator& communicator,
                        const Collective& collective, const std::string& what) {
  for (const Range& range : {ReadBy(collective, communicator.rank()),
                             WrittenBy(collective, communicator.rank())}) {
    if (range.bytes != 0 &&
        accel_double_holds(communicator.gpu(), range.begin, range.bytes) == 0) {
      return Misuse(kNcclInvalidArgument,
                    what +
                        ": the bytes of a buffer are in no allocation of "
                        "GPU " +
                        std::to_string(communicator.gpu()));
    }
  }
  return kNcclSuccess;
}

NcclResult CheckStream(const Communicator& communicator, StreamHandle stream,
                       const std::string& what, StreamState* state) {
  const Result result = accel_double_stream_state(stream, state);
  if (result != kSuccess) {
    return Fail(kNcclUnhandledCudaError,
                what + ": the stream gives error " + std::to_string(result));
  }
  if (state->gpu != communicator.gpu()) {
    return Misuse(kNcclUnhandledCudaError,
                  what + ": the stream is of GPU " +
                      std::to_string(state->gpu) +
                      " and the communicator of GPU " +
                      std::to_string(communicator.gpu()));
  }
  return kNcclSuccess;
}

NcclResult RefuseMixture(const std::string& what) {
  return Misuse(
      kNcclInvalidUsage,
      what + ": a group that creates communicators does nothing else");
}

std::vector<Part>::iterator AddPart(
    Group& group, const std::shared_ptr<Communicator>& communicator,
    StreamHandle stream, const StreamState& state) {
  Launch launch = {{}, stream, state};
  for (Part& part : group.parts) {
    if (part.launch.stream == stream) {
      part.launch.is_alone = launch.is_alone = false;
    }
  }
  group.parts.push_back({communicator, std::move(launch)});
  return std::prev(group.parts.end());
}

// Adds a checked collective to what the group has for its communicator.
NcclResult Add(Group& group, const std::shared_ptr<Communicator>& communicator,
               const Collective& collective, StreamHandle stream,
               const StreamState& state, const std::string& what) {
  if (!group.joining.empty()) {
    return RefuseMixture(what);
  }
  auto part = std::find_if(
      group.parts.begin(), group.parts.end(),
      [&](const Part& p) { return p.communicator == communicator; });
  if (part == group.parts.end()) {
    if (!group.parts.empty() && group.parts[0].communicator->is_blocking() !=
                                    communicator->is_blocking()) {
      return Misuse(kNcclInvalidArgument,
                    what + ": a group has blocking communicators and others");
    }
    part = AddPart(group, communicator, stream, state);
  }
  if (part->launch.state.capture != state.capture) {
    return Misuse(kNcclInvalidUsage,
                  what +
                      ": the streams of a group are not all captured by the "
                      "same graph, or all by none");
  }
  if (part->launch.stream != stream) {
    return Misuse(kNcclInvalidUsage,
                  what +
                      ": the double takes one stream for all collectives of "
                      "a communicator in a group");
  }
  part->launch.group.push_back(collective);
  const std::string overlap =
      CheckGroup(part->launch.group, communicator->rank());
  return overlap.empty() ? kNcclSuccess
                         : Misuse(kNcclInvalidArgument, what + ": " + overlap);
}

void GiveUp(NcclComm* handle) {
  const std::shared_ptr<Communicator> communicator = FindCommunicator(*handle);
  if (communicator != nullptr) {
    communicator->Abort();
  }
  RemoveCommunicator(std::exchange(*handle, nullptr));
}

NcclResult EndJoining(NcclComm* handle) {
  const std::shared_ptr<Communicator> communicator = FindCommunicator(*handle);
  if (communicator == nullptr) {
    return kNcclInternalError;  // Another thread has aborted it.
  }
  if (!communicator->is_blocking()) {
    return kNcclInProgress;
  }
  const NcclResult result = communicator->Wait();
  if (result != kNcclSuccess) {
    GiveUp(handle);
  }
  return result;
}

NcclResult End(Group group) {
  if (group.error != kNcclSuccess) {
    for (NcclComm* handle : group.joining) {
      GiveUp(handle);
    }
    return group.error;
  }
  NcclResult worst = kNcclSuccess;
  const auto add = [&worst](NcclResult result) {
    if (worst == kNcclSuccess || worst == kNcclInProgress) {
      worst = result == kNcclSuccess ? worst : result;
    }
  };
  for (NcclComm* handle : group.joining) {
    add(EndJoining(handle));
  }
  for (Part& part : group.parts) {
    add(part.communicator->Start(std::move(part.launch)));
  }
  return worst;
}

NcclResult CheckCollective(NcclComm handle, const Collective& collective,
                           StreamHandle stream, StreamState* state,
                           std::shared_ptr<Communicator>* communicator) {
  NcclResult result = kNcclSuccess;
  const std::string what = Describe(collective);
  *communicator =
      RequireCommunicator(handle, EntryOf(collective.kind), &result);
  if (*communicator == nullptr) {
    return result;
  }
  result = (*communicator)->CheckReady(what);
  if (result != kNcclSuccess) {
    return result;
  }
  const Rank rank = (*communicator)->rank();
  std::string wrong = CheckArguments(collective, rank);
  if (wrong.empty()) {
    wrong = CheckOverlap(collective, rank);
  }
  if (!wrong.empty()) {
    return Misuse(kNcclInvalidArgument, what + ": " + wrong);
  }
  result = CheckBuffers(**communicator, collective, what);
  return result == kNcclSuccess
             ? CheckStream(**communicator, stream, what, state)
             : result;
}

}  // namespace

NcclResult StartGroup() {
  ++OfThread().depth;
  return kNcclSuccess;
}

NcclResult EndGroup() {
  Group& group = OfThread();
  if (group.depth == 0) {
    return Misuse(kNcclInvalidUsage, "ncclGroupEnd: no group has started");
  }
  return --group.depth > 0 ? kNcclSuccess : End(std::exchange(group, {}));
}

NcclResult FailGroup(NcclResult result) {
  Group& group = OfThread();
  if (group.depth > 0 && group.error == kNcclSuccess) {
    group.error = result;
  }
  return result;
}

NcclResult AddCollective(NcclComm handle, const Collective& collective,
                         StreamHandle stream) {
  StreamState state;
  std::shared_ptr<Communicator> communicator;
  NcclResult result =
      CheckCollective(handle, collective, stream, &state, &communicator);
  if (result != kNcclSuccess || collective.count == 0) {
    return FailGroup(result);
  }
  Group& open = OfThread();
  Group alone;
  Group& group = open.depth > 0 ? open : alone;
  result =
      Add(group, communicator, collective, stream, state, Describe(collective));
  if (result != kNcclSuccess) {
    return FailGroup(result);
  }
  return open.depth > 0 ? kNcclSuccess : End(std::move(alone));
}

NcclResult CheckMayJoin() {
  return OfThread().parts.empty() ? kNcclSuccess
                                  : RefuseMixture("ncclCommInitRankConfig");
}

NcclResult AddJoining(NcclComm* handle) {
  Group& open = OfThread();
  if (open.depth == 0) {
    return EndJoining(handle);
  }
  open.joining.push_back(handle);
  return FindCommunicator(*handle)->is_blocking() ? kNcclSuccess
                                                  : kNcclInProgress;
}

NcclResult CheckNotGrouped(const Communicator& communicator,
                           const char* entry) {
  const Group& group = OfThread();
  const bool is_used = std::any_of(
      group.parts.begin(), group.parts.end(),
      [&](const Part& p) { return p.communicator.get() == &communicator; });
  return is_used ? Misuse(kNcclInvalidUsage,
                          std::string(entry) +
                              ": a group that has not ended has collectives "
                              "of the communicator")
                 : kNcclSuccess;
}

}  // namespace accel::cuda_double::nccl
