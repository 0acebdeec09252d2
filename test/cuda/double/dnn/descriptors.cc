// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/descriptors.h"

#include "test/cuda/double/blas/objects.h"

namespace accel::cuda_double::dnn {
namespace {

// It lives until the process ends: threads may still call then.
auto& All() {
  static auto& objects =
      *new blas::Objects<BackendDescriptor, SharedDescriptor>(17);
  return objects;
}

}  // namespace

std::vector<int64_t> Descriptor::Integers(int name) const {
  const Value& value = values.at(name);
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < value.count; ++i) {
    integers.push_back(value.At<int64_t>(i));
  }
  return integers;
}

double Descriptor::Real(int name, double unset) const {
  if (!Has(name)) {
    return unset;
  }
  const Value& value = values.at(name);
  return value.type == kTypeFloat ? value.At<float>() : value.At<double>();
}

std::unique_lock<std::mutex> DescriptorLock() {
  static auto& mutex = *new std::mutex();
  return std::unique_lock(mutex);
}

BackendDescriptor AddDescriptor(int kind) {
  auto descriptor = std::make_shared<Descriptor>();
  descriptor->kind = kind;
  return All().Add(std::move(descriptor));
}

SharedDescriptor FindDescriptor(BackendDescriptor handle) {
  return All().Find(handle).value_or(nullptr);
}

bool DestroyDescriptor(BackendDescriptor handle) {
  const SharedDescriptor descriptor = FindDescriptor(handle);
  if (descriptor != nullptr) {
    descriptor->is_destroyed = true;
  }
  return All().Remove(handle);
}

SharedDescriptor FindDestroyed(const Descriptor& descriptor) {
  for (const auto& [name, value] : descriptor.values) {
    for (const SharedDescriptor& referred : value.descriptors) {
      if (referred->is_destroyed) {
        return referred;
      }
      if (SharedDescriptor found = FindDestroyed(*referred)) {
        return found;
      }
    }
  }
  return nullptr;
}

}  // namespace accel::cuda_double::dnn
