// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several files are one model if their index says so.
#include "runtime/io/safetensors_set.h"

#include <string>
#include <utility>
#include <vector>

#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;

class SafetensorsSetTest : public ::testing::Test {
 protected:
  // A file of tensors of one element each.
  void WriteFile(const std::string& name,
                 const std::vector<std::pair<std::string, float>>& values) {
    std::vector<SafetensorsSpec> specs;
    for (const auto& [tensor, value] : values) {
      specs.push_back({tensor, DType::kF32, {1}});
    }
    ASSERT_OK_AND_ASSIGN(const auto writer, SafetensorsWriter::Create(
                                                *vfs_, dir_.File(name), specs));
    for (const auto& [tensor, value] : values) {
      ASSERT_OK(writer->Append(
          tensor,
          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(&value), 4)));
    }
    ASSERT_OK(writer->Finish());
  }
  void WriteIndex(const std::string& map) {
    dir_.Write("m.json", "{\"weight_map\":{" + map + "}}");
  }
  absl::StatusOr<std::unique_ptr<SafetensorsSet>> Open() {
    return SafetensorsSet::Open(*vfs_, dir_.File("m.json"));
  }
  std::string Quoted(const std::string& name) {
    return "'" + dir_.File(name) + "'";
  }
  static float ValueOf(const SafetensorsSet& set, const std::string& tensor) {
    float value = 0;
    EXPECT_OK(set.Read(
        set.tensors().at(tensor), 0,
        absl::MakeSpan(reinterpret_cast<std::byte*>(&value), sizeof value)));
    return value;
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(SafetensorsSetTest, OneFileIsASet) {
  WriteFile("m.safetensors", {{"a", 1}, {"b", 2}});
  const std::string path = dir_.File("m.safetensors");
  ASSERT_OK_AND_ASSIGN(const auto set, SafetensorsSet::Open(*vfs_, path));
  EXPECT_EQ(set->tensors().size(), 2u);
  EXPECT_EQ(ValueOf(*set, "b"), 2);
  EXPECT_THAT(SafetensorsSet::ListFiles(*vfs_, path),
              IsOkAndHolds(ElementsAre(path)));
}

TEST_F(SafetensorsSetTest, AnIndexJoinsFiles) {
  WriteFile("1.safetensors", {{"a", 1}, {"c", 3}});
  WriteFile("2.safetensors", {{"b", 2}});
  WriteIndex(R"("a":"1.safetensors","b":"2.safetensors","c":"1.safetensors")");
  ASSERT_OK_AND_ASSIGN(const auto set, Open());
  EXPECT_EQ(ValueOf(*set, "a"), 1);
  EXPECT_EQ(ValueOf(*set, "b"), 2);
  EXPECT_EQ(ValueOf(*set, "c"), 3);
  EXPECT_THAT(
      SafetensorsSet::ListFiles(*vfs_, dir_.File("m.json")),
      IsOkAndHolds(ElementsAre(dir_.File("m.json"), dir_.File("1.safetensors"),
                               dir_.File("2.safetensors"))));
}

TEST_F(SafetensorsSetTest, AnIndexAndItsFilesNameTheSameTensors) {
  WriteFile("1.safetensors", {{"a", 1}});
  WriteFile("2.safetensors", {{"b", 2}});
  const auto refused = [&](const std::string& message) {
    EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kInvalidArgument, message));
  };
  WriteIndex(R"("a":"1.safetensors","x":"2.safetensors","b":"2.safetensors")");
  refused(Quoted("m.json") + ": expected tensor 'x' in " +
          Quoted("2.safetensors") + ", got none");
  WriteIndex(R"("a":"2.safetensors","b":"1.safetensors")");
  refused(Quoted("m.json") + ": expected tensor 'a' in " +
          Quoted("2.safetensors") + ", got it in " + Quoted("1.safetensors"));
  WriteFile("2.safetensors", {{"b", 2}, {"more", 3}});
  WriteIndex(R"("a":"1.safetensors","b":"2.safetensors")");
  refused(Quoted("m.json") +
          ": expected the names of all tensors, got none of 'more', which " +
          Quoted("2.safetensors") + " has");
  WriteFile("2.safetensors", {{"b", 2}, {"a", 3}});
  refused(Quoted("2.safetensors") +
          ": expected each tensor in one file, got 'a', which " +
          Quoted("1.safetensors") + " has as well");
}

TEST_F(SafetensorsSetTest, AFileThatIsMissingIsNamed) {
  WriteIndex(R"("a":"1.safetensors")");
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kNotFound,
                               "cannot open " + Quoted("1.safetensors") +
                                   ": No such file or directory"));
  EXPECT_EQ(SafetensorsSet::Open(*vfs_, dir_.File("none.json")).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace accel::runtime
