// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the double of cuDNN begin with: both libraries as a program
// opens them, a handle, and descriptors.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_DNN_FIXTURE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_DNN_FIXTURE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "test/cuda/double/dnn/abi.h"
#include "test/cuda/double/driver_double.h"

namespace accel::cuda_double::dnn {

struct Doubles : DriverDouble {
  Functions dnn;
  Handle handle = nullptr;
};

// Opened, with every symbol, and nothing called.
Doubles OpenDoubles();
// With a current context, a stream and a handle, once in a process.
const Doubles& TheDoubles();
const Functions& Dnn();
const cuda::DriverFunctions& Driver();

// A descriptor, until it is destroyed.
class Object {
 public:
  explicit Object(int kind);
  ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  BackendDescriptor get() const { return descriptor_; }
  void Destroy();

  template <typename T>
  Status Set(int name, int type, const std::vector<T>& values) {
    return Dnn().cudnnBackendSetAttribute(descriptor_, name, type,
                                          static_cast<int64_t>(values.size()),
                                          values.data());
  }
  Status Set(int name, int type, int value) {
    return Set(name, type, std::vector<int>{value});
  }
  Status SetInt64(int name, std::vector<int64_t> values) {
    return Set(name, kTypeInt64, values);
  }
  Status SetReal(int name, double value) {
    return Set(name, kTypeDouble, std::vector<double>{value});
  }
  Status SetBool(int name, bool value) {
    return Set(name, kTypeBoolean, std::vector<char>{value});
  }
  Status SetHandle(int name, Handle handle) {
    return Set(name, kTypeHandle, std::vector<Handle>{handle});
  }
  Status SetObjects(int name, const std::vector<const Object*>& objects);
  Status SetObject(int name, const Object& object) {
    return SetObjects(name, {&object});
  }
  Status Finalize() { return Dnn().cudnnBackendFinalize(descriptor_); }

  // Empty if that is refused.
  template <typename T>
  std::vector<T> Get(int name, int type) const {
    int64_t count = 0;
    Dnn().cudnnBackendGetAttribute(descriptor_, name, type, 0, &count, nullptr);
    std::vector<T> values(static_cast<size_t>(count));
    Dnn().cudnnBackendGetAttribute(descriptor_, name, type, count, &count,
                                   values.data());
    return values;
  }
  int64_t GetInt64(int name) const {
    return Get<int64_t>(name, kTypeInt64).at(0);
  }
  // New objects of that kind.
  std::vector<std::unique_ptr<Object>> GetObjects(int name, int kind) const;

 private:
  BackendDescriptor descriptor_ = nullptr;
};

using Objects = std::vector<std::unique_ptr<Object>>;

// The reason of the last refusal on this thread.
std::string LastError();

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_DNN_FIXTURE_H_
