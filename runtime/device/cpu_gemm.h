// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of matrix products of a plan, made ready by oneDNN when the plan is
// loaded.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_GEMM_H_
#define ACCEL_RUNTIME_DEVICE_CPU_GEMM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/thread_team.h"
#include "runtime/plan/plan.pb.h"

namespace accel::runtime {

// The products of a batch are split among the team, and the library computes
// each on one thread: its bits do not depend on how many there are.
//
// Threads: one thread at a time.
class CpuGemm {
 public:
  struct Operands {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    void* workspace = nullptr;
  };

  // The library decides here, once, how it will compute a product. `threads`:
  // of the teams that will run it, at most.
  // Requires: `gemm` is valid.
  static absl::StatusOr<std::unique_ptr<CpuGemm>> Create(
      const planpb::Gemm& gemm, int threads);
  ~CpuGemm();
  CpuGemm(const CpuGemm&) = delete;
  CpuGemm& operator=(const CpuGemm&) = delete;

  // Bytes of workspace that Run needs, for all threads.
  uint64_t workspace_bytes() const;
  // The library's name for how it computes: "gemm:jit".
  const std::string& implementation() const;

  absl::Status Run(const Operands& operands, const ThreadTeam& team);

 private:
  struct State;
  explicit CpuGemm(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_GEMM_H_
