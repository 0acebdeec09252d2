// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the double: pinned memory of the host, and the memory of each
// device, which is host memory between red zones. A device's memory holds no
// values until somebody writes them.
//
// Threads: all of it is used under the driver's lock.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_MEMORY_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/access_history.h"
#include "test/cuda/ptx/memory.h"

namespace accel::cuda_double {

// Memory between two red zones.
class Block {
 public:
  // Null if the machine has no memory left.
  static std::unique_ptr<Block> Create(size_t bytes, std::string name);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  uint64_t begin() const { return begin_; }
  size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  bool Holds(uint64_t address, uint64_t bytes) const {
    return address >= begin_ && bytes <= bytes_ &&
           address - begin_ <= bytes_ - bytes;
  }
  bool RedZonesHold() const;

 private:
  Block() = default;

  unsigned char* memory_ = nullptr;
  uint64_t begin_ = 0;
  size_t bytes_ = 0;
  size_t total_ = 0;
  std::string name_;
};

// Blocks by their first byte.
class Blocks {
 public:
  Block* Add(std::unique_ptr<Block> block);
  bool Remove(uint64_t begin) { return blocks_.erase(begin) != 0; }
  // The block that holds the address, or null.
  const Block* Find(uint64_t address) const;
  const std::map<uint64_t, std::unique_ptr<Block>>& all() const {
    return blocks_;
  }

 private:
  std::map<uint64_t, std::unique_ptr<Block>> blocks_;
};

// What cuMemHostAlloc returns.
class HostMemory {
 public:
  const Block* Allocate(size_t bytes, bool is_mapped);
  bool Free(const void* pointer);
  const Block* Find(const void* pointer) const;
  bool IsMapped(const Block& block) const { return mapped_.at(block.begin()); }
  const Blocks& blocks() const { return blocks_; }

 private:
  Blocks blocks_;
  std::map<uint64_t, bool> mapped_;
  int made_ = 0;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t capacity) : capacity_(capacity) {}

  runtime::cuda::Result Allocate(size_t bytes,
                                 runtime::cuda::DevicePointer* pointer);
  bool Free(uint64_t begin);
  // Mapped host memory is memory of every device.
  void AddMapped(const Block& block);
  void RemoveMapped(const Block& block) { Rebuild(block.begin()); }

  const Block* Find(uint64_t address) const { return blocks_.Find(address); }
  // The range that a kernel would find, mapped memory included, or null.
  ptx::GlobalMemory::Range* FindRange(uint64_t address);
  ptx::GlobalMemory& global() { return *global_; }
  const Blocks& blocks() const { return blocks_; }
  uint64_t capacity() const { return capacity_; }
  uint64_t free_bytes() const { return capacity_ - used_; }

 private:
  // GlobalMemory forgets no range; a new one takes over all but one.
  void Rebuild(uint64_t without);

  uint64_t capacity_;
  uint64_t used_ = 0;
  int made_ = 0;
  Blocks blocks_;
  std::unique_ptr<ptx::GlobalMemory> global_ =
      std::make_unique<ptx::GlobalMemory>();
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_MEMORY_H_
