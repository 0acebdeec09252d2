// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of random numbers comes from the host; the GPU doubles it until the
// operand is full.
#include "runtime/device/cuda/operand_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/random/philox.h"

namespace accel::runtime::cuda {
namespace {

constexpr uint64_t kBlockBytes = uint64_t{1} << 20;
constexpr uint32_t kOne = 0x3f800000;  // as a float
constexpr uint32_t kNumbersSite = kFirstRuntimeSite + 32;

// Numbers of a few binary orders of magnitude and both signs: neither zeros,
// with which a GPU takes less power and so is faster, nor infinities. A random
// word keeps the bits of `kept` and has those of `set`.
struct Numbers {
  planpb::ElementType type;  // unspecified: all others, of a byte
  uint32_t kept;
  uint32_t set;
};
constexpr Numbers kNumbers[] = {
    {planpb::ELEMENT_F32, 0x81ffffff, 0x3e000000},
    {planpb::ELEMENT_BF16, 0x81ff81ff, 0x3e003e00},
    {planpb::ELEMENT_F16, 0x8fff8fff, 0x30003000},
    {planpb::ELEMENT_UNSPECIFIED, 0xbfbfbfbf, 0},
};

size_t BlockOf(planpb::ElementType type) {
  const auto* const found = std::find_if(
      std::begin(kNumbers), std::end(kNumbers) - 1,
      [type](const Numbers& numbers) { return numbers.type == type; });
  return static_cast<size_t>(found - std::begin(kNumbers));
}

// The place of a range behind `end` bytes of others.
uint64_t PlaceBehind(uint64_t end, const ByteRange& range) {
  return DivideUp(end, kAllocationAlignment) * kAllocationAlignment +
         range.begin % kAllocationAlignment;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OperandMemory>> OperandMemory::Create(
    const Gpu& gpu, uint64_t bytes) {
  auto memory = absl::WrapUnique(new OperandMemory(gpu));
  RETURN_IF_CUDA_ERROR(gpu.driver(), cuStreamCreate, &memory->stream_,
                       kStreamNonBlocking);
  ASSIGN_OR_RETURN(memory->cache_bytes_, gpu.ReadCacheBytes());
  RETURN_IF_ERROR(memory->Allocate(bytes));
  RETURN_IF_ERROR(memory->MakeNumbers());
  return memory;
}

OperandMemory::~OperandMemory() {
  if (!gpu_.MakeCurrent().ok()) {
    return;
  }
  for (const DevicePointer memory : {base_, cache_}) {
    if (memory != 0) {
      gpu_.driver()->cuMemFree_v2(memory);
    }
  }
  if (stream_ != nullptr) {
    gpu_.driver()->cuStreamDestroy_v2(stream_);
  }
}

absl::Status OperandMemory::Allocate(uint64_t bytes) {
  const Driver& driver = gpu_.driver();
  absl::Status status =
      driver.Check(driver->cuMemAlloc_v2(&base_, bytes), "cuMemAlloc_v2");
  if (status.ok() && cache_bytes_ != 0) {
    status = driver.Check(driver->cuMemAlloc_v2(&cache_, cache_bytes_),
                          "cuMemAlloc_v2");
  }
  return absl::IsResourceExhausted(status)
             ? absl::ResourceExhaustedError(
                   absl::StrCat("not enough memory on the GPU (", gpu_.name(),
                                "): measuring the largest product takes ",
                                FormatBytes(bytes + cache_bytes_),
                                "; end what else runs on the GPU (nvidia-smi)"))
             : status;
}

absl::Status OperandMemory::MakeNumbers() {
  ASSIGN_OR_RETURN(
      numbers_, PinnedMemory::Create(gpu_, kBlockBytes * std::size(kNumbers)));
  std::byte* to = numbers_.data();
  for (const Numbers& numbers : kNumbers) {
    for (uint64_t word = 0; word < kBlockBytes / sizeof(uint32_t); ++word) {
      const uint32_t random =
          RandomWord(0, kNumbersSite, 0, word) & numbers.kept;
      const uint32_t value = random | numbers.set;
      std::memcpy(to, &value, sizeof value);
      to += sizeof value;
    }
  }
  return absl::OkStatus();
}

uint64_t OperandMemory::BytesFor(absl::Span<const ByteRange> ranges) {
  uint64_t end = 0;
  for (const ByteRange& range : ranges) {
    end = PlaceBehind(end, range) + range.size();
  }
  // A whole number of words.
  return DivideUp(end, kAllocationAlignment) * kAllocationAlignment;
}

absl::Status OperandMemory::Place(const planpb::Product& product,
                                  absl::Span<const ByteRange> ranges) {
  operands_.clear();
  uint64_t end = 0;
  for (const ByteRange& range : ranges) {
    const uint64_t begin = PlaceBehind(end, range);
    operands_.push_back(base_ + begin);
    end = begin + range.size();
  }
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemsetD32Async, base_, kOne,
                       BytesFor(ranges) / sizeof kOne, stream_);
  RETURN_IF_ERROR(FillFactor(product.lhs(), ranges));
  return FillFactor(product.rhs(), ranges);
}

absl::Status OperandMemory::FillFactor(
    const planpb::Product::Factor& factor,
    absl::Span<const ByteRange> ranges) const {
  const DevicePointer to = operands_[factor.operand()];
  const uint64_t bytes = ranges[factor.operand()].size();
  const std::byte* const numbers =
      numbers_.data() + BlockOf(factor.dtype()) * kBlockBytes;
  uint64_t done = std::min(bytes, kBlockBytes);
  RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemcpyHtoDAsync_v2, to, numbers, done,
                       stream_);
  while (done < bytes) {
    const uint64_t more = std::min(done, bytes - done);
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemcpyDtoDAsync_v2, to + done, to,
                         more, stream_);
    done += more;
  }
  return absl::OkStatus();
}

absl::Status OperandMemory::FillCache() const {
  if (cache_bytes_ != 0) {
    RETURN_IF_CUDA_ERROR(gpu_.driver(), cuMemsetD8Async, cache_, 0,
                         cache_bytes_, stream_);
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime::cuda
