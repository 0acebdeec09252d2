// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outputs of a program, checked before it writes or computes anything: none
// of them is a file that it reads, or another output.
#ifndef ACCEL_RUNTIME_IO_OUTPUT_FILES_H_
#define ACCEL_RUNTIME_IO_OUTPUT_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Files are compared by device and inode, through links of any kind; files
// that do not exist yet by their folder and name. A terminal or another
// character device may be given several times: nothing is lost there.
//
// Borrows: the vfs.
class OutputFiles {
 public:
  explicit OutputFiles(Vfs& vfs) : vfs_(vfs) {}

  // `name` is what messages call it, without the path: "-o", "model". The first
  // fault is returned: an output that cannot be (ResolveOutput), or one that is
  // the same file as another output or as an input, which both are named. An
  // input that does not exist is left to who opens it; "-" is what standard
  // input comes from.
  absl::Status AddOutput(const std::string& name, const std::string& path);
  absl::Status AddInput(const std::string& name, const std::string& path);

 private:
  struct Entry {
    std::string shown;  // name and path
    uint64_t device = 0;
    uint64_t inode = 0;  // of the file; of its folder if it is new
    std::string new_file;

    bool IsSameFile(const Entry& other) const {
      return device == other.device && inode == other.inode &&
             new_file == other.new_file;
    }
  };

  Vfs& vfs_;
  std::vector<Entry> outputs_;
  std::vector<Entry> inputs_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_OUTPUT_FILES_H_
