// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/dnn_fixture.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace accel::cuda_double::dnn {
namespace {

void Require(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "cuda_double_dnn_test: failed: %s\n", what);
    std::abort();
  }
}

void *OpenLibrary(const char *name) {
  const std::string path = std::string(ACCEL_CUDA_DOUBLES "/") + name;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  Require(library != nullptr, library == nullptr ? dlerror() : "");
  return library;
}

template <typename F> void Load(void *library, const char *name, F &function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  Require(function != nullptr, name);
}

} // namespace

Doubles OpenDoubles() {
  Doubles doubles;
  void *driver = OpenLibrary("libcuda.so.1");
  void *dnn = OpenLibrary("libcudnn.so.9");
#define ACCEL_TEST_LOAD(name, ...) Load(driver, #name, doubles.driver.name);
  ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_TEST_LOAD)
#undef ACCEL_TEST_LOAD
#define ACCEL_TEST_LOAD(result, name, ...) Load(dnn, #name, doubles.dnn.name);
  ACCEL_DNN_DOUBLE_FUNCTIONS(ACCEL_TEST_LOAD)
#undef ACCEL_TEST_LOAD
  return doubles;
}

const Doubles &TheDoubles() {
  static const Doubles &doubles = *[] {
    auto *made = new Doubles(OpenDoubles());
    cuda::DeviceOrdinal device = 0;
    cuda::Context context = nullptr;
    Require(made->driver.cuInit(0) == 0, "cuInit");
    Require(made->driver.cuDeviceGet(&device, 0) == 0, "cuDeviceGet");
    Require(made->driver.cuDevicePrimaryCtxRetain(&context, device) == 0,
            "cuDevicePrimaryCtxRetain");
    Require(made->driver.cuCtxSetCurrent(context) == 0, "cuCtxSetCurrent");
    Require(made->driver.cuStreamCreate(&made->stream,
                                        cuda::kStreamNonBlocking) == 0,
            "cuStreamCreate");
    Require(made->dnn.cudnnCreate(&made->handle) == 0, "cudnnCreate");
    Require(made->dnn.cudnnSetStream(made->handle, made->stream) == 0,
            "cudnnSetStream");
    return made;
  }();
  return doubles;
}

const Functions &Dnn() { return TheDoubles().dnn; }

const cuda::DriverFunctions &Driver() { return TheDoubles().driver; }

void Finish(cuda::StreamHandle stream) {
  cuda::Result result = cuda::kErrorNotReady;
  while ((result = Driver().cuStreamQuery(stream)) == cuda::kErrorNotReady) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  Require(result == cuda::kSuccess, "cuStreamQuery");
}

void Finish() { Finish(TheDoubles().stream); }

DeviceBuffer::DeviceBuffer(size_t bytes) : bytes_(bytes) {
  Require(Driver().cuMemAlloc_v2(&pointer_, bytes) == 0, "cuMemAlloc");
}

DeviceBuffer::DeviceBuffer(const Bytes &content)
    : DeviceBuffer(content.size()) {
  Upload(content);
}

DeviceBuffer::~DeviceBuffer() {
  Require(Driver().cuMemFree_v2(pointer_) == 0, "cuMemFree");
}

void *DeviceBuffer::at(size_t offset) const {
  return reinterpret_cast<void *>(pointer_ + offset);
}

void DeviceBuffer::Upload(const Bytes &content) {
  Require(content.size() == bytes_, "the size of an upload");
  Require(Driver().cuMemcpyHtoDAsync_v2(pointer_, content.data(), bytes_,
                                        TheDoubles().stream) == 0,
          "cuMemcpyHtoDAsync");
  dnn::Finish();
}

Bytes DeviceBuffer::Download() const {
  Bytes content(bytes_);
  Require(Driver().cuMemcpyDtoHAsync_v2(content.data(), pointer_, bytes_,
                                        TheDoubles().stream) == 0,
          "cuMemcpyDtoHAsync");
  dnn::Finish();
  return content;
}

Object::Object(int kind) {
  Require(Dnn().cudnnBackendCreateDescriptor(kind, &descriptor_) == 0,
          "cudnnBackendCreateDescriptor");
}

Object::~Object() {
  if (descriptor_ != nullptr) {
    Destroy();
  }
}

void Object::Destroy() {
  Require(Dnn().cudnnBackendDestroyDescriptor(descriptor_) == 0,
          "cudnnBackendDestroyDescriptor");
  descriptor_ = nullptr;
}

Status Object::SetObjects(int name,
                          const std::vector<const Object *> &objects) {
  std::vector<BackendDescriptor> handles;
  for (const Object *object : objects) {
    handles.push_back(object->get());
  }
  return Set(name, kTypeBackendDescriptor, handles);
}

Objects Object::GetObjects(int name, int kind) const {
  int64_t count = 0;
  Dnn().cudnnBackendGetAttribute(descriptor_, name, kTypeBackendDescriptor, 0,
                                 &count, nullptr);
  Objects objects;
  std::vector<BackendDescriptor> handles;
  for (int64_t i = 0; i < count; ++i) {
    objects.push_back(std::make_unique<Object>(kind));
    handles.push_back(objects.back()->get());
  }
  Require(Dnn().cudnnBackendGetAttribute(descriptor_, name,
                                         kTypeBackendDescriptor, count, &count,
                                         handles.data()) == 0,
          "descriptors of an attribute");
  return objects;
}

std::string LastError() {
  char text[512] = "";
  Dnn().cudnnGetLastErrorString(text, sizeof text);
  return text;
}

} // namespace accel::cuda_double::dnn
