// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A note arrives whole, or not at all.
#include "runtime/launch/failure_note.h"

#include <unistd.h>

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

// As a rank gets it: another descriptor of the same memory.
absl::Status WriteTo(const FileDescriptor& memory, const FailureNote& note) {
  return WriteNote(::dup(memory.get()), note);
}

FailureNote MakeNote() {
  FailureNote note;
  note.what = "rank 1: 12:34 'a'\n  and more";
  note.where = "training, step 94 of 1000";
  note.since_ns = -1;
  note.has_begun = true;
  return note;
}

TEST(FailureNoteTest, WhatIsWrittenIsRead) {
  ASSERT_OK_AND_ASSIGN(const FileDescriptor memory, CreateNoteMemory());
  EXPECT_FALSE(ReadNote(memory));
  ASSERT_OK(WriteTo(memory, MakeNote()));
  const auto note = ReadNote(memory);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->what, MakeNote().what);
  EXPECT_EQ(note->where, MakeNote().where);
  EXPECT_EQ(note->run_directory, "");
  EXPECT_EQ(note->since_ns, -1);
  EXPECT_TRUE(note->has_begun);
}

TEST(FailureNoteTest, ANoteThatIsCutIsNone) {
  ASSERT_OK_AND_ASSIGN(const FileDescriptor whole, CreateNoteMemory());
  ASSERT_OK(WriteTo(whole, MakeNote()));
  ASSERT_OK_AND_ASSIGN(const uint64_t size, SharedMemorySize(whole));
  ASSERT_OK_AND_ASSIGN(const auto bytes, SharedMapping::Map(whole, 0, size));
  for (uint64_t written = 0; written < size; ++written) {
    // Who dies while writing leaves zeros behind.
    ASSERT_OK_AND_ASSIGN(const auto memory, CreateSharedMemory("cut", size));
    ASSERT_OK_AND_ASSIGN(const auto cut, SharedMapping::Map(memory, 0, size));
    std::memcpy(cut.bytes().data(), bytes.bytes().data(), written);
    EXPECT_FALSE(ReadNote(memory)) << written;
  }
}

TEST(FailureNoteTest, OtherDescriptorsAreAnError) {
  EXPECT_FALSE(WriteNote(-1, MakeNote()).ok());
  EXPECT_FALSE(ReadNote(FileDescriptor()));
}

}  // namespace
}  // namespace accel::runtime
