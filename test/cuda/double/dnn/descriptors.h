// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend descriptors: attributes as they were set, and once a descriptor
// is finalized what it means.
//
// No document says whether a descriptor lives on in those that refer to it. In
// the double it does not: what a descriptor refers to, directly or not, has to
// exist whenever that descriptor is finalized, and while the results of a
// heuristic are read. A finalized execution plan needs nobody any more.
//
// Threads: all of it is used under the lock of DescriptorLock.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_DESCRIPTORS_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_DESCRIPTORS_H_

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "test/cuda/double/dnn/attributes.h"
#include "test/cuda/double/dnn/engines.h"
#include "test/cuda/double/dnn/problem.h"

namespace accel::cuda_double::dnn {

struct Descriptor;
using SharedDescriptor = std::shared_ptr<Descriptor>;

struct Value {
  int type = -1;
  int64_t count = 0;
  std::vector<std::byte> bytes;               // of anything but descriptors
  std::vector<SharedDescriptor> descriptors;  // of descriptors

  template <typename T>
  static Value Of(int type, const std::vector<T>& elements) {
    Value value{type, static_cast<int64_t>(elements.size()), {}, {}};
    value.bytes.resize(elements.size() * sizeof(T));
    if (!elements.empty()) {
      std::memcpy(value.bytes.data(), elements.data(), value.bytes.size());
    }
    return value;
  }
  template <typename T>
  T At(int64_t index = 0) const {
    T element;
    std::memcpy(&element, bytes.data() + index * int64_t(sizeof(T)), sizeof(T));
    return element;
  }
};

struct KnobChoice {
  int type;
  int64_t value;
};

struct VariantPack {
  std::map<int64_t, void*> pointers;  // by unique id
  void* workspace = nullptr;
};

struct EngineDescription {
  std::shared_ptr<const Problem> problem;
  int64_t index = 0;
};

struct PlanDescription {
  EngineConfiguration configuration;
  int gpu = 0;
  int retention = kRetentionPerGraph;
};

struct Descriptor {
  int kind = 0;
  bool is_finalized = false;
  // Also read, without the lock, when a graph is replayed.
  std::atomic<bool> is_destroyed = false;
  std::map<int, Value> values;  // by the attribute's name
  std::variant<std::monostate, Tensor, Convolution, Pointwise,
               ConvolutionOperation, PointwiseOperation,
               std::shared_ptr<const Problem>, EngineDescription, KnobChoice,
               EngineConfiguration, PlanDescription, VariantPack>
      meaning;

  bool Has(int name) const { return values.contains(name); }
  template <typename T>
  T Get(int name) const {
    return values.at(name).At<T>();
  }
  std::vector<int64_t> Integers(int name) const;
  // Of an attribute that is a float or a double.
  double Real(int name, double unset) const;
  // The meaning of the one descriptor that an attribute refers to. Requires:
  // that is finalized.
  template <typename T>
  const T& Referred(int name) const {
    return std::get<T>(values.at(name).descriptors[0]->meaning);
  }
};

std::unique_lock<std::mutex> DescriptorLock();

BackendDescriptor AddDescriptor(int kind);
SharedDescriptor FindDescriptor(BackendDescriptor handle);  // null: none
bool DestroyDescriptor(BackendDescriptor handle);

// Null, or a descriptor that was destroyed among those that it refers to.
SharedDescriptor FindDestroyed(const Descriptor& descriptor);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_DESCRIPTORS_H_
