// RUN: accel-opt %s --accel-place-gathers=max-ranks=2 --split-input-file | FileCheck %s
// The module says for how many ranks.
// RUN: accel-opt %s --accel-place-gathers=max-ranks=2 --split-input-file | FileCheck %s --check-prefix=RANKS
// RANKS: module attributes {plan.max_ranks = 2 : i64}
// Buffers have room for as many granules more as there may be ranks.
// RUN: accel-opt %s --accel-place-gathers --split-input-file | FileCheck %s --check-prefix=MANY
// RUN: accel-opt %s --accel-place-gathers=max-ranks=1 --split-input-file | FileCheck %s --check-prefix=ONE
// What it makes, with streams and events, is what the verifier wants: every read finds what it means to read.
// RUN: accel-opt %s --accel-place-gathers=max-ranks=2 --accel-assign-streams --accel-insert-events --accel-verify-schedule --split-input-file

accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 256 elements>, #accel.segment<"u" group decayed, 128 elements>]}
accel.bucket @c {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.state @"a.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.u.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "u">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"c.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@c "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// Three buckets in two buffers. The first two are gathered in front of everything, the third where the first has been used for
// the last time in forward: one ahead. The last one in forward is the first in backward and stays, like the one before it,
// which two others have not followed; the first comes back when the third is done. Both segments of a bucket share its buffer.
// CHECK-LABEL: func.func @step
// CHECK-NOT: plan.buffer transient
// Both say how much the segments of each bucket take of them; a and c, which take turns in the first, take as much.
// CHECK: %[[BUFFER0:.+]] = plan.buffer transient gathered in shared {gathers = {{\[\[}}#plan.size<32 bits of <128 granule 128 over "fsdp">>]]} : memref<384xf32>
// CHECK-NEXT: %[[BUFFER1:.+]] = plan.buffer transient gathered in shared {gathers = {{\[\[}}#plan.size<32 bits of <256 granule 128 over "fsdp">>, #plan.size<32 bits of <128 granule 128 over "fsdp">>]]} : memref<896xf32>
// CHECK-NOT: plan.buffer
// CHECK-DAG: %[[B:.+]] = plan.view %[[BUFFER1]] at 0 : memref<896xf32> to memref<256xf32>
// CHECK-DAG: %[[BU:.+]] = plan.view %[[BUFFER1]] at 512 : memref<896xf32> to memref<128xf32>
// CHECK: plan.repeat {
// CHECK-NEXT: plan.all_gather "a.s.master" %[[APART:.+]] into %[[A:.+]] {segment = #accel.segment_ref<@a "s">, shard = #plan.shard<128 granule 128 over "fsdp">}
// CHECK-NEXT: plan.all_gather "b.s.master" %{{.+}} into %[[B]] {segment = #accel.segment_ref<@b "s">, shard = #plan.shard<256 granule 128 over "fsdp">}
// CHECK-NEXT: plan.all_gather "b.u.master" %{{.+}} into %[[BU]] {segment = #accel.segment_ref<@b "u">, shard = #plan.shard<128 granule 128 over "fsdp">}
// CHECK-NEXT: plan.launch @forward_a(%[[A]])
// CHECK-NEXT: plan.all_gather "c.s.master" %{{.+}} into %[[C:.+]] {segment = #accel.segment_ref<@c "s">, shard = #plan.shard<128 granule 128 over "fsdp">}
// CHECK-NEXT: plan.launch @forward_b(%[[B]], %[[BU]])
// CHECK-NEXT: plan.launch @forward_c(%[[C]])
// CHECK-NEXT: plan.launch @backward_c(%[[C]])
// CHECK-NEXT: plan.all_gather "a.s.master" %[[APART]] into %[[AGAIN:.+]] {segment = #accel.segment_ref<@a "s">, shard = #plan.shard<128 granule 128 over "fsdp">}
// A parameter is a view of its segment's place in the buffer.
// CHECK-NEXT: plan.launch @backward_b(%[[PARAMETER:.+]])
// CHECK-NEXT: plan.launch @backward_a(%[[AGAIN]])
// CHECK-NEXT: }
// MANY: plan.buffer transient gathered in shared {{.*}}: memref<131200xf32>
// MANY: plan.buffer transient gathered in shared {{.*}}: memref<262528xf32>
// ONE: plan.buffer transient gathered in shared {{.*}}: memref<256xf32>
// ONE: plan.buffer transient gathered in shared {{.*}}: memref<640xf32>
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_part = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gathered in shared "a.s.master" : memref<128xf32>
  %b_part = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %b = plan.buffer transient gathered in shared "b.s.master" : memref<256xf32>
  %bu_part = plan.buffer persistent parameters "b.u.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %bu = plan.buffer transient gathered in shared "b.u.master" : memref<128xf32>
  %c_part = plan.buffer persistent parameters "c.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c = plan.buffer transient gathered in shared "c.s.master" : memref<128xf32>
  %p = plan.view %bu at 64 : memref<128xf32> to memref<64xf32>
  plan.repeat {
    dist.all_gather [@"a.s.master", @"b.s.master", @"b.u.master", @"c.s.master"] over ["fsdp"]
    plan.launch @forward_a(%a) [read] : memref<128xf32>
    plan.launch @forward_b(%b, %bu) [read, read] : memref<256xf32>, memref<128xf32>
    plan.launch @forward_c(%c) [read] : memref<128xf32>
    plan.launch @backward_c(%c) [read] : memref<128xf32>
    plan.launch @backward_b(%p) [read] : memref<64xf32>
    plan.launch @backward_a(%a) [read] : memref<128xf32>
  }
  return
}

func.func private @forward_a(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @forward_b(%a0: tensor<256xf32>, %a1: tensor<128xf32>) attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @forward_c(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @backward_c(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @backward_b(%a0: tensor<64xf32>) attributes {plan.kernel = {columns = 64 : i64, elements = 64 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @backward_a(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

accel.bucket @t {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 256 elements>, #accel.segment<"u" group decayed, 128 elements>]}
accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.state @"t.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@t "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"t.u.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@t "u">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"a.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// A weight that is used at both ends, with two buckets between, is gathered twice; of its bucket only what is used there.
// CHECK-LABEL: func.func @step
// CHECK: plan.repeat {
// CHECK-NEXT: plan.all_gather "t.s.master" %{{.+}} into %[[T:.+]] {
// CHECK-NEXT: plan.all_gather "t.u.master" %{{.+}} into %[[TU:.+]] {
// CHECK-NEXT: plan.all_gather "a.s.master" %{{.+}} into %[[A:.+]] {
// CHECK-NEXT: plan.launch @embed(%[[T]], %[[TU]])
// CHECK-NEXT: plan.all_gather "b.s.master" %{{.+}} into %[[B:.+]] {
// CHECK-NEXT: plan.launch @first(%[[A]])
// CHECK-NEXT: plan.all_gather "t.s.master" %{{.+}} into %[[TIED:.+]] {
// CHECK-NEXT: plan.launch @second(%[[B]])
// CHECK-NEXT: plan.launch @head(%[[TIED]])
// CHECK-NEXT: }
func.func @step() attributes {accel.role = #accel.role<step>} {
  %t_part = plan.buffer persistent parameters "t.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %t = plan.buffer transient gathered in shared "t.s.master" : memref<256xf32>
  %tu_part = plan.buffer persistent parameters "t.u.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %tu = plan.buffer transient gathered in shared "t.u.master" : memref<128xf32>
  %a_part = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gathered in shared "a.s.master" : memref<128xf32>
  %b_part = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gathered in shared "b.s.master" : memref<128xf32>
  plan.repeat {
    dist.all_gather [@"t.s.master", @"t.u.master", @"a.s.master", @"b.s.master"] over ["fsdp"]
    plan.launch @embed(%t, %tu) [read, read] : memref<256xf32>, memref<128xf32>
    plan.launch @first(%a) [read] : memref<128xf32>
    plan.launch @second(%b) [read] : memref<128xf32>
    plan.launch @head(%t) [read] : memref<256xf32>
  }
  return
}

func.func private @embed(%a0: tensor<256xf32>, %a1: tensor<128xf32>) attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @first(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @second(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @head(%a0: tensor<256xf32>) attributes {plan.kernel = {columns = 256 : i64, elements = 256 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

accel.bucket @t {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 256 elements>]}
accel.state @"t.s.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@t "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}

// Half of a matrix, a view of a view, is read where the bucket is gathered.
// CHECK-LABEL: func.func @step
// CHECK-NOT: "t.s.master" : memref<256xf32>
// CHECK: %[[HALF:.+]] = plan.view %[[T:.+]] at 128 : memref<256xf32> to memref<128xf32>
// CHECK: plan.all_gather "t.s.master" %{{.+}} into %[[T]] {
// CHECK: plan.launch @half(%[[HALF]])
func.func @step() attributes {accel.role = #accel.role<step>} {
  %t_part = plan.buffer persistent parameters "t.s.master" {shard = #plan.shard<256 granule 128 over "fsdp">} : memref<256xf32>
  %t = plan.buffer transient gathered in shared "t.s.master" : memref<256xf32>
  %matrix = plan.view %t at 0 : memref<256xf32> to memref<2x128xf32>
  %half = plan.view %matrix at 128 : memref<2x128xf32> to memref<128xf32>
  plan.repeat {
    dist.all_gather [@"t.s.master"] over ["fsdp"]
    plan.launch @half(%half) [read] : memref<128xf32>
  }
  return
}

func.func private @half(%a0: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}

// -----

// A loop that gathers nothing is left alone.
// CHECK-LABEL: func.func @step
// CHECK-NOT: "gathered"
// CHECK: plan.launch @k(%[[X:.+]]) [write]
func.func @step() attributes {accel.role = #accel.role<step>} {
  %x = plan.buffer transient activations : memref<8xf32>
  plan.repeat {
    plan.launch @k(%x) [write] : memref<8xf32>
  }
  return
}

func.func private @k() -> tensor<8xf32> attributes {plan.kernel = {columns = 8 : i64, elements = 8 : i64, kind = "flat", rows = 1 : i64}} {
  %r0 = accel.constant dense<0.0> : tensor<8xf32>
  return %r0 : tensor<8xf32>
}

// -----

// Two buckets are whole at a time, unless an instruction reads more: there are as many buffers as it reads.
// CHECK-LABEL: func.func @step
// CHECK-COUNT-3: plan.buffer transient gathered in shared
// CHECK-NOT: plan.buffer
// CHECK: plan.all_gather "a.s.master" %{{.+}} into %[[A:.+]] {
// CHECK: plan.all_gather "b.s.master" %{{.+}} into %[[B:.+]] {
// CHECK: plan.all_gather "c.s.master" %{{.+}} into %[[C:.+]] {
// CHECK: plan.launch @two(%[[A]], %[[B]])
// CHECK: plan.launch @three(%[[A]], %[[B]], %[[C]])
accel.bucket @a {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.bucket @c {granule = 128 : i64, segments = [#accel.segment<"s" group decayed, 128 elements>]}
accel.state @"a.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@a "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"b.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
accel.state @"c.s.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@c "s">, slot = #accel.slot<master>, group = #accel.group<decayed>, dist.held = #dist.held<part>}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %a_part = plan.buffer persistent parameters "a.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %a = plan.buffer transient gathered in shared "a.s.master" : memref<128xf32>
  %b_part = plan.buffer persistent parameters "b.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %b = plan.buffer transient gathered in shared "b.s.master" : memref<128xf32>
  %c_part = plan.buffer persistent parameters "c.s.master" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
  %c = plan.buffer transient gathered in shared "c.s.master" : memref<128xf32>
  plan.repeat {
    dist.all_gather [@"a.s.master", @"b.s.master", @"c.s.master"] over ["fsdp"]
    plan.launch @two(%a, %b) [read, read] : memref<128xf32>, memref<128xf32>
    plan.launch @three(%a, %b, %c) [read, read, read] : memref<128xf32>, memref<128xf32>, memref<128xf32>
  }
  return
}

func.func private @two(%a0: tensor<128xf32>, %a1: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
func.func private @three(%a0: tensor<128xf32>, %a1: tensor<128xf32>, %a2: tensor<128xf32>) attributes {plan.kernel = {columns = 128 : i64, elements = 128 : i64, kind = "flat", rows = 1 : i64}} {
  return
}
