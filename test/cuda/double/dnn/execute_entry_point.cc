// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry point that puts a plan on the stream of a handle.
#include "test/cuda/double/dnn/convolve.h"
#include "test/cuda/double/dnn/descriptors.h"
#include "test/cuda/double/dnn/engine_times.h"
#include "test/cuda/double/dnn/entry_points.h"
#include "test/cuda/double/dnn/handles.h"
#include "test/cuda/double/dnn/refusals.h"
#include "test/cuda/double/dnn/view.h"
#include "test/cuda/double/driver/enqueue.h"
#include "test/cuda/double/driver/inspect.h"

namespace accel::cuda_double::dnn {
namespace {

// Not documented; whatever allocates device memory gives more.
constexpr uint64_t kWorkspaceAlignment = 16;

// What a stream, or a graph, holds of an execution.
struct Job {
  Execution execution;
  SharedDescriptor plan;
  bool plan_must_live;
};

Status CheckPointer(const Tensor& tensor, const void* pointer) {
  const std::string name =
      "the pointer of tensor " + std::to_string(tensor.uid);
  if (pointer == nullptr) {
    return Refuse(kBadParamNullPointer, name + " is null");
  }
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (!tensor.is_by_value &&
      address % static_cast<uint64_t>(tensor.alignment) != 0) {
    return Refuse(kBadParamMisalignedPointer,
                  name + " is less aligned than the tensor says");
  }
  return kSuccess;
}

// Scalars by value lie in host memory, and are the caller's again when the call
// returns.
Status Bind(const Problem& problem, const VariantPack& pack,
            Execution* execution) {
  for (const Tensor& tensor : problem.bound_tensors()) {
    const auto found = pack.pointers.find(tensor.uid);
    if (found == pack.pointers.end()) {
      return Bad("there is no pointer of tensor " + std::to_string(tensor.uid));
    }
    if (Status status = CheckPointer(tensor, found->second);
        status != kSuccess) {
      return status;
    }
    auto* at = static_cast<std::byte*>(found->second);
    if (tensor.is_by_value) {
      execution->values[tensor.uid] =
          blas::LoadElement(CudaType(tensor.type), at);
    } else {
      execution->pointers[tensor.uid] = at;
    }
  }
  for (const auto& [uid, pointer] : pack.pointers) {
    if (!execution->pointers.contains(uid) &&
        !execution->values.contains(uid)) {
      return Bad("the plan has no tensor " + std::to_string(uid));
    }
  }
  return kSuccess;
}

Status BindWorkspace(const VariantPack& pack, Execution* execution) {
  execution->workspace_bytes = WorkspaceBytes(execution->configuration);
  if (execution->workspace_bytes == 0) {
    return kSuccess;
  }
  if (pack.workspace == nullptr) {
    return Refuse(kBadParamNullPointer,
                  "the workspace is null, and the plan needs one");
  }
  if (reinterpret_cast<uint64_t>(pack.workspace) % kWorkspaceAlignment != 0) {
    return Refuse(kBadParamMisalignedPointer,
                  "the workspace is not aligned to 16 bytes");
  }
  execution->workspace = static_cast<std::byte*>(pack.workspace);
  return kSuccess;
}

// The bytes of all that an execution touches.
struct Footprint {
  std::vector<blas::ByteRanges> inputs;
  blas::ByteRanges output, workspace;
};

Footprint FootprintOf(const Execution& execution) {
  const Problem& problem = *execution.configuration.problem;
  const std::vector<Tensor> tensors = problem.bound_tensors();
  Footprint footprint;
  for (size_t i = 0; i + 1 < tensors.size(); ++i) {
    if (!tensors[i].is_by_value) {
      footprint.inputs.push_back(
          BytesOf(tensors[i], execution.pointers.at(tensors[i].uid)));
    }
  }
  footprint.output =
      BytesOf(tensors.back(), execution.pointers.at(tensors.back().uid));
  footprint.workspace = blas::ByteRanges(execution.workspace,
                                         uint64_t(execution.workspace_bytes));
  return footprint;
}

Status CheckOverlaps(const Footprint& footprint) {
  if (footprint.output.overlaps_itself()) {
    return Bad("two elements of the output share bytes");
  }
  for (const blas::ByteRanges& input : footprint.inputs) {
    if (footprint.output.Overlaps(input)) {
      return Bad("the output overlaps with what is read");
    }
    if (footprint.workspace.Overlaps(input)) {
      return Bad("the workspace overlaps with what is read");
    }
  }
  return footprint.workspace.Overlaps(footprint.output)
             ? Bad("the workspace overlaps with the output")
             : kSuccess;
}

std::vector<Access> AccessesOf(const Footprint& footprint, bool reads_output) {
  std::vector<Access> accesses;
  const auto append = [&](const blas::ByteRanges& ranges, int writes) {
    for (const blas::ByteRange& range : ranges.ranges()) {
      accesses.push_back({range.begin, range.end - range.begin, writes});
    }
  };
  for (const blas::ByteRanges& input : footprint.inputs) {
    append(input, 0);
  }
  if (reads_output) {
    append(footprint.output, 0);
  }
  append(footprint.output, 1);
  append(footprint.workspace, 1);
  return accesses;
}

Status StatusOf(cuda::Result result) {
  switch (result) {
    case cuda::kSuccess:
      return kSuccess;
    case cuda::kErrorNotInitialized:
    case cuda::kErrorDeinitialized:
    case cuda::kErrorInvalidContext:
      return Refuse(kNotInitialized, "there is no current context");
    default:
      return Refuse(kExecutionFailedCudaDriver,
                    "the driver refuses the work: " + std::to_string(result));
  }
}

Status Enqueue(std::unique_ptr<Job> job, const std::vector<Access>& accesses,
               cuda::StreamHandle stream) {
  Work work{};
  work.name = "cudnnBackendExecute";
  work.accesses = accesses.data();
  work.access_count = accesses.size();
  work.run = [](void* data) { Execute(static_cast<Job*>(data)->execution); };
  work.mistake = [](void* data) -> const char* {
    const Job& job = *static_cast<Job*>(data);
    return job.plan_must_live && job.plan->is_destroyed
               ? "its plan, which was to keep nothing for graphs, is destroyed"
               : nullptr;
  };
  work.nanoseconds = ExtraNanoseconds(job->execution.configuration.index);
  work.data = job.get();
  work.destroy = [](void* data) { delete static_cast<Job*>(data); };
  const cuda::Result result = accel_double_enqueue(stream, &work);
  if (result == cuda::kSuccess) {
    job.release();  // The driver has it now, and calls `destroy`.
  }
  return StatusOf(result);
}

Status CheckDevice(const LibraryContext& context, const PlanDescription& plan) {
  int gpu = 0;
  if (accel_double_current_gpu(&gpu) != cuda::kSuccess) {
    return Refuse(kNotInitialized, "there is no current context");
  }
  return gpu == context.gpu && gpu == plan.gpu
             ? kSuccess
             : Bad("handle, plan and current context are of one device");
}

// The descriptor, if it is final and of that kind.
Status FindFinal(BackendDescriptor handle, int kind, SharedDescriptor* found) {
  *found = FindDescriptor(handle);
  if (*found == nullptr) {
    return Bad(std::string("there is no such ") + KindText(kind));
  }
  if ((*found)->kind != kind) {
    return Refuse(kBadParamDescriptorType,
                  std::string("the descriptor is no ") + KindText(kind));
  }
  return (*found)->is_finalized
             ? kSuccess
             : Refuse(kBadParamNotFinalized,
                      std::string(KindText(kind)) + " is not finalized");
}

}  // namespace

extern "C" {

Status cudnnBackendExecute(Handle handle, BackendDescriptor plan_handle,
                           BackendDescriptor pack_handle) {
  if (Status status = Enter("cudnnBackendExecute"); status != kSuccess) {
    return status;
  }
  const auto context = FindHandle(handle);
  if (!context) {
    return Bad("there is no such handle");
  }
  const auto lock = DescriptorLock();
  SharedDescriptor plan, pack;
  Status status = FindFinal(plan_handle, kExecutionPlanDescriptor, &plan);
  if (status == kSuccess) {
    status = FindFinal(pack_handle, kVariantPackDescriptor, &pack);
  }
  if (status != kSuccess) {
    return status;
  }
  const auto& description = std::get<PlanDescription>(plan->meaning);
  const auto& pointers = std::get<VariantPack>(pack->meaning);
  auto job = std::make_unique<Job>();
  job->plan = plan;
  job->plan_must_live = description.retention == kRetentionNone;
  job->execution.configuration = description.configuration;
  const Problem& problem = *description.configuration.problem;
  status = CheckDevice(*context, description);
  if (status == kSuccess) {
    status = Bind(problem, pointers, &job->execution);
  }
  if (status == kSuccess) {
    status = BindWorkspace(pointers, &job->execution);
  }
  if (status != kSuccess) {
    return status;
  }
  const Footprint footprint = FootprintOf(job->execution);
  status = CheckOverlaps(footprint);
  if (status != kSuccess) {
    return status;
  }
  const bool reads_output = problem.convolution.beta != 0;
  return Enqueue(std::move(job), AccessesOf(footprint, reads_output),
                 context->stream);
}

}  // extern "C"

}  // namespace accel::cuda_double::dnn
