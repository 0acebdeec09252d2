// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Anonymous mappings.
#include "runtime/device/cpu/cpu_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kHugePage = uint64_t{2} << 20;

uint64_t LargestAlignment(const PlanView& plan) {
  uint64_t alignment = kPage;
  for (const planpb::Arena& arena : plan.manifest().arenas()) {
    alignment = std::max(alignment, arena.alignment());
  }
  for (const planpb::Buffer& buffer : plan.manifest().buffers()) {
    alignment = std::max(alignment, buffer.alignment());
  }
  return alignment;
}

}  // namespace

absl::StatusOr<Mapping> Mapping::Create(uint64_t bytes, uint64_t alignment,
                                        uint64_t touched) {
  Mapping mapping;
  mapping.size_ = bytes;
  if (bytes == 0) {
    return mapping;
  }
  // A huge page in a gap would take memory that nobody has planned.
  const bool huge = bytes >= kHugePage && touched >= bytes - bytes / 64;
  if (huge) {
    alignment = std::max(alignment, kHugePage);
  }
  mapping.mapped_ = bytes + (alignment > kPage ? alignment : 0);
  void* base = mmap(nullptr, mapping.mapped_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    mapping.mapped_ = 0;
    return absl::ResourceExhaustedError(
        ErrnoError(error, absl::StrCat("cannot map ", FormatBytes(bytes),
                                       " of memory"))
            .message());
  }
  mapping.base_ = static_cast<std::byte*>(base);
  const auto address = reinterpret_cast<uintptr_t>(base);
  mapping.data_ = mapping.base_ +
                  ((address + alignment - 1) / alignment * alignment - address);
  // Advice only: without huge pages everything works, with more page faults.
  if (huge) {
    madvise(mapping.data_, bytes, MADV_HUGEPAGE);
  }
  return mapping;
}

Mapping::~Mapping() {
  if (base_ != nullptr) {
    munmap(base_, mapped_);
  }
}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

absl::Status Mapping::MakeExecutable() {
  if (base_ == nullptr) {
    return absl::OkStatus();
  }
  if (mprotect(base_, mapped_, PROT_READ | PROT_EXEC) != 0) {
    return ErrnoError(errno, "cannot make the plan's code executable");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<CpuMemory>> CpuMemory::Create(
    const PlanView& plan, const MemoryLayout& layout,
    const SharedAllocator& shared) {
  auto memory = std::make_unique<CpuMemory>();
  const uint64_t alignment = LargestAlignment(plan);
  for (int i = 0; i < kSpaces; ++i) {
    const auto space = static_cast<planpb::Space>(i + 1);
    const uint64_t bytes = layout.SpaceBytes(space);
    if (space == planpb::SPACE_SHARED && shared && bytes != 0) {
      ASSIGN_OR_RETURN(const absl::Span<std::byte> found, shared(bytes));
      memory->bases_[i] = found.data();
      continue;
    }
    const uint64_t touched =
        space == planpb::SPACE_SHARED ? layout.SharedBytes() : bytes;
    ASSIGN_OR_RETURN(memory->own_[i],
                     Mapping::Create(bytes, alignment, touched));
    memory->bases_[i] = memory->own_[i].data();
  }
  return memory;
}

absl::Status CpuMemory::Write(const ByteRange& range,
                              absl::Span<const std::byte> src) {
  // A rank may own nothing, and no bytes may be at no address.
  if (!src.empty()) {
    std::memcpy(At(range), src.data(), src.size());
  }
  return absl::OkStatus();
}

absl::Status CpuMemory::Read(const ByteRange& range,
                             absl::Span<std::byte> dst) const {
  if (!dst.empty()) {
    std::memcpy(dst.data(), At(range), dst.size());
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
