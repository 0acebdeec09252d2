// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of every process its part; and nothing that was changed is read.
#include "runtime/checkpoint/state_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/checkpoint/sample_state.h"

namespace accel::testing {
namespace {

using runtime::CheckpointFile;
using runtime::StateFile;
using runtime::StatePart;
using ::testing::HasSubstr;

class StateFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(state_.executor().Initialize());
    ASSERT_OK_AND_ASSIGN(file_, state_.Write(state_.dir().path()));
  }
  std::string Path() const { return state_.dir().File(file_.name); }
  absl::Status ReadAll() {
    ASSIGN_OR_RETURN(const auto file,
                     StateFile::Open(state_.vfs(), state_.dir().path(), file_));
    return file->Verify([] {});
  }

  SampleState state_;
  CheckpointFile file_;
};

TEST_F(StateFileTest, HasTheStateUnderNamesOfParameters) {
  ASSERT_OK_AND_ASSIGN(
      const auto file,
      StateFile::Open(state_.vfs(), state_.dir().path(), file_));
  std::vector<std::string> names;
  for (const auto& entry : file->entries()) {
    names.push_back(entry.name);
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "linear.weight/master@[0:3)", "table/master@[0:8)"));
  std::vector<float> weights(3);
  for (const auto& entry : file->entries()) {
    if (entry.shape[0] == 3) {
      ASSERT_OK(file->Read(
          entry, 0,
          absl::MakeSpan(reinterpret_cast<std::byte*>(weights.data()), 12)));
    }
  }
  EXPECT_EQ(weights, kInitialWeights);
}

TEST_F(StateFileTest, EveryFlippedBitIsFoundAndNamesTheFile) {
  const std::string whole = state_.dir().Read(file_.name);
  ASSERT_OK(ReadAll());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      state_.dir().Write(file_.name, damaged);
      const absl::Status status = ReadAll();
      ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss)
          << "byte " << i << " bit " << bit;
      ASSERT_THAT(status.message(), HasSubstr(Path()));
    }
  }
}

TEST_F(StateFileTest, ChangedDataNameTheirTensor) {
  std::string damaged = state_.dir().Read(file_.name);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  state_.dir().Write(file_.name, damaged);
  EXPECT_THAT(ReadAll().message(), HasSubstr("they begin with tensor '"));
}

TEST_F(StateFileTest, EveryCutAndEveryByteMoreIsFound) {
  const std::string whole = state_.dir().Read(file_.name);
  for (size_t size = 0; size < whole.size(); ++size) {
    state_.dir().Write(file_.name, whole.substr(0, size));
    EXPECT_FALSE(ReadAll().ok());
  }
  state_.dir().Write(file_.name, whole + std::string(1, '\0'));
  EXPECT_THAT(ReadAll().message(), HasSubstr("which the manifest says"));
}

// Whoever wrote it: size and header are those of the manifest.
TEST_F(StateFileTest, AFileWithoutAHashForItsDataIsRefused) {
  const std::vector<float> values(4);
  for (const std::string& table :
       {std::string(), std::string(63, '0'), std::string(128, '0')}) {
    ASSERT_OK_AND_ASSIGN(
        const auto writer,
        runtime::SafetensorsWriter::Create(
            state_.vfs(), Path(),
            {{"table/master@[0:4)", runtime::DType::kF32, {4}}},
            {{"sha256", table}}));
    ASSERT_OK(writer->Append(
        "table/master@[0:4)",
        absl::MakeConstSpan(reinterpret_cast<const std::byte*>(values.data()),
                            16)));
    file_.bytes = writer->file_bytes();
    file_.header_sha256 =
        runtime::ToHex(runtime::Sha256::Of(absl::MakeConstSpan(
            reinterpret_cast<const std::byte*>(writer->header().data()),
            writer->header().size())));
    ASSERT_OK(writer->Finish());
    EXPECT_THAT(ReadAll().message(),
                HasSubstr("it has not a hash for each 4 MiB"));
  }
}

TEST_F(StateFileTest, ProcessesShareWhatAllHave) {
  const auto tensors = state_.Tensors();
  std::map<std::string, uint64_t> next;
  for (uint64_t process = 0; process < 3; ++process) {
    ASSERT_OK_AND_ASSIGN(
        const auto parts,
        runtime::PartsToWrite(tensors, state_.executor(), {process, 3}));
    for (const StatePart& part : parts) {
      EXPECT_EQ(part.begin, next[part.tensor->name]);
      next[part.tensor->name] = part.end;
    }
  }
  for (const auto& tensor : tensors) {
    EXPECT_EQ(next[tensor.name], tensor.elements);
  }
}

}  // namespace
}  // namespace accel::testing
