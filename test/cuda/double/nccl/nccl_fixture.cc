// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/nccl/nccl_fixture.h"

#include <dlfcn.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"

namespace accel::cuda_double {

void NcclTest::OpenAll(int gpus, Environment environment) {
  CloseAll();
  environment["GPUS"] = absl::StrCat(gpus);
  Load(std::move(environment));
  nccl_library_ = dlopen(ACCEL_NCCL_DOUBLE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nccl_library_, nullptr) << dlerror();
#define ACCEL_DOUBLE_FIND(result, name, ...)                              \
  nccl.name =                                                             \
      reinterpret_cast<decltype(nccl.name)>(dlsym(nccl_library_, #name)); \
  ASSERT_NE(nccl.name, nullptr) << #name;
  ACCEL_NCCL_FUNCTIONS(ACCEL_DOUBLE_FIND)
#undef ACCEL_DOUBLE_FIND
  ASSERT_EQ(cu.cuInit(0), kSuccess);
}

// The driver's works call NCCL when they end.
void NcclTest::CloseAll() {
  Close();
  if (nccl_library_ != nullptr) {
    dlclose(nccl_library_);
  }
  nccl_library_ = nullptr;
}

TestRank NcclTest::OnGpu(int gpu, int ranks, int number) {
  TestRank rank;
  rank.rank = number < 0 ? gpu : number;
  rank.ranks = ranks;
  EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&rank.context, gpu), kSuccess);
  EXPECT_EQ(cu.cuCtxSetCurrent(rank.context), kSuccess);
  rank.stream = NewStream();
  return rank;
}

void NcclTest::InThreads(int ranks, const RankFunction& run) {
  std::vector<std::thread> threads;
  for (int k = 0; k < ranks; ++k) {
    threads.emplace_back([this, k, ranks, &run] {
      TestRank rank = OnGpu(k, ranks);
      run(rank);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

void NcclTest::Collectively(int ranks, const RankFunction& run, int blocking) {
  const NcclUniqueId id = NewId();
  InThreads(ranks, [&](TestRank& rank) {
    ExpectDone(rank.comm, Init(rank, id, blocking));
    run(rank);
    EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess)
        << nccl.ncclGetLastError(nullptr);
  });
}

NcclUniqueId NcclTest::NewId() {
  NcclUniqueId id = {};
  EXPECT_EQ(nccl.ncclGetUniqueId(&id), kNcclSuccess);
  return id;
}

NcclResult NcclTest::Init(TestRank& rank, NcclUniqueId id, int blocking) {
  NcclConfig config;
  config.blocking = blocking;
  const NcclResult result = nccl.ncclCommInitRankConfig(&rank.comm, rank.ranks,
                                                        id, rank.rank, &config);
  return result == kNcclInProgress ? Settle(rank.comm) : result;
}

NcclResult NcclTest::Settle(NcclComm comm) {
  NcclResult state = kNcclInProgress;
  EXPECT_EQ(nccl.ncclCommGetAsyncError(comm, &state), kNcclSuccess);
  while (state == kNcclInProgress) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    EXPECT_EQ(nccl.ncclCommGetAsyncError(comm, &state), kNcclSuccess);
  }
  return state;
}

void NcclTest::ExpectDone(NcclComm comm, NcclResult result) {
  if (result == kNcclInProgress) {
    result = Settle(comm);
  }
  EXPECT_EQ(result, kNcclSuccess) << nccl.ncclGetLastError(nullptr);
}

}  // namespace accel::cuda_double
