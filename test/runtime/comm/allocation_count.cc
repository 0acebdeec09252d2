// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators new and delete of the program. In a file of its own, not compiled
// together with others: a compiler that saw both them and their callers would
// inline one half of a pair and warn of the other.
#include "test/runtime/comm/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {
thread_local size_t allocations = 0;
}  // namespace

void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) {
    return memory;
  }
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

size_t accel::testing::AllocationsOfThisThread() { return allocations; }
