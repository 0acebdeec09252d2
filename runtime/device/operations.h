// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that instructions consist of, as a stream of a device carries
// them out on the memory of its rank.
#ifndef ACCEL_RUNTIME_DEVICE_OPERATIONS_H_
#define ACCEL_RUNTIME_DEVICE_OPERATIONS_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/comm/collective_call.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {

// What one pointer of a kernel points to.
struct KernelArgument {
  ByteRange range;
  // Thread t of the launch gets the address this many bytes further on for each
  // thread before it; 0: all threads get the same.
  uint64_t thread_stride = 0;
};

// All of a kernel's work, or the rank's part of it: of `elements` elements,
// which are a multiple of the tiles of each of the kernel's entries, the rank
// has the first `owned` at its own place in the arguments. How that is cut is
// said by the entry of the variant that the device runs.
struct KernelLaunch {
  uint32_t kernel = 0;  // of the plan
  absl::Span<const KernelArgument> arguments;
  uint64_t elements = 1;
  uint64_t owned = 1;

  // Of an entry with so many tiles for all of the work.
  uint64_t TilesOf(uint64_t tiles) const {
    return owned == elements ? tiles : TilesOfPart(tiles, elements, owned);
  }
};

// A call returns when the operation is done, or when all is copied that it
// needs of its arguments and it will be done in the order of the calls: which
// one, nobody but the device knows. Ranges may be empty.
//
// Threads: one at a time.
class Operations {
 public:
  virtual ~Operations() = default;

  virtual absl::Status Launch(const KernelLaunch& launch) = 0;
  // Repeats `pattern`, whose length divides the range's; empty: zero bytes.
  virtual absl::Status Fill(const ByteRange& destination,
                            absl::string_view pattern) = 0;
  // Requires: both are equally long and do not overlap.
  virtual absl::Status Copy(const ByteRange& source,
                            const ByteRange& destination) = 0;
  // `call` has neither input nor output yet: they are these ranges. A rank
  // alone owns everything and is its own sum.
  virtual absl::Status Collective(const CollectiveCall& call,
                                  const ByteRange& input,
                                  const ByteRange& output) = 0;

  // Fills the range with what `produce` writes to as much memory of the host:
  // all of it, before the call returns.
  virtual absl::Status Upload(
      const ByteRange& destination,
      absl::FunctionRef<absl::Status(absl::Span<std::byte> host)> produce) = 0;
  // Copies to memory of the host, which must stay until the streams have been
  // synchronized.
  // Requires: both are equally long.
  virtual absl::Status Download(const ByteRange& source,
                                absl::Span<std::byte> host) = 0;

  // Calls task(i) for all i of [0, count) on the host's threads that work for
  // this stream, and returns when all have returned.
  virtual void ParallelFor(int64_t count,
                           absl::FunctionRef<void(int64_t)> task) = 0;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_OPERATIONS_H_
