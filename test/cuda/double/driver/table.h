// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles of one kind. A handle is never used again, differs from those of
// other kinds, and is no address, so that whoever dereferences it crashes.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_TABLE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_TABLE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace accel::cuda_double {

template <typename Handle, typename T, uint64_t kKind>
class Table {
 public:
  Handle Add(std::shared_ptr<T> object) {
    const uint64_t value = kNoAddress | kKind << 40 | ++made_;
    const auto handle = reinterpret_cast<Handle>(value);
    objects_[handle] = std::move(object);
    return handle;
  }
  // Null if there is no such handle, or no longer.
  std::shared_ptr<T> Find(Handle handle) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  bool Remove(Handle handle) { return objects_.erase(handle) != 0; }
  template <typename Predicate>
  void RemoveIf(Predicate predicate) {
    std::erase_if(objects_, [&predicate](const auto& entry) {
      return predicate(*entry.second);
    });
  }
  uint64_t made() const { return made_; }

 private:
  // Not canonical on x86-64 and AArch64.
  static constexpr uint64_t kNoAddress = uint64_t{0x0dab} << 48;

  std::map<Handle, std::shared_ptr<T>> objects_;
  uint64_t made_ = 0;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_TABLE_H_
