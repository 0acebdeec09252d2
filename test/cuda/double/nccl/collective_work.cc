// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/collective_work.h"

#include <string>
#include <utility>
#include <vector>

#include "test/cuda/double/driver/enqueue.h"
#include "test/cuda/double/nccl/communicator.h"
#include "test/cuda/double/nccl/configuration.h"
#include "test/cuda/double/nccl/contribution.h"
#include "test/cuda/double/nccl/refusals.h"

namespace accel::cuda_double::nccl {
namespace {

// The functions of a work run one at a time, under the lock of the driver.
class CollectiveWork {
 public:
  CollectiveWork(std::shared_ptr<Communicator> communicator,
                 Operation operation)
      : communicator_(std::move(communicator)),
        operation_(std::move(operation)) {
    ++communicator_->works;
    communicator_->captured_works += operation_.is_captured ? 1 : 0;
  }

  ~CollectiveWork() {
    if (has_begun_ && !communicator_->is_aborted()) {
      // The context broke. The rank's contribution does not count any more, and
      // NCCL would find the error of its kernel.
      communicator_->Break(cuda::kNcclUnhandledCudaError);
    }
    communicator_->captured_works -= operation_.is_captured ? 1 : 0;
    --communicator_->works;
  }
  CollectiveWork(const CollectiveWork&) = delete;
  CollectiveWork& operator=(const CollectiveWork&) = delete;

  void Enqueued() {
    was_late_ |= communicator_->is_aborted() || communicator_->is_destroyed();
  }

  // A graph replays a work: it begins anew after each end.
  int Ready() {
    if (was_late_) {
      return kWorkIsReady;  // Mistake() says what is wrong.
    }
    if (communicator_->is_aborted()) {
      has_begun_ = false;
      return kWorkIsAbandoned;
    }
    if (!has_begun_) {
      has_begun_ = true;
      position_ = communicator_->BeginOperation(operation_.group.size());
      if (position_ != 0) {
        Publish(communicator_->segment(), communicator_->rank(), position_,
                operation_);
      }
    }
    return position_ != 0 && communicator_->AllHaveBegun(position_)
               ? kWorkIsReady
               : kWorkWaits;
  }

  const char* Mistake() {
    mistake_ = was_late_
                   ? "it was enqueued when the communicator of " +
                         communicator_->name() + " had ended"
                   : FindMismatch(communicator_->segment(),
                                  communicator_->rank(), position_, operation_);
    return mistake_.empty() ? nullptr : mistake_.c_str();
  }

  void Run() {
    Receive(communicator_->segment(), communicator_->rank(), position_,
            operation_);
    has_begun_ = false;
  }

 private:
  const std::shared_ptr<Communicator> communicator_;
  const Operation operation_;
  bool was_late_ = false;  // Something replays it after the communicator.
  bool has_begun_ = false;
  uint64_t position_ = 0;
  std::string mistake_;
};

std::vector<Access> AccessesOf(const std::vector<Collective>& group,
                               const Rank& rank) {
  std::vector<Access> accesses;
  for (const Collective& collective : group) {
    const Range read = ReadBy(collective, rank);
    const Range written = WrittenBy(collective, rank);
    accesses.push_back({read.begin, read.bytes, 0});
    accesses.push_back({written.begin, written.bytes, 1});
  }
  return accesses;
}

// NCCL executes the operations of a communicator in the order of the calls.
uint64_t ChainOf(const Communicator& communicator) {
  return TheConfiguration().is_ordered_by_gpu
             ? static_cast<uint64_t>(communicator.gpu()) + 1
             : reinterpret_cast<uint64_t>(&communicator);
}

std::string NameOf(const Communicator& communicator,
                   const std::vector<Collective>& group) {
  std::string name;
  for (const Collective& collective : group) {
    name += (name.empty() ? "" : " and ") + Describe(collective);
  }
  return name + ", " + communicator.name();
}

// The functions of a CollectiveWork, of which `data` is one.
Work WorkOf(void* data) {
  Work work{};
  work.data = data;
  work.run = [](void* d) { static_cast<CollectiveWork*>(d)->Run(); };
  work.destroy = [](void* d) { delete static_cast<CollectiveWork*>(d); };
  work.ready = [](void* d) { return static_cast<CollectiveWork*>(d)->Ready(); };
  work.mistake = [](void* d) {
    return static_cast<CollectiveWork*>(d)->Mistake();
  };
  work.enqueued = [](void* d) { static_cast<CollectiveWork*>(d)->Enqueued(); };
  work.of_stream = 1;
  return work;
}

// What has happened to the stream since the call, which may be some polls ago.
std::string FindChange(const Launch& launch, const StreamState& now) {
  if (now.capture != launch.state.capture) {
    return "a capture began or ended on the stream while the communicator was "
           "in progress";
  }
  if (launch.is_alone && now.issues != launch.state.issues) {
    return "something was enqueued on the stream while the communicator was in "
           "progress, and comes before the collective";
  }
  return "";
}

cuda::NcclResult Submit(std::shared_ptr<Communicator> communicator,
                        const Launch& launch, const std::string& name) {
  const std::vector<Access> accesses =
      AccessesOf(launch.group, communicator->rank());
  const uint64_t chain = ChainOf(*communicator);
  auto data = std::make_unique<CollectiveWork>(
      std::move(communicator),
      Operation{launch.group, launch.state.capture != 0});
  Work work = WorkOf(data.get());
  work.name = name.c_str();
  work.accesses = accesses.data();
  work.access_count = accesses.size();
  work.chain = chain;
  const cuda::Result result = accel_double_enqueue(launch.stream, &work);
  if (result == cuda::kSuccess) {
    data.release();  // The driver has it now, and calls `destroy`.
    return cuda::kNcclSuccess;
  }
  return Fail(cuda::kNcclUnhandledCudaError,
              name + ": the driver refuses the work with error " +
                  std::to_string(result));
}

}  // namespace

cuda::NcclResult Enqueue(std::shared_ptr<Communicator> communicator,
                         const Launch& launch) {
  const std::string name = NameOf(*communicator, launch.group);
  StreamState now;
  const cuda::Result result = accel_double_stream_state(launch.stream, &now);
  if (result != cuda::kSuccess) {
    return Fail(cuda::kNcclUnhandledCudaError,
                name + ": the stream gives error " + std::to_string(result));
  }
  const std::string change = FindChange(launch, now);
  return change.empty() ? Submit(std::move(communicator), launch, name)
                        : Misuse(cuda::kNcclInvalidUsage, name + ": " + change);
}

}  // namespace accel::cuda_double::nccl
