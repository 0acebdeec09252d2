// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which modules load, what the JIT compiler says of the others, and which
// launches are refused.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

std::string Ptx(const std::string& version, const std::string& target,
                const std::string& body = "ret;",
                const std::string& limits = "") {
  return absl::StrCat("// Made by hand.\n.version ", version, "\n.target ",
                      target, "\n.address_size 64\n.visible .entry k() ",
                      limits, " { ", body, " }\n");
}

class ModuleTest : public DriverTest {
 protected:
  Result LoadPtx(const std::string& text) {
    module = nullptr;
    return cu.cuModuleLoadDataEx(&module, text.c_str(), 0, nullptr, nullptr);
  }
  Function Kernel(const std::string& text) {
    EXPECT_EQ(LoadPtx(text), kSuccess);
    Function function = nullptr;
    EXPECT_EQ(cu.cuModuleGetFunction(&function, module, "k"), kSuccess);
    return function;
  }

  Module module = nullptr;
};

TEST_F(ModuleTest, Targets) {
  Open({{"CAPABILITY", "8.6"}});
  EXPECT_EQ(LoadPtx(Ptx("8.0", "sm_80")), kSuccess);
  EXPECT_EQ(LoadPtx(Ptx("8.0", "sm_86")), kSuccess);
  EXPECT_EQ(LoadPtx(Ptx("8.0", "sm_87")), kErrorNoBinaryForGpu);
  EXPECT_EQ(LoadPtx(Ptx("8.0", "sm_90")), kErrorNoBinaryForGpu);
  EXPECT_EQ(LoadPtx(Ptx("8.0", "sm_90a")), kErrorNoBinaryForGpu);
  EXPECT_EQ(LoadPtx("\177ELF\2\1\1\63"), kErrorNoBinaryForGpu);
  EXPECT_EQ(LoadPtx("no module"), kErrorNoBinaryForGpu);
  EXPECT_EQ(LoadPtx(""), kErrorNoBinaryForGpu);
}

TEST_F(ModuleTest, Versions) {
  Open({{"DRIVER", "12020"}});
  EXPECT_EQ(LoadPtx(Ptx("8.2", "sm_90a")), kSuccess);
  EXPECT_EQ(LoadPtx(Ptx("8.3", "sm_90")), kErrorUnsupportedPtxVersion);
}

TEST_F(ModuleTest, ErrorLog) {
  Open();
  char log[256] = "untouched";
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
  const std::string text = Ptx("8.0", "sm_90", "frobnicate.b32 %r0;");
  EXPECT_EQ(cu.cuModuleLoadDataEx(&module, text.c_str(), 2, options, values),
            kErrorInvalidPtx);
  EXPECT_THAT(log, HasSubstr("frobnicate"));
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), std::strlen(log));
  values[1] = reinterpret_cast<void*>(5);
  EXPECT_EQ(cu.cuModuleLoadDataEx(&module, text.c_str(), 2, options, values),
            kErrorInvalidPtx);
  EXPECT_EQ(std::strlen(log), 4u);
  EXPECT_EQ(cu.cuModuleLoadDataEx(&module, text.c_str(), 1, nullptr, values),
            kErrorInvalidValue);
}

TEST_F(ModuleTest, Functions) {
  Open();
  const Function function = Kernel(Ptx("8.0", "sm_90"));
  Function other = nullptr;
  EXPECT_EQ(cu.cuModuleGetFunction(&other, module, "l"), kErrorNotFound);
  EXPECT_EQ(cu.cuModuleGetFunction(&other, nullptr, "k"), kErrorInvalidHandle);
  const StreamHandle stream = NewStream();
  EXPECT_EQ(Launch(function, stream, {}, 1), kSuccess);
  EXPECT_EQ(cu.cuModuleUnload(module), kSuccess);
  EXPECT_THAT(LogText(), HasSubstr("stream 1 of GPU 0: kernel k\n"));
  EXPECT_EQ(cu.cuModuleUnload(module), kErrorInvalidHandle);
  EXPECT_EQ(Launch(function, stream, {}, 1), kErrorInvalidHandle);
  EXPECT_EQ(Launch(nullptr, stream, {}, 1), kErrorInvalidHandle);
}

TEST_F(ModuleTest, AReplayAfterTheModule) {
  Open();
  const Function function = Kernel(Ptx("8.0", "sm_90"));
  const StreamHandle stream = NewStream();
  Graph graph = nullptr;
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(stream, kCaptureModeRelaxed), kSuccess);
  EXPECT_EQ(Launch(function, stream, {}, 1), kSuccess);
  EXPECT_EQ(cu.cuStreamEndCapture(stream, &graph), kSuccess);
  const GraphExec executable = Instantiate(graph);
  EXPECT_EQ(cu.cuModuleUnload(module), kSuccess);
  EXPECT_EQ(cu.cuGraphLaunch(executable, stream), kSuccess);
  EXPECT_EQ(Wait(stream), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("its module has been unloaded"));
}

TEST_F(ModuleTest, Launches) {
  Open();
  const StreamHandle stream = NewStream();
  const auto launch = [&](Function function, unsigned grid, unsigned block,
                          unsigned shared) {
    return cu.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream,
                             nullptr, nullptr);
  };
  const Function function = Kernel(Ptx("8.0", "sm_90"));
  EXPECT_EQ(launch(function, 1, 1024, 49152), kSuccess);
  EXPECT_EQ(launch(function, 0, 1, 0), kErrorInvalidValue);
  EXPECT_EQ(launch(function, 1, 0, 0), kErrorInvalidValue);
  EXPECT_EQ(launch(function, 1, 1025, 0), kErrorInvalidValue);
  EXPECT_EQ(launch(function, 1, 1, 49153), kErrorInvalidValue);
  void* extra[] = {nullptr};
  EXPECT_EQ(
      cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, extra),
      kErrorInvalidValue);
  EXPECT_EQ(launch(NewFunction("fill"), 1, 1, 0), kErrorInvalidValue);
  const Function required = Kernel(Ptx("8.0", "sm_90", "ret;", ".reqntid 32"));
  EXPECT_EQ(launch(required, 1, 32, 0), kSuccess);
  EXPECT_EQ(launch(required, 1, 31, 0), kErrorInvalidValue);
  const Function limited = Kernel(Ptx("8.0", "sm_90", "ret;", ".maxntid 32"));
  EXPECT_EQ(launch(limited, 1, 32, 0), kSuccess);
  EXPECT_EQ(launch(limited, 1, 33, 0), kErrorLaunchOutOfResources);
}

TEST_F(ModuleTest, ArgumentsAreCopiedAtTheCall) {
  Open();
  const DevicePointer x = NewNumbers(4);
  const StreamHandle stream = NewStream();
  DevicePointer to = x;
  uint32_t n = 4;
  uint32_t value = 3;
  EXPECT_EQ(Launch(NewFunction("fill"), stream, {&to, &n, &value}, 4),
            kSuccess);
  to = 0;
  n = 0;
  value = 0;
  EXPECT_EQ(Wait(stream), kSuccess);
  EXPECT_EQ(Read(x, 4), std::vector<uint32_t>(4, 3));
}

}  // namespace
}  // namespace accel::cuda_double
