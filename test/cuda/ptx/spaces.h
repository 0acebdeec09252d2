// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state spaces of a launch: where an address leads, whether a thread may
// go there, and what it finds.
//
// Addresses: those of .global and .const are the host's. Those of .shared,
// .local and .param begin at kWindowBase, which no null pointer reaches, and
// have a generic address each, in a window that the host does not use.
#ifndef ACCEL_TEST_CUDA_PTX_SPACES_H_
#define ACCEL_TEST_CUDA_PTX_SPACES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/cuda/ptx/memory.h"
#include "test/cuda/ptx/program.h"
#include "test/cuda/ptx/races.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {

inline constexpr uint64_t kWindowBase = 1024;
inline constexpr int kWindowShift = 56;
inline constexpr uint64_t kSharedWindow = uint64_t{1} << kWindowShift;
inline constexpr uint64_t kLocalWindow = uint64_t{2} << kWindowShift;
inline constexpr uint64_t kParamWindow = uint64_t{3} << kWindowShift;

// What is added to an address of the space to make it generic.
uint64_t WindowOf(Space space);

struct Request {
  uint64_t address = 0;
  uint32_t bytes = 0;
  AccessKind kind = AccessKind::kRead;
  Order order = Order::kPlain;
  uint32_t used = ~0u;  // the bytes whose values the program needs
};

// The caller's memory and the module's variables.
class GlobalSpace {
 public:
  // Borrows: both.
  GlobalSpace(GlobalMemory& memory, const Program& program);

  // Null after a fault.
  uint8_t* Access(Thread& thread, const Request& request, uint32_t block,
                  bool constant_only);
  uint64_t AddressOf(uint32_t variable) const;

 private:
  struct Region {
    GlobalMemory::Range* range = nullptr;
    bool is_constant = false;
    std::vector<std::unique_ptr<Cell[]>> pages;
  };

  Region* Find(uint64_t address, uint32_t bytes);
  Cell& CellAt(Region& region, uint64_t offset);
  bool CheckRaces(Thread& thread, const Request& request, Region& region,
                  uint32_t block);
  bool CheckValues(Thread& thread, const Request& request,
                   const Region& region);

  GlobalMemory own_;  // the module's variables
  std::map<uint32_t, uint64_t> addresses_;
  std::vector<Region> regions_;  // in the order of their addresses
  Region* last_ = nullptr;
};

// The .shared variables of a kernel, with gaps between them.
class SharedSpace {
 public:
  SharedSpace(const Program& program, const Function& kernel,
              uint32_t dynamic_bytes);

  // Makes all bytes unwritten, for the next block.
  void Reset();
  uint8_t* Access(Thread& thread, const Request& request, uint32_t block);
  uint64_t AddressOf(uint32_t variable) const;
  // Without the gaps.
  static uint32_t StaticBytes(const Program& program, const Function& kernel);

 private:
  // Adds a variable behind a gap and returns where it begins.
  uint64_t Append(uint64_t bytes, uint32_t alignment);

  std::map<uint32_t, uint64_t> offsets_;
  std::vector<uint8_t> data_;
  std::vector<ByteState> fresh_;
  std::vector<ByteState> state_;
  std::vector<Cell> cells_;
};

uint8_t* AccessLocal(Thread& thread, const Request& request);
uint8_t* AccessParam(Thread& thread, const Request& request);

// "block (0, 1, 0), thread (31, 0, 0)"
std::string NameOf(const Dim3& position);
Dim3 PositionOf(uint64_t linear, const Dim3& size);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_SPACES_H_
