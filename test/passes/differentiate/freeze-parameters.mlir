// RUN: accel-opt %s --accel-freeze-parameters | FileCheck %s --check-prefix=ALL
// RUN: accel-opt %s --accel-freeze-parameters=rules=freeze=^backbone[.] | FileCheck %s --check-prefix=HEAD
// RUN: accel-opt %s --accel-freeze-parameters=rules=train=bias$ | FileCheck %s --check-prefix=BIAS
// RUN: accel-opt %s --accel-freeze-parameters=rules=freeze=backbone,train=backbone.1,freeze=bias | FileCheck %s --check-prefix=LAST

// Without rules everything trains that may; what is not trainable never becomes so.
// ALL: accel.parameter @backbone.0.weight : tensor<4x4xf32> trainable
// ALL: accel.parameter @backbone.0.bias : tensor<4xf32> trainable
// ALL: accel.parameter @backbone.1.weight : tensor<4x4xf32> trainable
// ALL: accel.parameter @head.weight : tensor<4x4xf32> trainable
// ALL: accel.parameter @head.bias : tensor<4xf32>{{$}}

// A list that begins with freeze says what does not train.
// HEAD: accel.parameter @backbone.0.weight : tensor<4x4xf32>{{$}}
// HEAD: accel.parameter @backbone.0.bias : tensor<4xf32>{{$}}
// HEAD: accel.parameter @backbone.1.weight : tensor<4x4xf32>{{$}}
// HEAD: accel.parameter @head.weight : tensor<4x4xf32> trainable

// One that begins with train says what trains alone.
// BIAS: accel.parameter @backbone.0.weight : tensor<4x4xf32>{{$}}
// BIAS: accel.parameter @backbone.0.bias : tensor<4xf32> trainable
// BIAS: accel.parameter @backbone.1.weight : tensor<4x4xf32>{{$}}
// BIAS: accel.parameter @head.weight : tensor<4x4xf32>{{$}}
// BIAS: accel.parameter @head.bias : tensor<4xf32>{{$}}

// The last rule that matches decides.
// LAST: accel.parameter @backbone.0.weight : tensor<4x4xf32>{{$}}
// LAST: accel.parameter @backbone.0.bias : tensor<4xf32>{{$}}
// LAST: accel.parameter @backbone.1.weight : tensor<4x4xf32> trainable
// LAST: accel.parameter @head.weight : tensor<4x4xf32> trainable
accel.parameter @backbone.0.weight : tensor<4x4xf32> trainable
accel.parameter @backbone.0.bias : tensor<4xf32> trainable
accel.parameter @backbone.1.weight : tensor<4x4xf32> trainable
accel.parameter @head.weight : tensor<4x4xf32> trainable
accel.parameter @head.bias : tensor<4xf32>
