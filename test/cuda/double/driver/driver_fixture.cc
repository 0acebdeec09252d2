// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/driver_fixture.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace accel::cuda_double {
namespace {

constexpr int kMaxQueries = 100000;

// A test must not see what its own caller has set.
void SetEnvironment(const Environment& environment) {
  std::vector<std::string> old;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (absl::StartsWith(*entry, "ACCEL_DOUBLE_")) {
      const std::string text = *entry;
      old.push_back(text.substr(0, text.find('=')));
    }
  }
  for (const std::string& name : old) {
    unsetenv(name.c_str());
  }
  for (const auto& [name, value] : environment) {
    setenv(absl::StrCat("ACCEL_DOUBLE_", name).c_str(), value.c_str(), 1);
  }
}

}  // namespace

constexpr char kKernels[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 n, .param .u32 v) {
  .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %q;
  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [v];
  mov.u32 %r2, %tid.x; setp.ge.u32 %q, %r2, %r0; @%q bra DONE;
  mul.wide.u32 %d1, %r2, 4; add.u64 %d0, %d0, %d1;
  st.global.b32 [%d0], %r1;
DONE: ret; }
.visible .entry add(.param .u64 p, .param .u32 n, .param .u32 v) {
  .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %q;
  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [v];
  mov.u32 %r2, %tid.x; setp.ge.u32 %q, %r2, %r0; @%q bra DONE;
  mul.wide.u32 %d1, %r2, 4; add.u64 %d0, %d0, %d1;
  ld.global.b32 %r3, [%d0]; add.u32 %r3, %r3, %r1; st.global.b32 [%d0], %r3;
DONE: ret; }
.visible .entry copy(.param .u64 to, .param .u64 from, .param .u32 n) {
  .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %q;
  ld.param.u64 %d0, [to]; ld.param.u64 %d1, [from]; ld.param.u32 %r0, [n];
  mov.u32 %r2, %tid.x; setp.ge.u32 %q, %r2, %r0; @%q bra DONE;
  mul.wide.u32 %d2, %r2, 4; add.u64 %d0, %d0, %d2; add.u64 %d1, %d1, %d2;
  ld.global.b32 %r3, [%d1]; st.global.b32 [%d0], %r3;
DONE: ret; }
.visible .entry poke(.param .u64 p) {
  .reg .b64 %d<2>;
  ld.param.u64 %d0, [p]; st.global.b32 [%d0], 1; ret; }
)";

void DriverTest::Load(Environment environment) {
  static int made = 0;
  report_ = absl::StrCat(::testing::TempDir(), "/cuda-double-", getpid(), "-",
                         ++made, ".report");
  log_ = absl::StrCat(report_, ".log");
  environment.try_emplace("REPORT", report_);
  environment.try_emplace("LOG", log_);
  SetEnvironment(environment);
  ASSERT_EQ(dlopen(ACCEL_CUDA_DOUBLE, RTLD_NOLOAD | RTLD_NOW), nullptr)
      << "the library of an earlier test is still loaded";
  library = dlopen(ACCEL_CUDA_DOUBLE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
#define ACCEL_DOUBLE_FIND(name, ...)                                    \
  cu.name = reinterpret_cast<decltype(cu.name)>(dlsym(library, #name)); \
  ASSERT_NE(cu.name, nullptr) << #name;
  ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_DOUBLE_FIND)
#undef ACCEL_DOUBLE_FIND
  enqueue = reinterpret_cast<decltype(enqueue)>(
      dlsym(library, "accel_double_enqueue"));
  fails =
      reinterpret_cast<decltype(fails)>(dlsym(library, "accel_double_fails"));
  ASSERT_NE(enqueue, nullptr);
  ASSERT_NE(fails, nullptr);
}

void DriverTest::Open(Environment environment) {
  Load(std::move(environment));
  ASSERT_EQ(cu.cuInit(0), kSuccess);
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), kSuccess);
  ASSERT_EQ(cu.cuCtxSetCurrent(context), kSuccess);
}

void DriverTest::Close() {
  if (library != nullptr) {
    dlclose(library);
  }
  unlink(report_.c_str());
  unlink(log_.c_str());
  library = nullptr;
  module_ = nullptr;
  functions_.clear();
}

std::string DriverTest::TextOf(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

StreamHandle DriverTest::NewStream() {
  StreamHandle stream = nullptr;
  EXPECT_EQ(cu.cuStreamCreate(&stream, kStreamNonBlocking), kSuccess);
  return stream;
}

EventHandle DriverTest::NewEvent(unsigned flags) {
  EventHandle event = nullptr;
  EXPECT_EQ(cu.cuEventCreate(&event, flags), kSuccess);
  return event;
}

DevicePointer DriverTest::NewMemory(size_t bytes) {
  DevicePointer pointer = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&pointer, bytes), kSuccess);
  return pointer;
}

DevicePointer DriverTest::NewNumbers(size_t n, uint32_t value) {
  const DevicePointer pointer = NewMemory(n * sizeof(uint32_t));
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemsetD32Async(pointer, value, n, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(cu.cuStreamDestroy_v2(stream), kSuccess);
  return pointer;
}

Function DriverTest::NewFunction(const std::string& kernel) {
  if (module_ == nullptr) {
    EXPECT_EQ(cu.cuModuleLoadDataEx(&module_, kKernels, 0, nullptr, nullptr),
              kSuccess);
  }
  Function& function = functions_[kernel];
  if (function == nullptr) {
    EXPECT_EQ(cu.cuModuleGetFunction(&function, module_, kernel.c_str()),
              kSuccess);
  }
  return function;
}

Result DriverTest::Launch(Function function, StreamHandle stream,
                          std::vector<void*> arguments, unsigned threads) {
  return cu.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream,
                           arguments.data(), nullptr);
}

Result DriverTest::Fill(StreamHandle stream, DevicePointer to, uint32_t n,
                        uint32_t value) {
  return Launch(NewFunction("fill"), stream, {&to, &n, &value}, n);
}

Result DriverTest::Add(StreamHandle stream, DevicePointer to, uint32_t n,
                       uint32_t value) {
  return Launch(NewFunction("add"), stream, {&to, &n, &value}, n);
}

Result DriverTest::Copy(StreamHandle stream, DevicePointer to,
                        DevicePointer from, uint32_t n) {
  return Launch(NewFunction("copy"), stream, {&to, &from, &n}, n);
}

void DriverTest::Order(StreamHandle from, StreamHandle to) {
  const EventHandle event = NewEvent(kEventDisableTiming);
  EXPECT_EQ(cu.cuEventRecord(event, from), kSuccess);
  EXPECT_EQ(cu.cuStreamWaitEvent(to, event, 0), kSuccess);
  EXPECT_EQ(cu.cuEventDestroy_v2(event), kSuccess);
}

Result DriverTest::Wait(StreamHandle stream) {
  Result result = kErrorNotReady;
  for (int k = 0; k < kMaxQueries && result == kErrorNotReady; ++k) {
    result = cu.cuStreamQuery(stream);
  }
  return result;
}

Result DriverTest::WaitEvent(EventHandle event) {
  Result result = kErrorNotReady;
  for (int k = 0; k < kMaxQueries && result == kErrorNotReady; ++k) {
    result = cu.cuEventQuery(event);
  }
  return result;
}

std::vector<uint32_t> DriverTest::Read(DevicePointer from, size_t n) {
  std::vector<uint32_t> numbers(n, 0xdeadbeef);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(numbers.data(), from, n * 4, stream),
            kSuccess);
  EXPECT_EQ(cu.cuStreamDestroy_v2(stream), kSuccess);
  return numbers;
}

GraphExec DriverTest::Instantiate(Graph graph) {
  GraphExec executable = nullptr;
  EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&executable, graph, 0), kSuccess);
  EXPECT_EQ(cu.cuGraphDestroy(graph), kSuccess);
  return executable;
}

}  // namespace accel::cuda_double
