// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the numbers of an exported file come from: an executor, or a
// checkpoint.
#ifndef ACCEL_RUNTIME_EXPORT_PARAMETER_READER_H_
#define ACCEL_RUNTIME_EXPORT_PARAMETER_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/executor/parameters.h"

namespace accel::runtime {

// Elements [first, first + elements) of a parameter, one of whose slots lies at
// `place`. An empty `dst` is for a rank that only gives its parts.
using ParameterReader = std::function<absl::Status(
    const planpb::Parameter& parameter, const ParameterPlace& place,
    uint64_t first, uint64_t elements, absl::Span<std::byte> dst)>;

// What is there between steps. Borrows: the executor.
inline ParameterReader ReadFrom(const Executor& executor) {
  return [&executor](const planpb::Parameter&, const ParameterPlace& place,
                     uint64_t first, uint64_t elements,
                     absl::Span<std::byte> dst) {
    return ReadParameter(executor, place, first, elements, dst);
  };
}

// Which rank of several processes calls: the one that writes the file, or one
// that gives what it holds and writes nothing. Where no rank holds parts of
// tensors, the others need not call.
enum class ExportRole { kWriter, kGiver };

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXPORT_PARAMETER_READER_H_
