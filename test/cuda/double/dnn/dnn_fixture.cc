// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/dnn_fixture.h"

namespace accel::cuda_double::dnn {
namespace {

Doubles WithDnn(const DriverDouble& opened) {
  Doubles doubles;
  static_cast<DriverDouble&>(doubles) = opened;
  void* dnn = OpenLibrary("libcudnn.so.9");
#define ACCEL_TEST_LOAD(result, name, ...) Load(dnn, #name, doubles.dnn.name);
  ACCEL_DNN_DOUBLE_FUNCTIONS(ACCEL_TEST_LOAD)
#undef ACCEL_TEST_LOAD
  return doubles;
}

}  // namespace

Doubles OpenDoubles() { return WithDnn(OpenDriver()); }

const Doubles& TheDoubles() {
  static const Doubles& doubles = *[] {
    auto* made = new Doubles(WithDnn(TheDriver()));
    Require(made->dnn.cudnnCreate(&made->handle) == 0, "cudnnCreate");
    Require(made->dnn.cudnnSetStream(made->handle, made->stream) == 0,
            "cudnnSetStream");
    return made;
  }();
  return doubles;
}

const Functions& Dnn() { return TheDoubles().dnn; }

const cuda::DriverFunctions& Driver() { return TheDoubles().driver; }

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

Status Object::SetObjects(int name, const std::vector<const Object*>& objects) {
  std::vector<BackendDescriptor> handles;
  for (const Object* object : objects) {
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
  Require(
      Dnn().cudnnBackendGetAttribute(descriptor_, name, kTypeBackendDescriptor,
                                     count, &count, handles.data()) == 0,
      "descriptors of an attribute");
  return objects;
}

std::string LastError() {
  char text[512] = "";
  Dnn().cudnnGetLastErrorString(text, sizeof text);
  return text;
}

}  // namespace accel::cuda_double::dnn
