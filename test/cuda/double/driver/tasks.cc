// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/tasks.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace accel::cuda_double {
namespace {

using runtime::cuda::kErrorIllegalAddress;

void* Pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

uint64_t Address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

SharedTask Share(Task task) {
  return std::make_shared<const Task>(std::move(task));
}

// Checks all accesses and then does what they are for.
Outcome Touch(Device& device, std::vector<Touched> touched,
              const std::function<void()>& act) {
  Outcome outcome;
  for (const Touched& access : touched) {
    outcome.fault = CheckAccess(device, access);
    if (outcome.fault.has_value()) {
      return outcome;
    }
  }
  act();
  outcome.touched = std::move(touched);
  return outcome;
}

// A replay may come after the end of the memory that was captured.
std::optional<Fault> CheckPinned(const HostMemory& host, const void* pointer,
                                 size_t bytes) {
  const Block* block = host.Find(pointer);
  if (block != nullptr && block->Holds(Address(pointer), bytes)) {
    return std::nullopt;
  }
  return Fault{kErrorIllegalAddress,
               "out of range: its bytes on the host are not pinned any more"};
}

}  // namespace

SharedTask CopyToDevice(Device& device, const HostMemory& host, uint64_t to,
                        const void* from, size_t bytes) {
  const bool is_pinned = host.Find(from) != nullptr;
  std::vector<std::byte> staged;
  if (!is_pinned) {
    const auto* first = static_cast<const std::byte*>(from);
    staged.assign(first, first + bytes);
  }
  return Share({.name = absl::StrCat("copy to device of ", bytes, " bytes"),
                .kernel = "",
                .run = [=, &device, &host, staged = std::move(staged)] {
                  Outcome outcome;
                  if (is_pinned) {
                    outcome.fault = CheckPinned(host, from, bytes);
                    if (outcome.fault.has_value()) {
                      return outcome;
                    }
                  }
                  outcome = Touch(device, {{to, bytes, true}}, [&] {
                    std::memcpy(Pointer(to), is_pinned ? from : staged.data(),
                                bytes);
                  });
                  if (is_pinned) {
                    outcome.touched.push_back({Address(from), bytes, false});
                  }
                  return outcome;
                }});
}

SharedTask CopyToHost(Device& device, const HostMemory& host, void* to,
                      uint64_t from, size_t bytes) {
  const bool is_pinned = host.Find(to) != nullptr;
  return Share({.name = absl::StrCat("copy to host of ", bytes, " bytes"),
                .kernel = "",
                .run =
                    [=, &device, &host] {
                      Outcome outcome;
                      if (is_pinned) {
                        outcome.fault = CheckPinned(host, to, bytes);
                        if (outcome.fault.has_value()) {
                          return outcome;
                        }
                      }
                      outcome = Touch(device, {{from, bytes, false}}, [&] {
                        std::memcpy(to, Pointer(from), bytes);
                      });
                      if (is_pinned) {
                        outcome.touched.push_back({Address(to), bytes, true});
                      }
                      return outcome;
                    },
                .signals_host = true});
}

SharedTask CopyOnDevice(Device& device, uint64_t to, uint64_t from,
                        size_t bytes) {
  return Share(
      {.name = absl::StrCat("copy on device of ", bytes, " bytes"),
       .kernel = "",
       .run = [=, &device] {
         Outcome outcome;
         if (to < from + bytes && from < to + bytes) {
           outcome.fault =
               Fault{runtime::cuda::kErrorLaunchFailed,
                     "overlap: source and destination share bytes, which "
                     "leaves undefined what is copied"};
           return outcome;
         }
         return Touch(device, {{from, bytes, false}, {to, bytes, true}},
                      [&] { std::memcpy(Pointer(to), Pointer(from), bytes); });
       }});
}

SharedTask Memset(Device& device, uint64_t to, uint32_t value, size_t width,
                  size_t count) {
  return Share({.name = absl::StrCat("memset of ", width * count, " bytes"),
                .kernel = "",
                .run = [=, &device] {
                  return Touch(device, {{to, width * count, true}}, [&] {
                    for (size_t k = 0; k < count; ++k) {
                      std::memcpy(
                          static_cast<std::byte*>(Pointer(to)) + k * width,
                          &value, width);
                    }
                  });
                }});
}

std::vector<Touched> Rows(uint64_t to, uint64_t pitch, size_t width,
                          size_t height) {
  const uint64_t bytes = width * sizeof(uint32_t);
  if (pitch == bytes) {
    return {{to, bytes * height, true}};
  }
  std::vector<Touched> rows;
  for (size_t row = 0; row < height; ++row) {
    rows.push_back({to + row * pitch, bytes, true});
  }
  return rows;
}

SharedTask MemsetRows(Device& device, uint64_t to, uint64_t pitch,
                      uint32_t value, size_t width, size_t height) {
  std::vector<Touched> rows = Rows(to, pitch, width, height);
  return Share({.name = absl::StrCat("memset of ", height, " rows of ",
                                     width * sizeof(value), " bytes"),
                .kernel = "",
                .run = [=, &device, rows = std::move(rows)] {
                  return Touch(device, rows, [&] {
                    for (size_t row = 0; row < height; ++row) {
                      std::fill_n(
                          static_cast<uint32_t*>(Pointer(to + row * pitch)),
                          width, value);
                    }
                  });
                }});
}

SharedTask WriteValue(Device& device, const HostMemory& host, uint64_t to,
                      uint32_t value) {
  return Share({.name = "write value",
                .kernel = "",
                .run =
                    [=, &device] {
                      return Touch(device, {{to, sizeof(value), true}}, [&] {
                        // The host may be reading it.
                        __atomic_store_n(static_cast<uint32_t*>(Pointer(to)),
                                         value, __ATOMIC_RELEASE);
                      });
                    },
                .signals_host = host.Find(Pointer(to)) != nullptr});
}

SharedTask CallHost(runtime::cuda::HostFunction function, void* data) {
  return Share({.name = "host function",
                .kernel = "",
                .run =
                    [=] {
                      function(data);
                      return Outcome();
                    },
                .unlocks = true,
                .signals_host = true});
}

}  // namespace accel::cuda_double
