// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace accel::cuda_double {
namespace {

constexpr size_t kRedZoneBytes = 4096;
constexpr size_t kAlignment = 256;
constexpr unsigned char kPattern = 0xff;

}  // namespace

std::unique_ptr<Block> Block::Create(size_t bytes, std::string name) {
  if (bytes > SIZE_MAX / 2) {
    return nullptr;
  }
  std::unique_ptr<Block> block(new Block);
  block->bytes_ = bytes;
  block->name_ = std::move(name);
  block->total_ =
      (bytes + 2 * kRedZoneBytes + kAlignment - 1) / kAlignment * kAlignment;
  block->memory_ = static_cast<unsigned char*>(
      std::aligned_alloc(kAlignment, block->total_));
  if (block->memory_ == nullptr) {
    return nullptr;
  }
  std::memset(block->memory_, kPattern, block->total_);
  block->begin_ = reinterpret_cast<uint64_t>(block->memory_) + kRedZoneBytes;
  return block;
}

Block::~Block() { std::free(memory_); }

bool Block::RedZonesHold() const {
  const auto holds = [](unsigned char byte) { return byte == kPattern; };
  return std::all_of(memory_, memory_ + kRedZoneBytes, holds) &&
         std::all_of(memory_ + kRedZoneBytes + bytes_, memory_ + total_, holds);
}

Block* Blocks::Add(std::unique_ptr<Block> block) {
  Block* added = block.get();
  blocks_[added->begin()] = std::move(block);
  return added;
}

const Block* Blocks::Find(uint64_t address) const {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) {
    return nullptr;
  }
  const Block* block = std::prev(next)->second.get();
  return block->Holds(address, 1) ? block : nullptr;
}

const Block* HostMemory::Allocate(size_t bytes, bool is_mapped) {
  std::unique_ptr<Block> block =
      Block::Create(bytes, absl::StrCat("pinned allocation ", ++made_));
  if (block == nullptr) {
    return nullptr;
  }
  mapped_[block->begin()] = is_mapped;
  return blocks_.Add(std::move(block));
}

bool HostMemory::Free(const void* pointer) {
  const auto begin = reinterpret_cast<uint64_t>(pointer);
  mapped_.erase(begin);
  return blocks_.Remove(begin);
}

const Block* HostMemory::Find(const void* pointer) const {
  return blocks_.Find(reinterpret_cast<uint64_t>(pointer));
}

runtime::cuda::Result DeviceMemory::Allocate(
    size_t bytes, runtime::cuda::DevicePointer* pointer) {
  if (bytes > free_bytes()) {
    return runtime::cuda::kErrorOutOfMemory;
  }
  std::unique_ptr<Block> block =
      Block::Create(bytes, absl::StrCat("allocation ", ++made_));
  if (block == nullptr) {
    return runtime::cuda::kErrorOutOfMemory;
  }
  const absl::Status status =
      global_->Add(reinterpret_cast<void*>(block->begin()), bytes,
                   block->name(), ptx::Contents::kPoisoned);
  if (!status.ok()) {
    return runtime::cuda::kErrorUnknown;
  }
  used_ += bytes;
  *pointer = blocks_.Add(std::move(block))->begin();
  return runtime::cuda::kSuccess;
}

bool DeviceMemory::Free(uint64_t begin) {
  const Block* block = blocks_.Find(begin);
  if (block == nullptr || block->begin() != begin) {
    return false;
  }
  used_ -= block->bytes();
  Rebuild(begin);
  return blocks_.Remove(begin);
}

void DeviceMemory::AddMapped(const Block& block) {
  global_
      ->Add(reinterpret_cast<void*>(block.begin()), block.bytes(), block.name())
      .IgnoreError();
}

ptx::GlobalMemory::Range* DeviceMemory::FindRange(uint64_t address) {
  const auto& ranges = global_->ranges();
  auto next = std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](uint64_t value, const std::unique_ptr<ptx::GlobalMemory::Range>& r) {
        return value < r->begin;
      });
  if (next == ranges.begin()) {
    return nullptr;
  }
  ptx::GlobalMemory::Range* range = std::prev(next)->get();
  return range->Holds(address, 1) ? range : nullptr;
}

void DeviceMemory::Rebuild(uint64_t without) {
  auto rebuilt = std::make_unique<ptx::GlobalMemory>();
  for (const auto& range : global_->ranges()) {
    if (range->begin == without) {
      continue;
    }
    rebuilt->Add(range->data(), range->size_bytes, range->name).IgnoreError();
    rebuilt->ranges().back()->written.swap(range->written);
  }
  global_ = std::move(rebuilt);
}

}  // namespace accel::cuda_double
