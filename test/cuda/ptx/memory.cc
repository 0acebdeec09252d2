// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace accel::ptx {
namespace {

// Around what Allocate returns; more than a block's threads step over by an
// index that is off by one row.
constexpr size_t kRedZoneBytes = 4096;

uint64_t AddressOf(const void* data) {
  return reinterpret_cast<uint64_t>(data);
}

}  // namespace

void GlobalMemory::Free::operator()(void* data) const { std::free(data); }

absl::Status GlobalMemory::Add(void* data, size_t bytes, absl::string_view name,
                               Contents contents, Access access) {
  if (data == nullptr || bytes == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "range '", name, "': expected at least one byte of memory"));
  }
  auto range = std::make_unique<Range>();
  range->name = std::string(name);
  range->begin = AddressOf(data);
  range->size_bytes = bytes;
  range->access = access;
  range->written.assign(bytes, contents == Contents::kInitialised ? 1 : 0);
  const auto next =
      std::lower_bound(ranges_.begin(), ranges_.end(), range->begin,
                       [](const std::unique_ptr<Range>& a, uint64_t begin) {
                         return a->begin < begin;
                       });
  const Range* before = next == ranges_.begin() ? nullptr : (next - 1)->get();
  const Range* behind = next == ranges_.end() ? nullptr : next->get();
  if ((before != nullptr &&
       range->begin - before->begin < before->size_bytes) ||
      (behind != nullptr && behind->begin - range->begin < bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("range '", name, "' overlaps another one"));
  }
  ranges_.insert(next, std::move(range));
  return absl::OkStatus();
}

absl::Status GlobalMemory::AddReadOnly(const void* data, size_t bytes,
                                       absl::string_view name) {
  // The interpreter refuses every write to the range.
  return Add(const_cast<void*>(data), bytes, name, Contents::kInitialised,
             Access::kReadOnly);
}

absl::StatusOr<void*> GlobalMemory::Allocate(size_t bytes, size_t alignment,
                                             absl::string_view name,
                                             Contents contents, Access access) {
  const size_t padding = std::max(kRedZoneBytes, alignment);
  const size_t total =
      (2 * padding + bytes + alignment - 1) / alignment * alignment;
  std::unique_ptr<void, Free> owned(std::aligned_alloc(
      std::max(alignment, sizeof(void*)), (total + 7) / 8 * 8));
  if (owned == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("range '", name, "': no memory for ", bytes, " bytes"));
  }
  std::memset(owned.get(), 0xff, total);
  void* data = static_cast<std::byte*>(owned.get()) + padding;
  const absl::Status status = Add(data, bytes, name, contents, access);
  if (!status.ok()) {
    return status;
  }
  owned_.push_back(std::move(owned));
  return data;
}

bool GlobalMemory::IsWritten(const void* data, size_t bytes) const {
  const Range* range = Find(AddressOf(data));
  if (range == nullptr || !range->Holds(AddressOf(data), bytes)) {
    return false;
  }
  const auto first = range->written.begin() +
                     static_cast<ptrdiff_t>(AddressOf(data) - range->begin);
  return std::find(first, first + static_cast<ptrdiff_t>(bytes), 0) ==
         first + static_cast<ptrdiff_t>(bytes);
}

absl::StatusOr<size_t> GlobalMemory::CountUnwritten(const void* data) const {
  const Range* range = Find(AddressOf(data));
  if (range == nullptr) {
    return absl::InvalidArgumentError("no range holds this address");
  }
  return static_cast<size_t>(
      std::count(range->written.begin(), range->written.end(), 0));
}

absl::Status GlobalMemory::Mark(const void* data, size_t bytes,
                                Contents contents) {
  Range* range = Find(AddressOf(data));
  if (range == nullptr || !range->Holds(AddressOf(data), bytes)) {
    return absl::InvalidArgumentError("no range holds these bytes");
  }
  std::fill_n(range->written.begin() +
                  static_cast<ptrdiff_t>(AddressOf(data) - range->begin),
              bytes, contents == Contents::kInitialised ? 1 : 0);
  return absl::OkStatus();
}

const GlobalMemory::Range* GlobalMemory::Find(uint64_t address) const {
  for (const auto& range : ranges_) {
    if (range->Holds(address, 1)) {
      return range.get();
    }
  }
  return nullptr;
}

GlobalMemory::Range* GlobalMemory::Find(uint64_t address) {
  return const_cast<Range*>(std::as_const(*this).Find(address));
}

}  // namespace accel::ptx
