// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written is read; no bit of it may change.
#include "runtime/checkpoint/manifest.h"

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/base/sha256.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::CheckpointManifest;
using runtime::ParseManifest;
using runtime::SerializeManifest;
using ::testing::HasSubstr;

CheckpointManifest Sample() {
  CheckpointManifest manifest;
  manifest.step = 250;
  manifest.samples = 16000;
  manifest.skipped_steps = 2;
  manifest.seed = 7;
  manifest.global_batch = 64;
  manifest.horizon = 300;
  manifest.ranks = 2;
  manifest.shuffle = false;
  manifest.accel_version = "0.1.0";
  manifest.optimizer = "adamw";
  manifest.plan_sha256 = std::string(64, 'a');
  manifest.data_sha256 = std::string(64, 'b');
  manifest.files = {
      {"state-00000-of-00002.safetensors", 4096, std::string(64, 'c')},
      {"state-00001-of-00002.safetensors", 8192, std::string(64, 'd')}};
  manifest.scalars = {{"step_count", "f64", std::string("\x00\xff\x40", 3)}};
  return manifest;
}

TEST(ManifestTest, IsReadAsItWasWritten) {
  const std::string text = SerializeManifest(Sample());
  ASSERT_OK_AND_ASSIGN(const CheckpointManifest read, ParseManifest(text));
  EXPECT_EQ(SerializeManifest(read), text);
  EXPECT_EQ(read.step, 250);
  EXPECT_EQ(read.files[1].bytes, 8192u);
  EXPECT_EQ(read.scalars[0].bytes, std::string("\x00\xff\x40", 3));
  EXPECT_FALSE(read.shuffle);
}

TEST(ManifestTest, EveryFlippedBitIsFound) {
  std::string text = SerializeManifest(Sample());
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
      EXPECT_FALSE(ParseManifest(text).ok()) << "byte " << i << " bit " << bit;
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
    }
  }
}

TEST(ManifestTest, EveryCutIsFound) {
  const std::string text = SerializeManifest(Sample());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(ParseManifest(text.substr(0, size)).status().code(),
              absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(ParseManifest(text + "\n").status().code(),
            absl::StatusCode::kDataLoss);
}

// Changed, under a hash that is right.
std::string Forge(const std::string& from, const std::string& to) {
  const std::string text = SerializeManifest(Sample());
  const std::string other = absl::StrReplaceAll(
      text.substr(0, text.rfind(",\n \"sha256\"")), {{from, to}});
  return other + ",\n \"sha256\": \"" +
         runtime::ToHex(runtime::Sha256::Of(absl::MakeConstSpan(
             reinterpret_cast<const std::byte*>(other.data()), other.size()))) +
         "\"\n}\n";
}

TEST(ManifestTest, AnotherVersionIsNamedWithItsRemedy) {
  EXPECT_THAT(
      ParseManifest(Forge("\"version\": 1", "\"version\": 2"))
          .status()
          .message(),
      HasSubstr("got version 2 of 'accel checkpoint'; use the release"));
}

TEST(ManifestTest, FilesLieInItsOwnFolder) {
  const std::string name = Sample().files[0].name;
  for (const std::string& other : {"../" + name, "/" + name, std::string()}) {
    EXPECT_THAT(
        ParseManifest(Forge("\"" + name + "\"", "\"" + other + "\""))
            .status()
            .message(),
        HasSubstr("expected files in its own folder, got '" + other + "'"));
  }
}

}  // namespace
}  // namespace accel::testing
