// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/communicators.h"

#include <map>
#include <mutex>

#include "test/cuda/double/nccl/refusals.h"

namespace accel::cuda_double::nccl {
namespace {

struct Table {
  std::mutex lock;
  std::map<uint64_t, std::shared_ptr<Communicator>> communicators;
  // Not canonical on x86-64 and AArch64.
  uint64_t last = uint64_t{0x0cc1} << 48;
};

// It lives until the process ends: threads may still call then.
Table& TheTable() {
  static auto& table = *new Table;
  return table;
}

uint64_t Key(cuda::NcclComm handle) {
  return reinterpret_cast<uint64_t>(handle);
}

}  // namespace

cuda::NcclComm AddCommunicator(std::shared_ptr<Communicator> communicator) {
  Table& table = TheTable();
  const std::lock_guard<std::mutex> guard(table.lock);
  table.last += 16;
  table.communicators[table.last] = std::move(communicator);
  return reinterpret_cast<cuda::NcclComm>(table.last);
}

std::shared_ptr<Communicator> FindCommunicator(cuda::NcclComm handle) {
  Table& table = TheTable();
  const std::lock_guard<std::mutex> guard(table.lock);
  const auto found = table.communicators.find(Key(handle));
  return found == table.communicators.end() ? nullptr : found->second;
}

void RemoveCommunicator(cuda::NcclComm handle) {
  Table& table = TheTable();
  std::shared_ptr<Communicator> removed;  // ends without the lock
  const std::lock_guard<std::mutex> guard(table.lock);
  const auto found = table.communicators.find(Key(handle));
  if (found != table.communicators.end()) {
    removed = std::move(found->second);
    table.communicators.erase(found);
  }
}

std::shared_ptr<Communicator> RequireCommunicator(cuda::NcclComm handle,
                                                  const char* entry,
                                                  cuda::NcclResult* result) {
  std::shared_ptr<Communicator> communicator = FindCommunicator(handle);
  if (communicator == nullptr) {
    *result = Misuse(
        cuda::kNcclInvalidArgument,
        std::string(entry) +
            (handle == nullptr ? ": the communicator is null"
                               : ": the communicator was destroyed or aborted, "
                                 "or never made"));
  }
  return communicator;
}

}  // namespace accel::cuda_double::nccl
