// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The global memory that a kernel may touch: ranges of host memory, whose host
// address is their device address. Every byte outside the ranges is a red
// zone. A shadow says of every byte whether it holds a value, because a kernel
// that reads a byte which nobody has written is wrong even if the byte happens
// to hold what it needs.
//
// Two ranges that lie beside each other in one arena have no red zone between
// them. A test that looks for an index that is off by one uses Allocate, whose
// ranges are far enough from each other, or gives each tensor a vector.
//
// Units:   sizes are bytes.
// Errors:  kInvalidArgument for a range that is empty, overlaps another one or
//          is not known.
// Threads: not thread-safe; one launch at a time uses a GlobalMemory.
#ifndef ACCEL_TEST_CUDA_PTX_MEMORY_H_
#define ACCEL_TEST_CUDA_PTX_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::ptx {

enum class Contents {
  kInitialised,  // The bytes hold values.
  kPoisoned,     // A kernel must write a byte before anybody reads it.
};

enum class Access { kReadWrite, kReadOnly };

class GlobalMemory {
 public:
  struct Range {
    std::string name;
    uint64_t begin = 0;
    uint64_t size_bytes = 0;
    Access access = Access::kReadWrite;
    std::vector<uint8_t> written;  // one flag per byte

    std::byte* data() const { return reinterpret_cast<std::byte*>(begin); }
    bool Holds(uint64_t address, uint64_t bytes) const {
      return address >= begin && bytes <= size_bytes &&
             address - begin <= size_bytes - bytes;
    }
  };

  // Borrows: `data` must outlive this object.
  absl::Status Add(void* data, size_t bytes, absl::string_view name,
                   Contents contents = Contents::kInitialised,
                   Access access = Access::kReadWrite);
  absl::Status AddReadOnly(const void* data, size_t bytes,
                           absl::string_view name);

  // Owns: memory between red zones that no other range can border on. The
  // bytes hold a pattern that is a NaN in every floating-point type.
  absl::StatusOr<void*> Allocate(size_t bytes, size_t alignment,
                                 absl::string_view name,
                                 Contents contents = Contents::kPoisoned,
                                 Access access = Access::kReadWrite);

  // Whether all of these bytes hold a value; false outside the ranges.
  bool IsWritten(const void* data, size_t bytes) const;
  // How many bytes of the range that holds `data` have no value yet.
  absl::StatusOr<size_t> CountUnwritten(const void* data) const;
  absl::Status Mark(const void* data, size_t bytes, Contents contents);

  // The range that holds the address, or null.
  Range* Find(uint64_t address);
  const Range* Find(uint64_t address) const;
  // In the order of their addresses.
  const std::vector<std::unique_ptr<Range>>& ranges() const { return ranges_; }

 private:
  struct Free {
    void operator()(void* data) const;
  };

  std::vector<std::unique_ptr<Range>> ranges_;
  std::vector<std::unique_ptr<void, Free>> owned_;
};

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_MEMORY_H_
