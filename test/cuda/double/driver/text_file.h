// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file to which lines are appended, also by other processes.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_TEXT_FILE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_TEXT_FILE_H_

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace accel::cuda_double {

class TextFile {
 public:
  explicit TextFile(const std::string& path, int otherwise)
      : descriptor_(otherwise) {
    if (!path.empty()) {
      descriptor_ =
          ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
      owns_ = true;
      if (descriptor_ < 0) {
        std::fprintf(stderr, "cuda double: cannot open %s\n", path.c_str());
        std::abort();
      }
    }
  }
  ~TextFile() {
    if (owns_) {
      ::close(descriptor_);
    }
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // One write, so that lines of several processes do not mix.
  void Append(std::string line) const {
    line += '\n';
    if (is_open() && ::write(descriptor_, line.data(), line.size()) < 0) {
      std::abort();
    }
  }

 private:
  int descriptor_;
  bool owns_ = false;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_TEXT_FILE_H_
