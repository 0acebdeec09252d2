// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects that callers know by opaque handles.
//
// Invariants: no handle is given twice, so that one that was destroyed is never
//             taken for a younger one. Handles of different kinds differ. None
//             is an address: whoever follows one faults.
// Threads: all of it may be used from every thread.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_OBJECTS_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_OBJECTS_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "test/cuda/double/blas/descriptors.h"

namespace accel::cuda_double::blas {

template <typename Handle, typename T>
class Objects {
 public:
  explicit Objects(uint64_t kind) : next_((kBase + kind) << 48) {}

  Handle Add(T object) {
    std::lock_guard lock(mutex_);
    next_ += 16;
    objects_.emplace(next_, std::move(object));
    return reinterpret_cast<Handle>(next_);
  }

  bool Remove(Handle handle) {
    std::lock_guard lock(mutex_);
    return objects_.erase(Key(handle)) == 1;
  }

  // A copy, which another thread cannot change or destroy.
  std::optional<T> Find(Handle handle) const {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(Key(handle));
    return found == objects_.end() ? std::nullopt
                                   : std::optional(found->second);
  }

  // Stores what was a copy; false if the object is gone.
  bool Replace(Handle handle, T object) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(Key(handle));
    if (found == objects_.end()) {
      return false;
    }
    found->second = std::move(object);
    return true;
  }

 private:
  static constexpr uint64_t kBase = 0xb1a0;  // no canonical address begins so

  static uint64_t Key(Handle handle) {
    return reinterpret_cast<uint64_t>(handle);
  }

  mutable std::mutex mutex_;
  uint64_t next_;
  std::unordered_map<uint64_t, T> objects_;
};

struct Library {};

// They live until the process ends: threads may still call then.
Objects<cuda::BlasHandle, Library>& Libraries();
Objects<cuda::MatmulDesc, Desc>& Descs();
Objects<cuda::MatrixLayout, Layout>& Layouts();
Objects<cuda::MatmulPreference, Preference>& Preferences();

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_OBJECTS_H_
