// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every fault of a checkpoint is found, not the first alone.
#include "runtime/checkpoint/find_damage.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/checkpoint_store.h"
#include "test/runtime/checkpoint/sample_state.h"

namespace accel::testing {
namespace {

using runtime::CheckpointManifest;
using runtime::DamageSearch;
using runtime::FindDamage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FindDamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(state_.executor().Initialize());
    ASSERT_OK_AND_ASSIGN(const auto file, state_.Write(state_.dir().path()));
    manifest_.files = {file};
  }
  std::vector<std::string> Find(DamageSearch search) {
    state_.dir().Write("MANIFEST.json", runtime::SerializeManifest(manifest_));
    return FindDamage(state_.vfs(), state_.dir().path(), manifest_, search);
  }
  // A bit of the last tensor.
  void FlipLastBit(const std::string& name) {
    std::string bytes = state_.dir().Read(name);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    state_.dir().Write(name, bytes);
  }

  SampleState state_;
  CheckpointManifest manifest_;
};

TEST_F(FindDamageTest, AnIntactOneHasNone) {
  EXPECT_THAT(Find(DamageSearch::kHeaders), IsEmpty());
  EXPECT_THAT(Find(DamageSearch::kData), IsEmpty());
}

TEST_F(FindDamageTest, DamagedDataAreFoundByReadingThem) {
  const std::string name = manifest_.files[0].name;
  FlipLastBit(name);
  EXPECT_THAT(Find(DamageSearch::kHeaders), IsEmpty());
  EXPECT_THAT(
      Find(DamageSearch::kData),
      ElementsAre("'" + state_.dir().File(name) +
                  "': the data at bytes [0, 44) are not those that were "
                  "written; they begin with tensor "
                  "'linear.weight/master@[0:3)' and end with "
                  "'table/master@[0:8)'"));
}

TEST_F(FindDamageTest, EachFileHasItsFault) {
  const runtime::CheckpointFile whole = manifest_.files[0];
  const std::string bytes = state_.dir().Read(whole.name);
  state_.dir().Write("cut", bytes.substr(0, bytes.size() - 1));
  state_.dir().Write("flipped", bytes);
  FlipLastBit("flipped");
  std::string header = bytes;
  header[8] = static_cast<char>(header[8] ^ 1);
  state_.dir().Write("header", header);
  manifest_.files = {{"cut", whole.bytes, whole.header_sha256},
                     whole,
                     {"none", whole.bytes, whole.header_sha256},
                     {"flipped", whole.bytes, whole.header_sha256},
                     {"header", whole.bytes, whole.header_sha256}};
  EXPECT_THAT(Find(DamageSearch::kData),
              ElementsAre(HasSubstr("/cut': expected "), HasSubstr("/none'"),
                          HasSubstr("/flipped': the data at bytes [0, 44)"),
                          HasSubstr("/header': ")));
}

TEST_F(FindDamageTest, APartThatNoFileHasIsMissed) {
  // Tensors are there, and twice.
  manifest_.files.push_back(manifest_.files[0]);
  EXPECT_THAT(Find(DamageSearch::kHeaders),
              ElementsAre(HasSubstr("expected the part from element ")));
}

}  // namespace
}  // namespace accel::testing
