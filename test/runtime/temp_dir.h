// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that exists for one test, and short ways to fill it.
#ifndef ACCEL_TEST_RUNTIME_TEMP_DIR_H_
#define ACCEL_TEST_RUNTIME_TEMP_DIR_H_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace accel::testing {

class TempDir {
 public:
  TempDir() {
    std::string pattern = ::testing::TempDir() + "/accel-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = std::filesystem::canonical(pattern).string();
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

  // Writes `content` and returns the path.
  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(File(name), std::ios::binary) << content;
    return File(name);
  }
  template <typename T>
  std::string Write(const std::string& name,
                    const std::vector<T>& values) const {
    return Write(name, Bytes(values));
  }

  std::string Read(const std::string& name) const {
    std::ifstream in(File(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  template <typename T>
  static std::string Bytes(const std::vector<T>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()),
                       values.size() * sizeof(T));
  }

 private:
  std::string path_;
};

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_TEMP_DIR_H_
