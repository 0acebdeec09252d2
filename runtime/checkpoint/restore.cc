// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor by tensor, in pieces of 4 MiB.
#include "runtime/checkpoint/restore.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/state/state_tensors.h"

namespace accel::runtime {
namespace {

constexpr size_t kMostShown = 8;

const CheckpointScalar* Find(const CheckpointManifest& manifest,
                             const StateScalar& scalar) {
  for (const CheckpointScalar& each : manifest.scalars) {
    if (each.name == scalar.name && each.dtype == DTypeName(scalar.dtype) &&
        each.bytes.size() == scalar.bytes) {
      return &each;
    }
  }
  return nullptr;
}

absl::Status RestoreTensor(const StateTensor& tensor, Checkpoint& checkpoint,
                           Executor& rank) {
  ASSIGN_OR_RETURN(const OwnedRange held, rank.HeldElements(tensor.slot));
  const uint64_t end = std::min(held.end, tensor.first + tensor.elements);
  const uint64_t step = kHashedBytes / tensor.slot.width;
  std::vector<std::byte> piece;
  for (uint64_t at = std::max(held.begin, tensor.first); at < end; at += step) {
    piece.resize(std::min(step, end - at) * tensor.slot.width);
    RETURN_IF_ERROR(
        checkpoint.Read(tensor.name, at - tensor.first, absl::MakeSpan(piece)));
    RETURN_IF_ERROR(rank.WriteHeld(tensor.slot, at, piece));
  }
  return absl::OkStatus();
}

absl::Status RestoreScalars(const PlanView& plan, const Checkpoint& checkpoint,
                            Executor& rank) {
  ASSIGN_OR_RETURN(const auto scalars, ListStateScalars(plan.manifest()));
  for (const StateScalar& scalar : scalars) {
    if (const CheckpointScalar* found = Find(checkpoint.manifest(), scalar)) {
      RETURN_IF_ERROR(rank.WriteBuffer(
          scalar.buffer, 0,
          absl::MakeConstSpan(
              reinterpret_cast<const std::byte*>(found->bytes.data()),
              found->bytes.size())));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckFits(const PlanView& plan, const Checkpoint& checkpoint) {
  const std::string& optimizer = checkpoint.manifest().optimizer;
  const std::string& planned = plan.manifest().optimizer().kind();
  if (optimizer != planned) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", checkpoint.folder(), "' is of optimizer ", optimizer,
                     ", the plan's is ", planned,
                     "; compile the plan with --optimizer=", optimizer));
  }
  return CheckTensorsFit(plan, checkpoint, /*parameters_only=*/false);
}

absl::Status CheckTensorsFit(const PlanView& plan, const Checkpoint& checkpoint,
                             bool parameters_only) {
  ASSIGN_OR_RETURN(const auto tensors, ListStateTensors(plan.manifest()));
  std::vector<std::string> problems;
  for (const StateTensor& tensor : tensors) {
    if (parameters_only && !tensor.is_parameter) {
      continue;
    }
    const auto found = checkpoint.tensors().find(tensor.name);
    if (found == checkpoint.tensors().end()) {
      problems.push_back(absl::StrCat("no '", tensor.name, "'"));
    } else if (found->second.elements != tensor.elements ||
               found->second.dtype != tensor.dtype) {
      problems.push_back(
          absl::StrCat("'", tensor.name, "' of ", found->second.elements, " ",
                       DTypeName(found->second.dtype), " instead of ",
                       tensor.elements, " ", DTypeName(tensor.dtype)));
    }
  }
  if (problems.empty()) {
    return absl::OkStatus();
  }
  std::string shown;
  for (size_t i = 0; i < std::min(kMostShown, problems.size()); ++i) {
    absl::StrAppend(&shown, i == 0 ? "" : ", ", problems[i]);
  }
  if (problems.size() > kMostShown) {
    absl::StrAppend(&shown, " and ", problems.size() - kMostShown, " more");
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "'", checkpoint.folder(),
      "': expected the state of the plan's model, got ", shown,
      parameters_only
          ? "; name a plan of the model that was trained"
          : "; go on with a plan of the same model and optimizer, or start a "
            "new run"));
}

absl::StatusOr<std::vector<std::string>> ListNewScalars(
    const PlanView& plan, const CheckpointManifest& manifest) {
  ASSIGN_OR_RETURN(const auto scalars, ListStateScalars(plan.manifest()));
  std::vector<std::string> names;
  for (const StateScalar& scalar : scalars) {
    if (Find(manifest, scalar) == nullptr) {
      names.push_back(scalar.name);
    }
  }
  return names;
}

absl::Status RestorePart(const PlanView& plan, Checkpoint& checkpoint,
                         Executor& rank, Executor::RestoredPart part) {
  const bool parameters = part == Executor::RestoredPart::kParameters;
  ASSIGN_OR_RETURN(const auto tensors, ListStateTensors(plan.manifest()));
  for (const StateTensor& tensor : tensors) {
    if (tensor.is_parameter == parameters) {
      RETURN_IF_ERROR(RestoreTensor(tensor, checkpoint, rank));
    }
  }
  return parameters ? absl::OkStatus() : RestoreScalars(plan, checkpoint, rank);
}

absl::Status RestoreAverages(const PlanView& plan, Checkpoint& checkpoint,
                             Executor& rank) {
  constexpr absl::string_view kMaster = "/master";
  ASSIGN_OR_RETURN(const auto tensors, ListStateTensors(plan.manifest()));
  for (StateTensor tensor : tensors) {
    if (!tensor.is_parameter) {
      continue;
    }
    const std::string average = absl::StrCat(
        tensor.name.substr(0, tensor.name.size() - kMaster.size()), "/average");
    if (checkpoint.tensors().find(average) != checkpoint.tensors().end()) {
      tensor.name = average;
    }
    RETURN_IF_ERROR(RestoreTensor(tensor, checkpoint, rank));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<CheckpointScalar>> ReadScalars(
    const PlanView& plan, const Executor& executor) {
  ASSIGN_OR_RETURN(const auto scalars, ListStateScalars(plan.manifest()));
  std::vector<CheckpointScalar> read;
  for (const StateScalar& scalar : scalars) {
    CheckpointScalar each = {scalar.name, std::string(DTypeName(scalar.dtype)),
                             std::string(scalar.bytes, '\0')};
    RETURN_IF_ERROR(executor.ReadBuffer(
        scalar.buffer, 0,
        absl::MakeSpan(reinterpret_cast<std::byte*>(each.bytes.data()),
                       each.bytes.size())));
    read.push_back(std::move(each));
  }
  return read;
}

}  // namespace accel::runtime
