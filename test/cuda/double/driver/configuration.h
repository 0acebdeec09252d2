// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the environment asks of the double. It is read once, when the process
// first calls cuInit, cuDriverGetVersion or accel_double_fails.
//
//   ACCEL_DOUBLE_GPUS=2             how many devices there are; 1
//   ACCEL_DOUBLE_CAPABILITY=9.0,8.0 of all devices or of each; 9.0
//   ACCEL_DOUBLE_MEMORY=1048576     bytes of each device; 1 GiB
//   ACCEL_DOUBLE_DRIVER=12040       the driver's version; 13000
//   ACCEL_DOUBLE_SEED=7             the order of execution; 0
//   ACCEL_DOUBLE_FAIL=ENTRY=CODE@N  the Nth call of ENTRY returns CODE; N
//                                   counts from 1; several with commas
//   ACCEL_DOUBLE_STALL=KERNEL@N     the Nth execution of KERNEL, or of a
//                                   library's call, never ends; several with
//                                   commas
//   ACCEL_DOUBLE_WRONG=KERNEL@N     the Nth execution writes a wrong number
//   ACCEL_DOUBLE_DROP_WAIT=N        the Nth cuStreamWaitEvent has no effect
//   ACCEL_DOUBLE_HOST_ORDER=thread  or signals: see host_order below
//   ACCEL_DOUBLE_REPORT=FILE        where mistakes are appended; stderr
//   ACCEL_DOUBLE_LOG=FILE           where operations are appended; nowhere
//
// Errors:  a name or a value that is not one of these ends the process. Names
//          that begin with ACCEL_DOUBLE_BLAS, ACCEL_DOUBLE_DNN or
//          ACCEL_DOUBLE_NCCL belong to other doubles.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_CONFIGURATION_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_CONFIGURATION_H_

#include <cstdint>
#include <string>
#include <vector>

namespace accel::cuda_double {

struct Capability {
  int major = 9;
  int minor = 0;
};

// The entry point or the kernel that something happens to at its Nth time.
struct Nth {
  std::string name;
  uint64_t number = 0;  // from 1
  int code = 0;
};

enum class HostOrder {
  // What a thread has seen complete is ordered before what that thread
  // enqueues.
  kThread,
  // Threads tell each other what they have seen, and see what a host function
  // or a value written to host memory says. This finds fewer races and is for
  // programs whose threads hand completions to each other.
  kSignals,
};

struct Configuration {
  std::vector<Capability> gpus = {{}};
  uint64_t memory_bytes = uint64_t{1} << 30;
  int driver_version = 13000;
  uint64_t seed = 0;
  std::vector<Nth> failures;
  std::vector<Nth> stalls;
  std::vector<Nth> wrong;     // whose first result is spoiled
  uint64_t dropped_wait = 0;  // from 1; 0: none
  HostOrder host_order = HostOrder::kThread;
  std::string report_path;
  std::string log_path;

  static Configuration FromEnvironment();
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_CONFIGURATION_H_
