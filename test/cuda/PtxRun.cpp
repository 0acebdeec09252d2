// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids and arguments of launches.
#include "test/cuda/PtxRun.h"

#include "passes/Target/Cuda/CudaTarget.h"

#include <gtest/gtest.h>

#include <map>

namespace accel::test {

PtxImage::PtxImage(const CodeImage &image) {
  auto parsed = ptx::Module::Parse({image.code.data(), image.code.size()});
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (parsed.ok()) {
    module = std::make_unique<ptx::Module>(std::move(*parsed));
  }
}

absl::Status PtxImage::run(const std::string &kernel,
                           const std::vector<PtxRange> &ranges, int64_t begin,
                           int64_t end, int64_t threads, uint64_t seed) const {
  const ptx::Kernel *code = module ? module->Find(kernel) : nullptr;
  if (!code) {
    return absl::NotFoundError("no PTX of kernel " + kernel);
  }
  if (begin == end) {
    return absl::OkStatus();
  }
  std::map<void *, PtxRange> known;
  ptx::Launch launch;
  for (const PtxRange &range : ranges) {
    PtxRange &one = known.try_emplace(range.data, range).first->second;
    one.isRead |= range.isRead;
    one.isWritten |= range.isWritten;
    launch.Add(range.data);
  }
  ptx::GlobalMemory memory;
  for (const auto &[data, range] : known) {
    absl::Status added = memory.Add(
        data, range.bytes, "operand",
        range.isRead ? ptx::Contents::kInitialised : ptx::Contents::kPoisoned,
        range.isWritten ? ptx::Access::kReadWrite : ptx::Access::kReadOnly);
    if (!added.ok()) {
      return added;
    }
  }
  // The workspace of a variant for CPUs, which nobody touches here.
  if (code->parameters.size() > ranges.size() + 2) {
    launch.Add(static_cast<void *>(nullptr));
  }
  launch.Add(begin).Add(end);
  int64_t warps = threads / kWarpThreads;
  launch.grid = {static_cast<uint32_t>((end - begin + warps - 1) / warps)};
  launch.block = {static_cast<uint32_t>(threads)};
  ptx::Options options;
  options.seed = seed;
  return ptx::Run(*code, launch, memory, options);
}

} // namespace accel::test
