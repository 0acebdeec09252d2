// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vfs of a whole process that counts every operation on some files, and at
// one of them ends the process or fails.
#ifndef ACCEL_TEST_E2E_FAULTS_FAULT_VFS_H_
#define ACCEL_TEST_E2E_FAULTS_FAULT_VFS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/io/vfs.h"

namespace accel::testing {

// From the environment:
//   ACCEL_FAULT=WHAT@N   at operation N, from 1, of those on paths that contain
//                        ACCEL_FAULT_PATH:
//                        kill   ends the process by SIGKILL before it
//                        short  writes half, and ends the process
//                        cut    cuts the power of the file system that is
//                               mounted at ACCEL_FAULT_MOUNT (ext4, XFS), and
//                               ends the process
//                        EIO    and the like: it gets this error; with a +
//                        (EIO+)
//                               all later ones, too
//   ACCEL_FAULT_RANK=R   in the process with RANK=R alone
//   ACCEL_FAULT_COUNT=F  appends the number of operations to file F at the end
//   ACCEL_FAULT_NOW=F    in place of these, what file F says at that moment: an
//                        error, slow (each operation takes 30 ms more), hang
//                        (until it says something else), or nothing
struct FaultPlan {
  std::string what;  // empty: count only
  int64_t at = 0;
  std::string path_part;
  std::string count_file;
  std::string now_file;

  static FaultPlan FromEnvironment();
};

std::unique_ptr<runtime::Vfs> MakeFaultVfs(const FaultPlan& plan,
                                           std::unique_ptr<runtime::Vfs> base);

}  // namespace accel::testing

#endif  // ACCEL_TEST_E2E_FAULTS_FAULT_VFS_H_
