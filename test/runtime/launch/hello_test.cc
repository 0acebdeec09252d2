// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames of the rendezvous survive their bytes; whatever else arrives is
// refused.
#include "runtime/launch/hello.h"

#include "absl/strings/str_cat.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(HelloTest, FramesComeBackAsTheyWere) {
  ASSERT_OK_AND_ASSIGN(RendezvousFrame frame,
                       DecodeFrame(EncodeFrame(Hello{3, 8, "1.2.3"})));
  const auto* hello = std::get_if<Hello>(&frame);
  ASSERT_NE(hello, nullptr);
  EXPECT_EQ(hello->rank, 3u);
  EXPECT_EQ(hello->ranks, 8u);
  EXPECT_EQ(hello->version, "1.2.3");

  ASSERT_OK_AND_ASSIGN(frame, DecodeFrame(EncodeFrame(Welcome{{7, 9, 11}})));
  const auto* welcome = std::get_if<Welcome>(&frame);
  ASSERT_NE(welcome, nullptr);
  EXPECT_EQ(welcome->pids, (std::vector<uint32_t>{7, 9, 11}));

  ASSERT_OK_AND_ASSIGN(frame, DecodeFrame(EncodeFrame(Refusal{"no"})));
  const auto* refusal = std::get_if<Refusal>(&frame);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->text, "no");
}

TEST(HelloTest, FramesFitWhatIsReceived) {
  const std::vector<uint32_t> pids(1024, 4194304);
  EXPECT_LE(EncodeFrame(Welcome{pids}).size(), kMaxFrameBytes);
  const std::string longest = EncodeFrame(Refusal{std::string(100000, 'x')});
  EXPECT_LE(longest.size(), kMaxFrameBytes);
  EXPECT_OK(DecodeFrame(longest));
  EXPECT_OK(DecodeFrame(EncodeFrame(Hello{0, 1, std::string(1000, 'v')})));
}

TEST(HelloTest, EveryCutFrameIsRefusedOrShorter) {
  const std::string hello = EncodeFrame(Hello{1, 2, ""});
  for (size_t size = 0; size < hello.size(); ++size) {
    EXPECT_FALSE(DecodeFrame(hello.substr(0, size)).ok()) << size;
  }
  const std::string welcome = EncodeFrame(Welcome{{5}});
  for (size_t size = 0; size < welcome.size(); ++size) {
    EXPECT_FALSE(DecodeFrame(welcome.substr(0, size)).ok()) << size;
  }
}

TEST(HelloTest, WhatCannotBeIsRefused) {
  EXPECT_THAT(DecodeFrame("GET / HTTP/1.1"),
              StatusIs(kInvalid, "a frame of the rendezvous: no magic"));
  EXPECT_THAT(DecodeFrame(EncodeFrame(Hello{2, 2, ""})),
              StatusIs(kInvalid, "a frame of the rendezvous: rank 2 of 2"));
  EXPECT_THAT(DecodeFrame(EncodeFrame(Hello{0, 0, ""})),
              StatusIs(kInvalid, "a frame of the rendezvous: rank 0 of 0"));
  EXPECT_THAT(DecodeFrame(EncodeFrame(Hello{0, 1025, ""})),
              StatusIs(kInvalid, "a frame of the rendezvous: rank 0 of 1025"));
  EXPECT_THAT(DecodeFrame(EncodeFrame(Welcome{{0}})),
              StatusIs(kInvalid, "a frame of the rendezvous: process 0"));
  EXPECT_THAT(
      DecodeFrame(EncodeFrame(Welcome{std::vector<uint32_t>(1025, 1)})),
      StatusIs(kInvalid,
               "a frame of the rendezvous: a welcome of the wrong size"));
  EXPECT_THAT(DecodeFrame(EncodeFrame(Hello{0, 1, ""}) + std::string(65, 'v')),
              StatusIs(kInvalid,
                       "a frame of the rendezvous: a hello of the wrong size"));
}

TEST(HelloTest, AnotherProtocolIsNamed) {
  std::string frame = EncodeFrame(Hello{0, 1, ""});
  frame[8] = 9;
  EXPECT_THAT(DecodeFrame(frame),
              StatusIs(kInvalid,
                       "a frame of the rendezvous: expected protocol 1, got 9; "
                       "start all ranks with the same accel-run"));
  frame = EncodeFrame(Hello{0, 1, ""});
  frame[12] = 9;
  EXPECT_THAT(DecodeFrame(frame),
              StatusIs(kInvalid, "a frame of the rendezvous: unknown kind 9"));
}

}  // namespace
}  // namespace accel::runtime
