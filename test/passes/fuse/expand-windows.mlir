// What ExpandComposites makes of windows: views that each take one element of every window.
// RUN: accel-opt %s --accel-expand-composites --canonicalize | FileCheck %s

// The maximum of three windows' elements is two comparisons of slices; nothing holds the windows.
// CHECK-LABEL: func.func @maximum
// CHECK-NOT: accel.reduce_max
// CHECK-NOT: accel.windows
// CHECK: accel.slice %arg0 [0, 0, 0] strides [1, 2, 1] : tensor<2x9x4xf32> -> tensor<2x4x4xf32>
// CHECK: accel.slice %arg0 [0, 1, 0] strides [1, 2, 1]
// CHECK: accel.max %{{.+}} : tensor<2x4x4xf32>
// CHECK: accel.slice %arg0 [0, 2, 0] strides [1, 2, 1]
// CHECK: accel.max %{{.+}} : tensor<2x4x4xf32>
func.func @maximum(%x: tensor<2x9x4xf32>) -> tensor<2x4x4xf32> {
  %w = accel.windows %x axes [1] sizes [3] strides [2] dilations [1] : tensor<2x9x4xf32> -> tensor<2x4x4x3xf32>
  %m = accel.reduce_max %w [3] : tensor<2x4x4x3xf32> -> tensor<2x4x4xf32>
  return %m : tensor<2x4x4xf32>
}

// A depthwise convolution: the products are computed element of the window by element of the window.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: accel.reduce_sum
// CHECK: accel.mul %{{.+}} : tensor<2x7x4xf32>
// CHECK: accel.mul %{{.+}} : tensor<2x7x4xf32>
// CHECK: accel.add %{{.+}} : tensor<2x7x4xf32>
// CHECK: accel.mul %{{.+}} : tensor<2x7x4xf32>
// CHECK: accel.add %{{.+}} : tensor<2x7x4xf32>
func.func @depthwise(%x: tensor<2x9x4xf32>, %k: tensor<4x3xf32>) -> tensor<2x7x4xf32> {
  %w = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<2x9x4xf32> -> tensor<2x7x4x3xf32>
  %b = accel.broadcast %k [2, 3] : tensor<4x3xf32> -> tensor<2x7x4x3xf32>
  %p = accel.mul %w, %b : tensor<2x7x4x3xf32>
  %s = accel.reduce_sum %p [3] : tensor<2x7x4x3xf32> -> tensor<2x7x4xf32>
  return %s : tensor<2x7x4xf32>
}

// The gradient of its weights: a sum over rows for each element of the window.
// CHECK-LABEL: func.func @weights
// CHECK-COUNT-3: accel.reduce_sum %{{.+}} [0, 1] : tensor<2x7x4xf32> -> tensor<4xf32>
// CHECK: accel.concat
// CHECK: accel.transpose %{{.+}} [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
func.func @weights(%x: tensor<2x9x4xf32>, %g: tensor<2x7x4xf32>) -> tensor<4x3xf32> {
  %w = accel.windows %x axes [1] sizes [3] strides [1] dilations [1] : tensor<2x9x4xf32> -> tensor<2x7x4x3xf32>
  %b = accel.broadcast %g [0, 1, 2] : tensor<2x7x4xf32> -> tensor<2x7x4x3xf32>
  %p = accel.mul %w, %b : tensor<2x7x4x3xf32>
  %s = accel.reduce_sum %p [0, 1] : tensor<2x7x4x3xf32> -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// Windows that overlap are added where they lie, in the order of their elements.
// CHECK-LABEL: func.func @overlap
// CHECK-NOT: accel.sum_windows
// CHECK-COUNT-2: accel.add %{{.+}} : tensor<2x9x4xf32>
func.func @overlap(%w: tensor<2x7x4x3xf32>) -> tensor<2x9x4xf32> {
  %s = accel.sum_windows %w axes [1] sizes [3] strides [1] dilations [1] : tensor<2x7x4x3xf32> -> tensor<2x9x4xf32>
  return %s : tensor<2x9x4xf32>
}

// Windows side by side are a transpose and a reshape, and what no window covers is zero.
// CHECK-LABEL: func.func @apart
// CHECK: %[[MOVED:.+]] = accel.transpose %arg0 [0, 1, 3, 2]
// CHECK: %[[FLAT:.+]] = accel.reshape %[[MOVED]] : tensor<2x3x2x4xf32> -> tensor<2x6x4xf32>
// CHECK: %[[SUM:.+]] = accel.concat %[[FLAT]], %{{.+}} axis 1 : tensor<2x6x4xf32>, tensor<2x1x4xf32> -> tensor<2x7x4xf32>
// CHECK: return %[[SUM]]
func.func @apart(%w: tensor<2x3x4x2xf32>) -> tensor<2x7x4xf32> {
  %s = accel.sum_windows %w axes [1] sizes [2] strides [2] dilations [1] : tensor<2x3x4x2xf32> -> tensor<2x7x4xf32>
  return %s : tensor<2x7x4xf32>
}

// A reduction of very many elements stays a loop.
// CHECK-LABEL: func.func @long
// CHECK: accel.reduce_max %{{.+}} [2]
func.func @long(%x: tensor<2x400xf32>) -> tensor<2x100xf32> {
  %w = accel.windows %x axes [1] sizes [301] strides [1] dilations [1] : tensor<2x400xf32> -> tensor<2x100x301xf32>
  %m = accel.reduce_max %w [2] : tensor<2x100x301xf32> -> tensor<2x100xf32>
  return %m : tensor<2x100xf32>
}

// The windows that a product makes, summed: a product of windows itself, with its weights in the opposite order, of which only what is asked for is computed.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[G:.+]]: tensor<14x5xf32>, %[[K:.+]]: tensor<5x12xf32>
// CHECK-NOT: accel.sum_windows
// CHECK: %[[ROWS:.+]] = accel.reshape %[[G]] : tensor<14x5xf32> -> tensor<2x7x5xf32>
// CHECK: %[[PADDED:.+]] = accel.concat %{{.+}}, %[[ROWS]], %{{.+}} axis 1 : tensor<2x1x5xf32>, tensor<2x7x5xf32>, tensor<2x1x5xf32> -> tensor<2x9x5xf32>
// CHECK: accel.windows %[[PADDED]] axes [1] sizes [3] strides [1] dilations [1] : tensor<2x9x5xf32> -> tensor<2x7x5x3xf32>
// CHECK: accel.slice %{{.+}} [2, 0, 0, 0] strides [1, 1, 1, 1] : tensor<3x1x5x4xf32> -> tensor<1x1x5x4xf32>
// CHECK: accel.slice %{{.+}} [1, 0, 0, 0]
// CHECK: accel.slice %{{.+}} [0, 0, 0, 0]
// CHECK: accel.matmul %{{.+}}, %{{.+}} as input_gradient : tensor<14x15xf32>, tensor<15x4xf32> -> tensor<14x4xf32>
func.func @product(%g: tensor<14x5xf32>, %k: tensor<5x12xf32>) -> tensor<2x7x4xf32> {
  %p = accel.matmul %g, %k as input_gradient : tensor<14x5xf32>, tensor<5x12xf32> -> tensor<14x12xf32>
  %r = accel.reshape %p : tensor<14x12xf32> -> tensor<2x7x3x4xf32>
  %t = accel.transpose %r [0, 1, 3, 2] : tensor<2x7x3x4xf32> -> tensor<2x7x4x3xf32>
  %s = accel.sum_windows %t axes [1] sizes [3] strides [1] dilations [1] : tensor<2x7x4x3xf32> -> tensor<2x9x4xf32>
  %x = accel.slice %s [0, 1, 0] strides [1, 1, 1] : tensor<2x9x4xf32> -> tensor<2x7x4xf32>
  return %x : tensor<2x7x4xf32>
}

// With a stride of two, even and odd places are a product each, of two elements of the window and of one.
// CHECK-LABEL: func.func @phases
// CHECK-NOT: accel.sum_windows
// CHECK: accel.matmul %{{.+}} : tensor<8x10xf32>, tensor<10x4xf32> -> tensor<8x4xf32>
// CHECK: accel.matmul %{{.+}} : tensor<8x5xf32>, tensor<5x4xf32> -> tensor<8x4xf32>
// CHECK: accel.concat %{{.+}}, %{{.+}} axis 2 : tensor<2x4x1x4xf32>, tensor<2x4x1x4xf32> -> tensor<2x4x2x4xf32>
func.func @phases(%g: tensor<6x5xf32>, %k: tensor<12x5xf32>) -> tensor<2x7x4xf32> {
  %p = accel.matmul %g, %k as input_gradient {transpose_rhs} : tensor<6x5xf32>, tensor<12x5xf32> -> tensor<6x12xf32>
  %r = accel.reshape %p : tensor<6x12xf32> -> tensor<2x3x4x3xf32>
  %s = accel.sum_windows %r axes [1] sizes [3] strides [2] dilations [1] : tensor<2x3x4x3xf32> -> tensor<2x7x4xf32>
  return %s : tensor<2x7x4xf32>
}

// Two groups of channels: a product of windows for each, which computes in other numbers than others do for the reason that the product had.
// CHECK-LABEL: func.func @groups
// CHECK-NOT: accel.sum_windows
// CHECK: accel.matmul %{{.+}}, %{{.+}} as input_gradient {accel.precision_reason = "too few"} : tensor<2x18x15xf32>, tensor<2x15x4xf32> -> tensor<2x18x4xf32>
func.func @groups(%g: tensor<2x14x5xf32>, %k: tensor<2x5x12xf32>) -> tensor<2x9x8xf32> {
  %p = accel.matmul %g, %k as input_gradient {accel.precision_reason = "too few"} : tensor<2x14x5xf32>, tensor<2x5x12xf32> -> tensor<2x14x12xf32>
  %r = accel.reshape %p : tensor<2x14x12xf32> -> tensor<2x2x7x3x4xf32>
  %t = accel.transpose %r [1, 2, 0, 4, 3] : tensor<2x2x7x3x4xf32> -> tensor<2x7x2x4x3xf32>
  %c = accel.reshape %t : tensor<2x7x2x4x3xf32> -> tensor<2x7x8x3xf32>
  %s = accel.sum_windows %c axes [1] sizes [3] strides [1] dilations [1] : tensor<2x7x8x3xf32> -> tensor<2x9x8xf32>
  return %s : tensor<2x9x8xf32>
}

// The gradient of a depthwise convolution's input: weights times slices of the gradient with zeros around it.
// CHECK-LABEL: func.func @depthwise_gradient
// CHECK-SAME: %[[G:.+]]: tensor<2x7x4xf32>
// CHECK-NOT: accel.sum_windows
// CHECK: %[[PADDED:.+]] = accel.concat %{{.+}}, %[[G]], %{{.+}} axis 1 : tensor<2x2x4xf32>, tensor<2x7x4xf32>, tensor<2x2x4xf32> -> tensor<2x11x4xf32>
// CHECK: accel.slice %[[PADDED]] [0, 0, 0] strides [1, 1, 1] : tensor<2x11x4xf32> -> tensor<2x9x4xf32>
// CHECK: accel.mul
// CHECK: accel.slice %[[PADDED]] [0, 1, 0]
// CHECK: accel.mul
// CHECK: accel.add
// CHECK: accel.slice %[[PADDED]] [0, 2, 0]
// CHECK: accel.mul
// CHECK: accel.add %{{.+}} : tensor<2x9x4xf32>
func.func @depthwise_gradient(%g: tensor<2x7x4xf32>, %k: tensor<4x3xf32>) -> tensor<2x9x4xf32> {
  %a = accel.broadcast %g [0, 1, 2] : tensor<2x7x4xf32> -> tensor<2x7x4x3xf32>
  %b = accel.broadcast %k [2, 3] : tensor<4x3xf32> -> tensor<2x7x4x3xf32>
  %p = accel.mul %a, %b : tensor<2x7x4x3xf32>
  %s = accel.sum_windows %p axes [1] sizes [3] strides [1] dilations [1] : tensor<2x7x4x3xf32> -> tensor<2x9x4xf32>
  return %s : tensor<2x9x4xf32>
}

// The gradient of a max pool: each element of a phase asks whether it was the first maximum of the windows that lie on it.
// CHECK-LABEL: func.func @pool_gradient
// CHECK-NOT: accel.sum_windows
// CHECK: accel.select %{{.+}} : tensor<2x4x4xi1>, tensor<2x4x4xf32>
// CHECK: accel.select %{{.+}} : tensor<2x4x4xi1>, tensor<2x4x4xf32>
// CHECK: %[[EVEN:.+]] = accel.add
// CHECK: accel.select %{{.+}} : tensor<2x4x4xi1>, tensor<2x4x4xf32>
// CHECK: accel.concat %{{.+}}, %{{.+}} axis 2 : tensor<2x4x1x4xf32>, tensor<2x4x1x4xf32> -> tensor<2x4x2x4xf32>
func.func @pool_gradient(%g: tensor<2x3x4xf32>, %i: tensor<2x3x4xi32>) -> tensor<2x7x4xf32> {
  %a = accel.broadcast %g [0, 1, 2] : tensor<2x3x4xf32> -> tensor<2x3x4x3xf32>
  %b = accel.broadcast %i [0, 1, 2] : tensor<2x3x4xi32> -> tensor<2x3x4x3xi32>
  %k = accel.iota 3 : tensor<2x3x4x3xi32>
  %zero = accel.constant dense<0.0> : tensor<2x3x4x3xf32>
  %is = accel.compare eq, %b, %k : tensor<2x3x4x3xi32> -> tensor<2x3x4x3xi1>
  %p = accel.select %is, %a, %zero : tensor<2x3x4x3xi1>, tensor<2x3x4x3xf32>
  %s = accel.sum_windows %p axes [1] sizes [3] strides [2] dilations [1] : tensor<2x3x4x3xf32> -> tensor<2x7x4xf32>
  return %s : tensor<2x7x4xf32>
}

// What a product of 16 bits rounds before it is summed is summed first, and then rounded.
// CHECK-LABEL: func @rounded
// CHECK: accel.windows %{{.+}} axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x5x6x8xbf16>
// CHECK: %[[SUMS:.+]] = accel.matmul %{{.+}}, %{{.+}} as input_gradient : tensor<12x72xbf16>, tensor<72x4xbf16> -> tensor<12x4xf32>
// CHECK-NEXT: %[[LOW:.+]] = accel.cast %[[SUMS]] : tensor<12x4xf32> -> tensor<12x4xbf16>
// CHECK-NEXT: %[[WIDE:.+]] = accel.cast %[[LOW]]
// CHECK: return
func.func @rounded(%g: tensor<12x8xbf16>, %w: tensor<8x36xbf16>) -> tensor<1x3x4x4xf32> {
  %0 = accel.matmul %g, %w as input_gradient : tensor<12x8xbf16>, tensor<8x36xbf16> -> tensor<12x36xf32>
  %1 = accel.cast %0 : tensor<12x36xf32> -> tensor<12x36xbf16>
  %2 = accel.cast %1 : tensor<12x36xbf16> -> tensor<12x36xf32>
  %3 = accel.reshape %2 : tensor<12x36xf32> -> tensor<1x3x4x3x3x4xf32>
  %4 = accel.transpose %3 [0, 1, 2, 5, 3, 4] : tensor<1x3x4x3x3x4xf32> -> tensor<1x3x4x4x3x3xf32>
  %5 = accel.sum_windows %4 axes [1, 2] sizes [3, 3] strides [1, 1] dilations [1, 1] : tensor<1x3x4x4x3x3xf32> -> tensor<1x5x6x4xf32>
  %6 = accel.slice %5 [0, 1, 1, 0] strides [1, 1, 1, 1] : tensor<1x5x6x4xf32> -> tensor<1x3x4x4xf32>
  return %6 : tensor<1x3x4x4xf32>
}

// What it does not round stays f32.
// CHECK-LABEL: func @wide
// CHECK: %[[SUMS:.+]] = accel.matmul %{{.+}}, %{{.+}} as input_gradient : tensor<4x24xbf16>, tensor<24x4xbf16> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUMMED:.+]] = accel.reshape %[[SUMS]]
// CHECK-NEXT: return %[[SUMMED]]
func.func @wide(%g: tensor<4x8xbf16>, %w: tensor<8x12xbf16>) -> tensor<1x4x4xf32> {
  %0 = accel.matmul %g, %w as input_gradient : tensor<4x8xbf16>, tensor<8x12xbf16> -> tensor<4x12xf32>
  %1 = accel.reshape %0 : tensor<4x12xf32> -> tensor<1x4x3x4xf32>
  %2 = accel.transpose %1 [0, 1, 3, 2] : tensor<1x4x3x4xf32> -> tensor<1x4x4x3xf32>
  %3 = accel.sum_windows %2 axes [1] sizes [3] strides [1] dilations [1] : tensor<1x4x4x3xf32> -> tensor<1x6x4xf32>
  %4 = accel.slice %3 [0, 1, 0] strides [1, 1, 1] : tensor<1x6x4xf32> -> tensor<1x4x4xf32>
  return %4 : tensor<1x4x4xf32>
}
