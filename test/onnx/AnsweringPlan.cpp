// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As accel-run opens a plan, with tensors in memory.
#include "test/onnx/AnsweringPlan.h"

#include "runtime/device/create_device.h"

namespace accel::test {
namespace {

const planpb::Tensor *
find(const google::protobuf::RepeatedPtrField<planpb::Tensor> &tensors,
     const std::string &name) {
  for (const planpb::Tensor &tensor : tensors) {
    if (tensor.name() == name) {
      return &tensor;
    }
  }
  return nullptr;
}

} // namespace

std::unique_ptr<runtime::Device> makeDevice(runtime::Vfs &vfs) {
  runtime::DeviceOptions options;
  options.threads = 1;
  return *runtime::CreateDevice(vfs, options);
}

absl::StatusOr<std::unique_ptr<AnsweringPlan>>
AnsweringPlan::open(runtime::Vfs &vfs, runtime::Device &device,
                    const std::string &path) {
  auto result = std::make_unique<AnsweringPlan>();
  auto opened = runtime::Plan::Open(vfs, path);
  if (!opened.ok()) {
    return opened.status();
  }
  result->plan = *std::move(opened);
  if (auto chosen = device.ChooseVariant(result->plan->view());
      !chosen.ok() && !result->plan->manifest().kernels().empty()) {
    return chosen.status();
  }
  auto inference = runtime::Inference::Create(vfs, *result->plan, device, {});
  if (!inference.ok()) {
    return inference.status();
  }
  result->inference = *std::move(inference);
  absl::Status status = result->inference->Initialize();
  if (!status.ok()) {
    return status;
  }
  return result;
}

absl::Status AnsweringPlan::setInput(const std::string &name,
                                     llvm::StringRef bytes) {
  const planpb::Tensor *input = find(plan->manifest().inputs(), name);
  if (!input) {
    return absl::OkStatus();
  }
  return inference->SetInput(
      *input,
      absl::MakeConstSpan(reinterpret_cast<const std::byte *>(bytes.data()),
                          bytes.size()));
}

const planpb::Tensor *AnsweringPlan::findOutput(const std::string &name) const {
  return find(plan->manifest().outputs(), name);
}

absl::StatusOr<std::string>
AnsweringPlan::read(const planpb::Tensor &output) const {
  auto bytes = inference->ReadOutput(output);
  if (!bytes.ok()) {
    return bytes.status();
  }
  return std::string(reinterpret_cast<const char *>(bytes->data()),
                     bytes->size());
}

} // namespace accel::test
