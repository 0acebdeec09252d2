// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the doubles of NCCL and of the driver as a program would, anew for
// every test, and runs ranks as threads.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_NCCL_FIXTURE_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_NCCL_FIXTURE_H_

#include <functional>
#include <string>
#include <vector>

#include "runtime/device/cuda/abi/nccl.h"
#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {

// What a rank has. Each is used in the rank's own thread, or after its end.
struct TestRank {
  int rank = 0;
  int ranks = 1;
  Context context = nullptr;
  StreamHandle stream = nullptr;
  NcclComm comm = nullptr;
};

template <typename T>
constexpr NcclDataType TypeOf() {
  if constexpr (std::is_same_v<T, float>) {
    return kNcclFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return kNcclFloat64;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return kNcclInt64;
  } else {
    return kNcclUint8;
  }
}

class NcclTest : public DriverTest {
 protected:
  using RankFunction = std::function<void(TestRank& rank)>;

  void TearDown() override { CloseAll(); }

  // Loads the libraries for as many GPUs.
  void OpenAll(int gpus, Environment environment = {});
  void CloseAll();

  // Makes the context and the stream of the calling thread's rank, whose number
  // is that of its GPU unless it is given.
  TestRank OnGpu(int gpu, int ranks, int number = -1);
  // Runs the ranks in threads until all have ended.
  void InThreads(int ranks, const RankFunction& run);
  // The same, each with a communicator, which it destroys at its end.
  void Collectively(int ranks, const RankFunction& run, int blocking = 1);

  NcclUniqueId NewId();
  NcclResult Init(TestRank& rank, NcclUniqueId id, int blocking = 1);
  // Polls while the communicator is in progress.
  NcclResult Settle(NcclComm comm);
  // Says that a call of a communicator that is not blocking has succeeded.
  void ExpectDone(NcclComm comm, NcclResult result);

  template <typename T>
  T* Upload(const TestRank& rank, const std::vector<T>& values) {
    const DevicePointer memory = NewMemory(values.size() * sizeof(T));
    EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(memory, values.data(),
                                      values.size() * sizeof(T), rank.stream),
              kSuccess);
    return reinterpret_cast<T*>(memory);
  }
  // Uploads what the rank's function of the index gives.
  template <typename T>
  T* Make(const TestRank& rank, size_t n, T (*value)(int rank, size_t index)) {
    std::vector<T> values(n);
    for (size_t k = 0; k < n; ++k) {
      values[k] = value(rank.rank, k);
    }
    return Upload(rank, values);
  }
  template <typename T>
  T* MakeEmpty(size_t n) {
    return reinterpret_cast<T*>(NewMemory(n * sizeof(T)));
  }
  // Waits for the stream, then reads.
  template <typename T>
  std::vector<T> Download(const TestRank& rank, const T* from, size_t n) {
    std::vector<T> values(n);
    EXPECT_EQ(Wait(rank.stream), kSuccess);
    EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(values.data(),
                                      reinterpret_cast<DevicePointer>(from),
                                      n * sizeof(T), rank.stream),
              kSuccess);
    return values;
  }

  NcclFunctions nccl;

 private:
  void* nccl_library_ = nullptr;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_NCCL_FIXTURE_H_
