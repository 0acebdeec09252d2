// RUN: split-file %s %t
// RUN: accel-opt %t/blocks.mlir --accel-assign-buckets | FileCheck %t/blocks.mlir
// RUN: accel-opt %t/codes.mlir --accel-assign-buckets | FileCheck %t/codes.mlir
// RUN: accel-opt %t/plain.mlir --accel-assign-buckets=decay-rank=1 | FileCheck %t/plain.mlir
// RUN: accel-opt %t/compute.mlir --accel-assign-buckets | FileCheck %t/compute.mlir

//--- blocks.mlir
// Two blocks of a product and a bias, whatever their names, between an embedding and a head that share a weight. The tied
// weight and what is shared by the blocks lie before them.
// CHECK: accel.parameter @z : tensor<8x8xf32> trainable {{{.*}}offset = 0 : i64, segment = @block0.decayed.master}
// CHECK: accel.parameter @y : tensor<8xf32> trainable {{{.*}}offset = 0 : i64, segment = @block0.undecayed.master}
// CHECK: accel.parameter @a : tensor<8x8xf32> trainable {{{.*}}offset = 0 : i64, segment = @block1.decayed.master}
// CHECK: accel.parameter @b : tensor<8xf32> trainable {{{.*}}offset = 0 : i64, segment = @block1.undecayed.master}
// CHECK: accel.parameter @tied : tensor<10x8xf32> trainable {{{.*}}offset = 0 : i64, segment = @before.decayed.master}
// CHECK: accel.parameter @shared : tensor<8xf32> trainable {{{.*}}offset = 0 : i64, segment = @before.undecayed.master}
// CHECK: accel.parameter @last : tensor<8xf32> trainable {{{.*}}offset = 0 : i64, segment = @after.undecayed.master}
// CHECK: accel.parameter @frozen : tensor<8xf32> {{{.*}}offset = 0 : i64, segment = @after.frozen.master}
// CHECK: accel.bucket @before {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 128 elements of @tied>, #accel.segment<"undecayed" group undecayed, 128 elements of @shared>]}
// CHECK: accel.state @before.decayed.master slot : tensor<128xf32> {group = #accel.group<decayed>, segment = #accel.segment_ref<@before "decayed">, slot = #accel.slot<master>}
// CHECK: accel.state @before.decayed.gradient slot : tensor<128xf32>
// CHECK: accel.state @before.decayed.momentum slot : tensor<128xf32>
// CHECK: accel.bucket @block0 {granule = 128 : i64, layer = 0 : i64
// CHECK: accel.bucket @block1 {granule = 128 : i64, layer = 1 : i64
// CHECK: accel.bucket @after
// CHECK: accel.state @after.frozen.master
// CHECK-NOT: @after.frozen.gradient
// The optimizer's slots begin with zero; master and gradient are not written.
// CHECK-LABEL: func @init
// CHECK-NOT: master
// CHECK: accel.write @before.decayed.momentum
// CHECK: return
module {
  accel.parameter @z : tensor<8x8xf32> trainable
  accel.parameter @y : tensor<8xf32> trainable
  accel.parameter @a : tensor<8x8xf32> trainable
  accel.parameter @b : tensor<8xf32> trainable
  accel.parameter @tied : tensor<10x8xf32> trainable
  accel.parameter @shared : tensor<8xf32> trainable
  accel.parameter @last : tensor<8xf32> trainable
  accel.parameter @frozen : tensor<8xf32>
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    return
  }
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
      %ids = accel.input "ids" : tensor<4xi64>
      %tied = accel.read @tied : tensor<10x8xf32>
      %x0 = accel.gather %tied, %ids : tensor<10x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
      %shared = accel.read @shared : tensor<8xf32>
      %s = accel.broadcast %shared [1] : tensor<8xf32> -> tensor<4x8xf32>
      %z = accel.read @z : tensor<8x8xf32>
      %h0 = accel.matmul %x0, %z : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
      %y = accel.read @y : tensor<8xf32>
      %yb = accel.broadcast %y [1] : tensor<8xf32> -> tensor<4x8xf32>
      %i0 = accel.add %h0, %yb : tensor<4x8xf32>
      %x1 = accel.mul %i0, %s : tensor<4x8xf32>
      %a = accel.read @a : tensor<8x8xf32>
      %h1 = accel.matmul %x1, %a : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
      %b = accel.read @b : tensor<8xf32>
      %bb = accel.broadcast %b [1] : tensor<8xf32> -> tensor<4x8xf32>
      %i1 = accel.add %h1, %bb : tensor<4x8xf32>
      %x2 = accel.mul %i1, %s : tensor<4x8xf32>
      %last = accel.read @last : tensor<8xf32>
      %lb = accel.broadcast %last [1] : tensor<8xf32> -> tensor<4x8xf32>
      %x3 = accel.mul %x2, %lb : tensor<4x8xf32>
      %frozen = accel.read @frozen : tensor<8xf32>
      %fb = accel.broadcast %frozen [1] : tensor<8xf32> -> tensor<4x8xf32>
      %x4 = accel.add %x3, %fb : tensor<4x8xf32>
      %o = accel.matmul %x4, %tied {transpose_rhs} : tensor<4x8xf32>, tensor<10x8xf32> -> tensor<4x10xf32>
      accel.accumulate @tied, %tied : tensor<10x8xf32>
      accel.accumulate @tied, %tied : tensor<10x8xf32>
      accel.accumulate @shared, %shared : tensor<8xf32>
      accel.accumulate @shared, %shared : tensor<8xf32>
      accel.accumulate @z, %z : tensor<8x8xf32>
      accel.accumulate @y, %y : tensor<8xf32>
      accel.accumulate @a, %a : tensor<8x8xf32>
      accel.accumulate @b, %b : tensor<8xf32>
      accel.accumulate @last, %last : tensor<8xf32>
    }
    %s = accel.constant dense<1.0> : tensor<f64>
    accel.update %s kind "sgd" : tensor<f64>
    return
  }
}

//--- plain.mlir
// Without repetition there is one bucket; parameters lie in the order of their use at multiples of 16, and of rank 1 decay too
// if that is asked for. What nothing reads comes last.
// CHECK: accel.parameter @unused : tensor<5xf32> {offset = 0 : i64, segment = @model.frozen.master}
// CHECK: accel.parameter @second : tensor<3xf32> trainable {offset = 32 : i64, segment = @model.decayed.master}
// CHECK: accel.parameter @first : tensor<6x3xf32> trainable {offset = 0 : i64, segment = @model.decayed.master}
// CHECK: accel.bucket @model {{.*}} elements of @first, @second>
// CHECK-DAG: accel.state @model.decayed.first_moment
// CHECK-DAG: accel.state @model.decayed.second_moment
module {
  accel.parameter @unused : tensor<5xf32>
  accel.parameter @second : tensor<3xf32> trainable
  accel.parameter @first : tensor<6x3xf32> trainable
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    return
  }
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
      %x = accel.input "x" : tensor<4x6xf32>
      %w = accel.read @first : tensor<6x3xf32>
      %y = accel.matmul %x, %w : tensor<4x6xf32>, tensor<6x3xf32> -> tensor<4x3xf32>
      %b = accel.read @second : tensor<3xf32>
      %bb = accel.broadcast %b [1] : tensor<3xf32> -> tensor<4x3xf32>
      %z = accel.add %y, %bb : tensor<4x3xf32>
      accel.accumulate @first, %w : tensor<6x3xf32>
      accel.accumulate @second, %b : tensor<3xf32>
    }
    %s = accel.constant dense<1.0> : tensor<f64>
    accel.update %s kind "adamw" : tensor<f64>
    return
  }
}

//--- codes.mlir
// An optimizer whose state has blocks of 256: no rank has a part of one, so the granule is that and segments are whole blocks. Its
// slots have types of their own, and begin with bytes of zero, which are the codes of zero.
// CHECK: accel.bucket @model {granule = 256 : i64, segments = [#accel.segment<"decayed" group decayed, 512 elements
// CHECK: accel.state @model.decayed.master slot : tensor<512xf32>
// CHECK: accel.state @model.decayed.gradient slot : tensor<512xf32>
// CHECK: accel.state @model.decayed.first_moment slot : tensor<512xui8>
// CHECK: accel.state @model.decayed.first_scale slot : tensor<2xf32>
// CHECK: accel.state @model.decayed.second_moment slot : tensor<512xui8>
// CHECK: accel.state @model.decayed.second_scale slot : tensor<2xf32>
// CHECK: accel.constant dense<0> : tensor<512xui8>
// CHECK: accel.write @model.decayed.first_moment
// CHECK: accel.write @model.decayed.first_scale
module {
  accel.parameter @first : tensor<100x3xf32> trainable
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    return
  }
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
      %x = accel.input "x" : tensor<4x100xf32>
      %w = accel.read @first : tensor<100x3xf32>
      %y = accel.matmul %x, %w : tensor<4x100xf32>, tensor<100x3xf32> -> tensor<4x3xf32>
      accel.accumulate @first, %w : tensor<100x3xf32>
    }
    %s = accel.constant dense<1.0> : tensor<f64>
    accel.update %s kind "adamw8" : tensor<f64>
    return
  }
}

//--- compute.mlir
// Parameters that microbatches read in bf16 have segments of their own, trained or frozen, with a slot of that type beside the master.
// CHECK: accel.parameter @first : tensor<8x8xf32> trainable compute bf16 {offset = 0 : i64, segment = @model.decayed_as_bf16.master}
// CHECK: accel.parameter @second : tensor<8x8xf32> trainable {offset = 0 : i64, segment = @model.decayed.master}
// CHECK: accel.parameter @third : tensor<8x8xf32> trainable compute bf16 {offset = 64 : i64, segment = @model.decayed_as_bf16.master}
// CHECK: accel.parameter @frozen : tensor<8x8xf32> compute bf16 {offset = 0 : i64, segment = @model.frozen_as_bf16.master}
// CHECK: accel.bucket @model {granule = 128 : i64, segments = [
// CHECK-SAME: #accel.segment<"decayed_as_bf16" group decayed, 128 elements of @first, @third>
// CHECK-SAME: #accel.segment<"decayed" group decayed, 128 elements of @second>
// CHECK-SAME: #accel.segment<"frozen_as_bf16" group frozen, 128 elements of @frozen>
// CHECK: accel.state @model.decayed_as_bf16.master slot : tensor<128xf32> {group = #accel.group<decayed>, segment = #accel.segment_ref<@model "decayed_as_bf16">, slot = #accel.slot<master>}
// CHECK-NEXT: accel.state @model.decayed_as_bf16.compute slot : tensor<128xbf16> {group = #accel.group<decayed>, segment = #accel.segment_ref<@model "decayed_as_bf16">, slot = #accel.slot<compute>}
// CHECK-NEXT: accel.state @model.decayed_as_bf16.gradient slot : tensor<128xf32>
// CHECK-NEXT: accel.state @model.decayed_as_bf16.momentum slot : tensor<128xf32>
// CHECK-NEXT: accel.state @model.decayed.master slot : tensor<128xf32>
// CHECK-NEXT: accel.state @model.decayed.gradient slot : tensor<128xf32>
// CHECK-NEXT: accel.state @model.decayed.momentum slot : tensor<128xf32>
// CHECK-NEXT: accel.state @model.frozen_as_bf16.master slot : tensor<128xf32>
// CHECK-NEXT: accel.state @model.frozen_as_bf16.compute slot : tensor<128xbf16> {group = #accel.group<frozen>, segment = #accel.segment_ref<@model "frozen_as_bf16">, slot = #accel.slot<compute>}
// CHECK-NEXT: func.func @init
// It begins with the master, rounded, behind what initializes the parameters.
// CHECK-NEXT: %[[ZEROS:.+]] = accel.constant
// CHECK-NEXT: accel.write @first, %[[ZEROS]]
// CHECK: %[[MASTER:.+]] = accel.read @model.decayed_as_bf16.master : tensor<128xf32>
// CHECK-NEXT: %[[ROUNDED:.+]] = accel.cast %[[MASTER]] : tensor<128xf32> -> tensor<128xbf16>
// CHECK-NEXT: accel.write @model.decayed_as_bf16.compute, %[[ROUNDED]] : tensor<128xbf16>
// CHECK: %[[FROZEN:.+]] = accel.read @model.frozen_as_bf16.master : tensor<128xf32>
// CHECK-NEXT: %[[NARROW:.+]] = accel.cast %[[FROZEN]] : tensor<128xf32> -> tensor<128xbf16>
// CHECK-NEXT: accel.write @model.frozen_as_bf16.compute, %[[NARROW]] : tensor<128xbf16>
// CHECK-NOT: accel.write @{{.+}}.compute
// CHECK: return
module {
  accel.parameter @first : tensor<8x8xf32> trainable compute bf16
  accel.parameter @second : tensor<8x8xf32> trainable
  accel.parameter @third : tensor<8x8xf32> trainable compute bf16
  accel.parameter @frozen : tensor<8x8xf32> compute bf16
  func.func @init() attributes {accel.role = #accel.role<initialize>} {
    %zeros = accel.constant dense<0.0> : tensor<8x8xf32>
    accel.write @first, %zeros : tensor<8x8xf32>
    return
  }
  func.func @step() attributes {accel.role = #accel.role<step>} {
    accel.repeat {
      %x = accel.input "x" : tensor<4x8xf32>
      %low = accel.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
      %first = accel.read @first : tensor<8x8xbf16>
      %a = accel.matmul %low, %first : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
      %second = accel.read @second : tensor<8x8xf32>
      %b = accel.matmul %a, %second : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
      %c = accel.cast %b : tensor<4x8xf32> -> tensor<4x8xbf16>
      %third = accel.read @third : tensor<8x8xbf16>
      %d = accel.matmul %c, %third : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
      %e = accel.cast %d : tensor<4x8xf32> -> tensor<4x8xbf16>
      %frozen = accel.read @frozen : tensor<8x8xbf16>
      %f = accel.matmul %e, %frozen : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xf32>
      accel.accumulate @first, %second : tensor<8x8xf32>
      accel.accumulate @second, %second : tensor<8x8xf32>
      accel.accumulate @third, %second : tensor<8x8xf32>
    }
    %s = accel.constant dense<1.0> : tensor<f64>
    accel.update %s kind "sgd" : tensor<f64>
    return
  }
}
