// Shared buffers say what is gathered into them, bucket by bucket.
// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

// What is right is accepted.
accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>, #accel.segment<"u" group undecayed, 256 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
func.func @right() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %u = plan.buffer persistent parameters "a.u.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>, #plan.size<32 bits of <256 granule 128 over "fsdp">>], [#plan.size<32 bits of <128 granule 128 over "fsdp">>]]} : memref<384xf32>
  %s = plan.view %0 at 0 : memref<384xf32> to memref<128xf32>
  %t = plan.view %0 at 128 : memref<384xf32> to memref<256xf32>
  plan.all_gather "a.s.master" %a into %s {segment = #accel.segment_ref<@a "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  plan.all_gather "a.u.master" %u into %t {segment = #accel.segment_ref<@a "u">, shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  plan.all_gather "b.s.master" %b into %s {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  return
}

// -----

accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>, #accel.segment<"u" group undecayed, 256 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
func.func @missing() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %u = plan.buffer persistent parameters "a.u.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  // expected-error @+1 {{expected to say that ranks gather [#plan.size<32 bits of <128 granule 128 over "fsdp">>] into it, got 1 other buckets}}
  %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>, #plan.size<32 bits of <256 granule 128 over "fsdp">>]]} : memref<384xf32>
  %s = plan.view %0 at 0 : memref<384xf32> to memref<128xf32>
  %t = plan.view %0 at 128 : memref<384xf32> to memref<256xf32>
  plan.all_gather "a.s.master" %a into %s {segment = #accel.segment_ref<@a "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  plan.all_gather "a.u.master" %u into %t {segment = #accel.segment_ref<@a "u">, shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  plan.all_gather "b.s.master" %b into %s {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  return
}

// -----

// Segments of one bucket are there together, not in turns.
accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>, #accel.segment<"u" group undecayed, 256 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
func.func @apart() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %u = plan.buffer persistent parameters "a.u.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  // expected-error @+1 {{expected to say that ranks gather [#plan.size<32 bits of <128 granule 128 over "fsdp">>, #plan.size<32 bits of <256 granule 128 over "fsdp">>] into it, got 2 other buckets}}
  %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>], [#plan.size<32 bits of <256 granule 128 over "fsdp">>]]} : memref<384xf32>
  %s = plan.view %0 at 0 : memref<384xf32> to memref<128xf32>
  %t = plan.view %0 at 128 : memref<384xf32> to memref<256xf32>
  plan.all_gather "a.s.master" %a into %s {segment = #accel.segment_ref<@a "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  plan.all_gather "a.u.master" %u into %t {segment = #accel.segment_ref<@a "u">, shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  plan.all_gather "b.s.master" %b into %s {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  return
}

// -----

accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>, #accel.segment<"u" group undecayed, 256 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
func.func @more() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %u = plan.buffer persistent parameters "a.u.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  // expected-error @+1 {{says that ranks gather [#plan.size<32 bits of <256 granule 128 over "fsdp">>] into it, and no bucket is like that}}
  %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>, #plan.size<32 bits of <256 granule 128 over "fsdp">>], [#plan.size<32 bits of <128 granule 128 over "fsdp">>], [#plan.size<32 bits of <256 granule 128 over "fsdp">>]]} : memref<384xf32>
  %s = plan.view %0 at 0 : memref<384xf32> to memref<128xf32>
  %t = plan.view %0 at 128 : memref<384xf32> to memref<256xf32>
  plan.all_gather "a.s.master" %a into %s {segment = #accel.segment_ref<@a "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  plan.all_gather "a.u.master" %u into %t {segment = #accel.segment_ref<@a "u">, shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>, memref<256xf32>
  plan.all_gather "b.s.master" %b into %s {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  return
}

// -----

accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>, #accel.segment<"u" group undecayed, 256 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
// Where one buffer says it, all do.
func.func @some() {
  %a = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %0 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>]]} : memref<128xf32>
  // expected-error @+1 {{expected to say that ranks gather [#plan.size<32 bits of <128 granule 128 over "fsdp">>] into it, got 0 other buckets}}
  %1 = plan.buffer transient gathered in shared : memref<128xf32>
  plan.all_gather "a.s.master" %a into %0 {segment = #accel.segment_ref<@a "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  plan.all_gather "b.s.master" %b into %1 {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
  return
}
