// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the convolutions of a plan and where their tensors lie, and enqueues
// calls.
#include "runtime/device/cuda/convolution_calls.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/call_launches.h"

namespace accel::runtime::cuda {

using planpb::Convolution;

absl::StatusOr<ConvolutionCalls> ConvolutionCalls::Create(
    std::unique_ptr<Cudnn> library, const PlanView& plan, int variant,
    const MemoryLayout& layout) {
  ConvolutionCalls calls(std::move(library));
  for (const planpb::Kernel& kernel : plan.manifest().kernels()) {
    const planpb::LibraryCall& call = kernel.entries(variant).call();
    Call& own = calls.calls_.emplace_back();
    own.convolution = call.has_convolution() ? &call.convolution() : nullptr;
    own.workspace_bytes = call.workspace();
  }
  calls.FindAlignments(plan, layout);
  for (size_t kernel = 0; kernel < calls.calls_.size(); ++kernel) {
    Call& call = calls.calls_[kernel];
    if (call.convolution != nullptr) {
      RETURN_IF_ERROR(Annotate(
          calls.ChooseEngines(call),
          absl::StrCat("kernel '",
                       plan.manifest().kernels(static_cast<int>(kernel)).name(),
                       "' (", DescribeConvolution(*call.convolution), ")")));
    }
  }
  return calls;
}

void ConvolutionCalls::FindAlignments(const PlanView& plan,
                                      const MemoryLayout& layout) {
  ForEachLaunch(plan, layout, [&](uint32_t kernel, RangeOfOperand range) {
    Call& call = calls_[kernel];
    if (call.convolution == nullptr) {
      return;
    }
    const auto worsen = [&](const Convolution::Strided& tensor,
                            uint32_t& alignment) {
      alignment = WorseAlignment(
          alignment, range(tensor.operand()).begin + tensor.offset());
    };
    worsen(call.convolution->image(), call.alignment.image);
    worsen(call.convolution->weights(), call.alignment.weights);
    worsen(call.convolution->output(), call.alignment.output);
  });
}

absl::Status ConvolutionCalls::ChooseEngines(Call& call) const {
  const planpb::Product::Result mode = call.convolution->mode();
  if (mode != planpb::Product::RESULT_ADDED) {
    ASSIGN_OR_RETURN(call.stores,
                     ConvolutionEngine::Choose(*library_, *call.convolution,
                                               /*adds=*/false, call.alignment,
                                               call.workspace_bytes));
  }
  if (mode != planpb::Product::RESULT_STORED) {
    ASSIGN_OR_RETURN(call.adds,
                     ConvolutionEngine::Choose(*library_, *call.convolution,
                                               /*adds=*/true, call.alignment,
                                               call.workspace_bytes));
  }
  return absl::OkStatus();
}

std::map<std::string, std::string> ConvolutionCalls::Engines(
    const PlanView& plan) const {
  std::map<std::string, std::string> engines;
  for (size_t kernel = 0; kernel < calls_.size(); ++kernel) {
    const Call& call = calls_[kernel];
    if (call.convolution == nullptr) {
      continue;
    }
    std::string& text =
        engines[plan.manifest().kernels(static_cast<int>(kernel)).name()];
    text = absl::StrCat("cuDNN ", library_->Version(),
                        call.convolution->tf32() ? ", tf32" : "");
    if (!call.stores.description().empty()) {
      absl::StrAppend(&text, ", ", call.stores.description());
    }
    if (call.adds.description() != call.stores.description() &&
        !call.adds.description().empty()) {
      absl::StrAppend(&text, ", adding: ", call.adds.description());
    }
  }
  return engines;
}

absl::Status ConvolutionCalls::Run(uint32_t kernel,
                                   absl::Span<const DevicePointer> operands,
                                   bool adds, StreamHandle stream) const {
  const Call& call = calls_[kernel];
  const Convolution& convolution = *call.convolution;
  const auto at = [&](const Convolution::Strided& tensor) {
    return reinterpret_cast<void*>(operands[tensor.operand()] +
                                   tensor.offset());
  };
  const ConvolutionPlaces places = {at(convolution.image()),
                                    at(convolution.weights()),
                                    at(convolution.output())};
  return (adds ? call.adds : call.stores)
      .Enqueue(places, reinterpret_cast<void*>(operands.back()), stream);
}

}  // namespace accel::runtime::cuda
