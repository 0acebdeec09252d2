// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUID, read through one table of features.
#include "runtime/device/cpu/cpu_features.h"

#include <cpuid.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "absl/strings/ascii.h"

namespace accel::runtime {
namespace {

enum Register { kEax, kEbx, kEcx, kEdx };

// State components that the operating system must save (bits of XCR0).
enum State : uint64_t {
  kNone = 0,
  kYmm = 0x6,
  kZmm = 0xe6,
  kTiles = 0x60000,
};

struct Feature {
  absl::string_view name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  int bit;
  State state;
};

constexpr Feature kFeatures[] = {
    {"sse", 1, 0, kEdx, 25, kNone},
    {"sse2", 1, 0, kEdx, 26, kNone},
    {"sse3", 1, 0, kEcx, 0, kNone},
    {"pclmul", 1, 0, kEcx, 1, kNone},
    {"ssse3", 1, 0, kEcx, 9, kNone},
    {"fma", 1, 0, kEcx, 12, kYmm},
    {"cx16", 1, 0, kEcx, 13, kNone},
    {"sse4.1", 1, 0, kEcx, 19, kNone},
    {"sse4.2", 1, 0, kEcx, 20, kNone},
    {"movbe", 1, 0, kEcx, 22, kNone},
    {"popcnt", 1, 0, kEcx, 23, kNone},
    {"aes", 1, 0, kEcx, 25, kNone},
    {"xsave", 1, 0, kEcx, 27, kNone},
    {"avx", 1, 0, kEcx, 28, kYmm},
    {"f16c", 1, 0, kEcx, 29, kYmm},
    {"bmi", 7, 0, kEbx, 3, kNone},
    {"avx2", 7, 0, kEbx, 5, kYmm},
    {"bmi2", 7, 0, kEbx, 8, kNone},
    {"avx512f", 7, 0, kEbx, 16, kZmm},
    {"avx512dq", 7, 0, kEbx, 17, kZmm},
    {"avx512ifma", 7, 0, kEbx, 21, kZmm},
    {"avx512cd", 7, 0, kEbx, 28, kZmm},
    {"avx512bw", 7, 0, kEbx, 30, kZmm},
    {"avx512vl", 7, 0, kEbx, 31, kZmm},
    {"avx512vbmi", 7, 0, kEcx, 1, kZmm},
    {"avx512vbmi2", 7, 0, kEcx, 6, kZmm},
    {"gfni", 7, 0, kEcx, 8, kNone},
    {"vaes", 7, 0, kEcx, 9, kYmm},
    {"avx512vnni", 7, 0, kEcx, 11, kZmm},
    {"avx512bitalg", 7, 0, kEcx, 12, kZmm},
    {"avx512vpopcntdq", 7, 0, kEcx, 14, kZmm},
    {"amx-bf16", 7, 0, kEdx, 22, kTiles},
    {"avx512fp16", 7, 0, kEdx, 23, kZmm},
    {"amx-tile", 7, 0, kEdx, 24, kTiles},
    {"amx-int8", 7, 0, kEdx, 25, kTiles},
    {"avxvnni", 7, 1, kEax, 4, kYmm},
    {"avx512bf16", 7, 1, kEax, 5, kZmm},
    {"sahf", 0x80000001, 0, kEcx, 0, kNone},
    {"lzcnt", 0x80000001, 0, kEcx, 5, kNone},
    {"64bit", 0x80000001, 0, kEdx, 29, kNone},
};

using Registers = std::array<uint32_t, 4>;

// All zero if the CPU has no such leaf.
Registers Cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r = {};
  __get_cpuid_count(leaf, subleaf, &r[kEax], &r[kEbx], &r[kEcx], &r[kEdx]);
  return r;
}

// XCR0, or 0 if the operating system does not use it.
uint64_t EnabledState() {
  constexpr int kOsXsave = 27;
  if (((Cpuid(1, 0)[kEcx] >> kOsXsave) & 1) == 0) {
    return 0;
  }
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

// Which processors multiply bf16 faster than f32 is known of measurements only:
// AMD's from Zen 4 (family 25, which has the instruction since then) do, at
// twice the rate. Intel's Xeons do not: Sapphire Rapids has half the rate of
// its FMA.
bool HasFastBf16() {
  const Registers vendor = Cpuid(0, 0);
  constexpr uint32_t kAuth = 0x68747541;  // "Auth", of "AuthenticAMD"
  const uint32_t version = Cpuid(1, 0)[kEax];
  const uint32_t family = ((version >> 8) & 0xf) + ((version >> 20) & 0xff);
  return vendor[kEbx] == kAuth && family >= 25;
}

std::string Brand() {
  if (Cpuid(0x80000000, 0)[kEax] < 0x80000004) {
    return "unknown CPU";
  }
  std::array<char, 49> text = {};
  for (uint32_t i = 0; i < 3; ++i) {
    const Registers part = Cpuid(0x80000002 + i, 0);
    std::memcpy(text.data() + size_t{i} * sizeof part, part.data(),
                sizeof part);
  }
  return std::string(absl::StripAsciiWhitespace(text.data()));
}

}  // namespace

CpuDescription DescribeHostCpu() {
  CpuDescription cpu;
  cpu.brand = Brand();
  const uint64_t enabled = EnabledState();
  for (const Feature& feature : kFeatures) {
    const Registers r = Cpuid(feature.leaf, feature.subleaf);
    if (((r[feature.reg] >> feature.bit) & 1) != 0 &&
        (enabled & feature.state) == feature.state) {
      cpu.features.insert(std::string(feature.name));
    }
  }
  if (cpu.Has("avx512bf16") && HasFastBf16()) {
    cpu.features.insert("fast-avx512bf16");
  }
  return cpu;
}

}  // namespace accel::runtime
