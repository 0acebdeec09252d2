// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks tell each other on the host about their GPUs.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_EXCHANGE_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_EXCHANGE_H_

#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/comm/communicator.h"

namespace accel::runtime::cuda {

// all[r] = what rank r passes as `own`. All ranks call this together.
// Requires: `all` has one for each rank.
template <typename Value>
absl::Status Exchange(Communicator& communicator, absl::string_view name,
                      const Value& own, absl::Span<Value> all) {
  static_assert(std::is_trivially_copyable_v<Value>);
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_ALL_GATHER;
  call.dtype = DType::kU8;
  call.elements = all.size() * sizeof(Value);
  call.granule = sizeof(Value);
  call.name = name;
  call.input =
      absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&own), sizeof own);
  call.output =
      absl::MakeSpan(reinterpret_cast<std::byte*>(all.data()), call.elements);
  return communicator.Run(call);
}

// Returns when all ranks have come.
inline absl::Status Arrive(Communicator& communicator, absl::string_view name) {
  CollectiveCall call;
  call.kind = planpb::Collective::KIND_BARRIER;
  call.name = name;
  return communicator.Run(call);
}

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_COLLECTIVES_EXCHANGE_H_
