// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and outputs are persistent buffers, which the host writes and reads
// between calls.
#include "runtime/executor/inference.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/integer_element.h"
#include "runtime/executor/plan_field.h"
#include "runtime/executor/step_driver.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime {
namespace {

// Requires: the plan was validated.
size_t BytesOf(const planpb::Tensor& tensor) {
  uint64_t elements = 1;
  for (const uint64_t size : tensor.shape()) {
    elements *= size;
  }
  return elements * ElementBits(tensor.dtype()) / 8;
}

absl::Status CheckIntegers(const SignatureField& input,
                           absl::Span<const std::byte> bytes) {
  const size_t width = static_cast<size_t>(ByteWidth(input.dtype));
  for (size_t i = 0; i * width < bytes.size(); ++i) {
    const int64_t value = LoadInteger(input.dtype, bytes.data() + i * width);
    const IntegerRange range = input.RangeAt(static_cast<int64_t>(i));
    if (!range.Contains(value)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected numbers from ", range.min, " to ", range.max,
          ", which rows are chosen by, got ", value, " at element ", i));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const planpb::Tensor& input,
                         absl::Span<const std::byte> bytes) {
  if (input.dtype() == planpb::ELEMENT_BOOL) {
    const auto wrong = std::ranges::find_if(
        bytes, [](std::byte byte) { return byte > std::byte{1}; });
    return wrong == bytes.end() ? absl::OkStatus()
                                : absl::InvalidArgumentError(absl::StrCat(
                                      "expected booleans, 0 or 1, got ",
                                      std::to_integer<int>(*wrong),
                                      " at element ", wrong - bytes.begin()));
  }
  if (input.min_value() > input.max_value() && input.ranges().empty()) {
    return absl::OkStatus();
  }
  return CheckIntegers(ToField(input), bytes);
}

}  // namespace

std::string FormatTensor(const planpb::Tensor& tensor) {
  const std::vector<int64_t> shape(tensor.shape().begin(),
                                   tensor.shape().end());
  return absl::StrCat(FormatShape(shape), " of ",
                      ElementTypeName(tensor.dtype()));
}

absl::StatusOr<std::unique_ptr<Inference>> Inference::Create(
    Vfs& vfs, const Plan& plan, Device& device, ExecutorOptions options) {
  if (plan.view().FindFunction(planpb::FUNCTION_INFER) == nullptr) {
    return absl::FailedPreconditionError(
        "the plan trains and does not answer: compile the model with accelc "
        "--inference, or leave out --input and --output");
  }
  ASSIGN_OR_RETURN(auto nothing,
                   Dataset::Open(vfs, DataSignature(plan.manifest()), {}));
  options.binding = RankBinding();
  options.binding.threads = static_cast<uint64_t>(device.threads());
  std::unique_ptr<Inference> inference(new Inference(plan, std::move(nothing)));
  ASSIGN_OR_RETURN(
      inference->executor_,
      StepDriver::Create(vfs, plan, device, *inference->nothing_, options));
  inference->is_set_.resize(plan.manifest().inputs_size());
  return inference;
}

absl::Status Inference::Initialize(Executor::Restore restore) {
  return executor_->Initialize(std::move(restore));
}

absl::Status Inference::SetInput(const planpb::Tensor& input,
                                 absl::Span<const std::byte> bytes) {
  const std::string context = absl::StrCat("input '", input.name(), "'");
  if (bytes.size() != BytesOf(input)) {
    return absl::InvalidArgumentError(
        absl::StrCat(context, ": expected ", FormatTensor(input), ", ",
                     BytesOf(input), " bytes, got ", bytes.size()));
  }
  RETURN_IF_ERROR(Annotate(CheckValues(input, bytes), context));
  const auto& inputs = plan_.manifest().inputs();
  for (int i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name() == input.name()) {
      is_set_[i] = true;
    }
  }
  return input.buffer_plus_one() == 0
             ? absl::OkStatus()
             : executor_->WriteBuffer(input.buffer_plus_one() - 1, 0, bytes);
}

absl::Status Inference::Run() {
  std::string missing;
  for (size_t i = 0; i < is_set_.size(); ++i) {
    const planpb::Tensor& input = plan_.manifest().inputs(static_cast<int>(i));
    if (!is_set_[i]) {
      absl::StrAppend(&missing, missing.empty() ? "'" : ", '", input.name(),
                      "' (", FormatTensor(input), ")");
    }
  }
  if (!missing.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected an array for every input, got none for ",
                     missing, "; add --input NAME=FILE.npy"));
  }
  return executor_->Run(planpb::FUNCTION_INFER, 0).status();
}

absl::StatusOr<std::vector<std::byte>> Inference::ReadOutput(
    const planpb::Tensor& output) const {
  std::vector<std::byte> bytes(BytesOf(output));
  if (output.buffer_plus_one() != 0) {
    RETURN_IF_ERROR(executor_->ReadBuffer(output.buffer_plus_one() - 1, 0,
                                          absl::MakeSpan(bytes)));
  }
  return bytes;
}

}  // namespace accel::runtime
