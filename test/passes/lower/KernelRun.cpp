// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps code, guards memory, moves values between tensors and memory.
#include "test/passes/lower/KernelRun.h"

#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/KernelOperands.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <unistd.h>
#include <xmmintrin.h>

using namespace mlir;

namespace accel::test {

namespace {

constexpr char kGuard = '\x5A';

size_t pages(size_t bytes) {
  size_t page = sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

char *map(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    abort();
  }
  return static_cast<char *>(memory);
}

size_t elementSize(Type element) {
  return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
}

template <typename T, typename From> void put(char *to, ArrayRef<From> values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    T element = static_cast<T>(value);
    memcpy(to + i * sizeof(T), &element, sizeof(T));
  }
}

template <typename T, typename To>
void get(const char *from, MutableArrayRef<To> values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    T element;
    memcpy(&element, from + i * sizeof(T), sizeof(T));
    value = static_cast<To>(element);
  }
}

/// Floats of 16 and 8 bits lie there as in an attribute, whose splats have one
/// element only.
void putSmallFloats(char *to, const HostTensor &values) {
  DenseElementsAttr attribute = values.toAttribute();
  ArrayRef<char> raw = attribute.getRawData();
  size_t width = elementSize(values.getElementType());
  for (int64_t i = 0; i < values.getNumElements(); ++i) {
    memcpy(to + i * width, &raw[attribute.isSplat() ? 0 : i * width], width);
  }
}

HostTensor getSmallFloats(const char *from, RankedTensorType type) {
  size_t bytes = type.getNumElements() * elementSize(type.getElementType());
  SmallVector<char> raw(from, from + bytes);
  return *HostTensor::fromAttribute(
      DenseElementsAttr::getFromRawBuffer(type, raw));
}

bool isSmallFloat(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

} // namespace

MappedImage::MappedImage(const CodeImage &image)
    : base(map(pages(image.code.size()))), size(pages(image.code.size())) {
  memcpy(base, image.code.data(), image.code.size());
  if (mprotect(base, size, PROT_READ | PROT_EXEC) != 0) {
    abort();
  }
}

MappedImage::~MappedImage() { munmap(base, size); }

KernelFunction MappedImage::getFunction(const CodeEntry &entry) const {
  return reinterpret_cast<KernelFunction>(base + entry.offset);
}

GuardedBuffer::GuardedBuffer(RankedTensorType type, size_t alignment,
                             size_t before)
    : type(type),
      size(type.getNumElements() * elementSize(type.getElementType())) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t shift = before * elementSize(type.getElementType());
  mappedSize = pages(size + alignment + shift) + page;
  mapping = map(mappedSize);
  size_t room = mappedSize - page;
  start = mapping + (room - size) / alignment * alignment - shift;
  memset(mapping, kGuard, room);
  memset(start, 0xFF, size);
  if (mprotect(mapping + mappedSize - page, page, PROT_NONE) != 0) {
    abort();
  }
}

GuardedBuffer::~GuardedBuffer() { munmap(mapping, mappedSize); }

bool GuardedBuffer::isGuardIntact() const {
  auto isGuard = [](char byte) { return byte == kGuard; };
  char *end = mapping + mappedSize - sysconf(_SC_PAGESIZE);
  return std::all_of(mapping, start, isGuard) &&
         std::all_of(start + size, end, isGuard);
}

void GuardedBuffer::fill(const HostTensor &values) {
  Type element = type.getElementType();
  if (isSmallFloat(element)) {
    putSmallFloats(start, values);
  } else if (element.isF32()) {
    put<float>(start, values.floats());
  } else if (element.isF64()) {
    put<double>(start, values.floats());
  } else if (element.isInteger(1) || element.isUnsignedInteger(8)) {
    put<uint8_t>(start, values.integers());
  } else if (element.isInteger(32)) {
    put<int32_t>(start, values.integers());
  } else {
    put<int64_t>(start, values.integers());
  }
}

HostTensor GuardedBuffer::read() const {
  Type element = type.getElementType();
  if (isSmallFloat(element)) {
    return getSmallFloats(start, type);
  }
  HostTensor result(type);
  if (element.isF32()) {
    get<float>(start, result.mutableFloats());
  } else if (element.isF64()) {
    get<double>(start, result.mutableFloats());
  } else if (element.isInteger(1) || element.isUnsignedInteger(8)) {
    get<uint8_t>(start, result.mutableIntegers());
  } else if (element.isInteger(32)) {
    get<int32_t>(start, result.mutableIntegers());
  } else {
    get<int64_t>(start, result.mutableIntegers());
  }
  return result;
}

bool isKept(func::FuncOp kernel, unsigned result, ArrayRef<HostTensor> inputs) {
  BlockArgument keep = getKeepArgument(kernel, result);
  return isAccumulated(kernel, result) &&
         (!keep || inputs[keep.getArgNumber()].getAsDouble(0) != 0.0);
}

std::unique_ptr<GuardedBuffer> makeWorkspace(func::FuncOp kernel) {
  int64_t bytes = getWorkspaceBytes(kernel);
  if (bytes == 0) {
    return nullptr;
  }
  Type f32 = Float32Type::get(kernel.getContext());
  return std::make_unique<GuardedBuffer>(
      RankedTensorType::get({bytes / 4}, f32));
}

FlushedSubnormals::FlushedSubnormals(func::FuncOp kernel)
    : before(_mm_getcsr()) {
  constexpr unsigned kFlush = 0x8040;
  _mm_setcsr(flushesSubnormals(kernel) ? before | kFlush : before);
}

FlushedSubnormals::~FlushedSubnormals() { _mm_setcsr(before); }

void assignGeometry(func::FuncOp kernel) {
  CpuTarget target(getCpuVariants());
  NamedAttrList codes;
  for (const CodeVariant &variant : getCpuVariants()) {
    codes.set(variant.name,
              target.getEntry(kernel, variant, /*mayUseTf32=*/false));
  }
  kernel->setAttr(plan::kCodeAttr, codes.getDictionary(kernel.getContext()));
}

bool canRun(const CodeVariant &variant) {
  bool hasV3 = __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  bool hasV4 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  bool hasBf16 = __builtin_cpu_supports("avx512bf16");
  return variant.device == plan::DeviceKind::Cpu && hasV3 &&
         (variant.name == "x86-64-v3" || hasV4) &&
         (variant.name != kBf16Variant || hasBf16);
}

std::vector<std::pair<int64_t, int64_t>> splitTiles(int64_t tiles,
                                                    unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> cuts{0, tiles};
  for (unsigned i = 0; i < 3; ++i) {
    cuts.push_back(static_cast<int64_t>(random() % (tiles + 1)));
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (size_t i = 1; i < cuts.size(); ++i) {
    parts.push_back({cuts[i - 1], cuts[i]}); // some are empty
  }
  std::shuffle(parts.begin(), parts.end(), random);
  return parts;
}

} // namespace accel::test
