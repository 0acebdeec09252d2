// RUN: accel-opt %s --accel-verify-lower --split-input-file --verify-diagnostics

// A kernel with its code.
func.func @good(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}
func.func @good.code(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) {
  return
}

// -----

// expected-error@below {{expected its code in a function 'alone.code'}}
func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}

// -----

func.func @short(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}
// expected-error@below {{expected 4 arguments (buffers, begin, end), perhaps a workspace, and no result}}
func.func @short.code(%x: memref<4xf32>, %begin: index, %end: index) {
  return
}

// -----

func.func private @helper()
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}
func.func @caller.code(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) {
  // expected-error@below {{calls out of a kernel's code}}
  func.call @helper() : () -> ()
  return
}

// -----

// What kernels share is called inside the module.
func.func private @routine(%x: memref<4xf32>) {
  return
}
func.func @sharing(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}
func.func @sharing.code(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) {
  func.call @routine(%x) : (memref<4xf32>) -> ()
  return
}

// -----

// What is called in a row needs a form for vectors.
func.func private @scalar(%x: f32) -> f32 {
  return %x : f32
}
func.func @row(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}
func.func @row.code(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%y : memref<4xf32>) {
  ^bb0(%a: f32):
    // expected-error@below {{expected a function 'scalar.x8' for vectors, got none}}
    %b = func.call @scalar(%a) : (f32) -> f32
    linalg.yield %b : f32
  }
  return
}

// -----

// What kernels share calls out, too.
func.func private @far()
func.func private @near() {
  // expected-error@below {{calls out of a kernel's code}}
  func.call @far() : () -> ()
  return
}

// -----

// Code that writes what its launches declare as read: directly, through a view, and through a routine.
func.func @stores(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}
func.func @stores.code(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) {
  %0 = memref.load %x[%begin] : memref<4xf32>
  memref.store %0, %y[%begin] : memref<4xf32>
  %1 = memref.subview %x[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  // expected-error@below {{writes through parameter 0 of kernel 'stores', which its launches declare as read}}
  memref.store %0, %1[%begin] : memref<2xf32, strided<[1], offset: 2>>
  return
}

// -----

func.func private @inner(%x: memref<4xf32>, %i: index) {
  %0 = memref.load %x[%i] : memref<4xf32>
  memref.store %0, %x[%i] : memref<4xf32>
  return
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {kind = "flat"}} {
  return %x : tensor<4xf32>
}
func.func @calls.code(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index) {
  func.call @inner(%y, %begin) : (memref<4xf32>, index) -> ()
  // expected-error@below {{writes through parameter 0 of kernel 'calls', which its launches declare as read}}
  func.call @inner(%x, %begin) : (memref<4xf32>, index) -> ()
  return
}
