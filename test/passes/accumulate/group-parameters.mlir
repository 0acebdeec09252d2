// RUN: accel-opt %s --accel-group-parameters | FileCheck %s --check-prefix=NONE
// RUN: accel-opt %s --accel-group-parameters='rules={weight:lr=0.5x},{head[.]:lr=2.5e-4,decay=0.25},{head[.]weight:decay=0}' | FileCheck %s --check-prefix=RULES
// RUN: accel-opt %s --accel-group-parameters='layer-decay=0.5 rules={layer[.]1:lr=3x}' | FileCheck %s --check-prefix=LAYERS
// RUN: accel-opt %s --accel-group-parameters='decay=hf rules={mask:decay=0.5}' | FileCheck %s --check-prefix=HF

// Without a request nothing is said.
// NONE-NOT: lr_factor
// NONE-NOT: decay

// The last rule that has a property decides it, each property for itself; a rate is over the largest, 1e-3; what is frozen says nothing.
// RULES: accel.parameter @embeddings.position : tensor<8x4xf32> trainable
// RULES-NEXT: accel.parameter @encoder.layer.0.norm.weight : tensor<4xf32> trainable {lr_factor = 5.000000e-01 : f64}
// RULES-NEXT: accel.parameter @encoder.layer.0.fc.weight : tensor<4x4xf32> trainable {lr_factor = 5.000000e-01 : f64}
// RULES-NEXT: accel.parameter @encoder.layer.1.norm.weight : tensor<4xf32> trainable {lr_factor = 5.000000e-01 : f64}
// RULES-NEXT: accel.parameter @encoder.layer.1.fc.weight : tensor<4x4xf32> trainable {lr_factor = 5.000000e-01 : f64}
// RULES-NEXT: accel.parameter @encoder.mask : tensor<4xf32> trainable
// RULES-NEXT: accel.parameter @head.weight : tensor<4x4xf32> trainable {lr_factor = 2.500000e-01 : f64, weight_decay = 0.000000e+00 : f64}
// RULES-NEXT: accel.parameter @head.bias : tensor<4xf32> trainable {lr_factor = 2.500000e-01 : f64, weight_decay = 2.500000e-01 : f64}
// RULES-NEXT: accel.parameter @head.weight_scale : tensor<4xf32>
// RULES-NOT: {{lr_factor|weight_decay}}

// 0.5^(3 - layer): what is read in front of the blocks and between them is layer 0, and what is read behind them keeps its rate.
// LAYERS: accel.parameter @embeddings.position : tensor<8x4xf32> trainable {lr_factor = 1.250000e-01 : f64}
// LAYERS-NEXT: accel.parameter @encoder.layer.0.norm.weight : tensor<4xf32> trainable {lr_factor = 2.500000e-01 : f64}
// LAYERS-NEXT: accel.parameter @encoder.layer.0.fc.weight : tensor<4x4xf32> trainable {lr_factor = 2.500000e-01 : f64}
// LAYERS-NEXT: accel.parameter @encoder.layer.1.norm.weight : tensor<4xf32> trainable {lr_factor = 1.500000e+00 : f64}
// LAYERS-NEXT: accel.parameter @encoder.layer.1.fc.weight : tensor<4x4xf32> trainable {lr_factor = 1.500000e+00 : f64}
// LAYERS-NEXT: accel.parameter @encoder.mask : tensor<4xf32> trainable {lr_factor = 1.250000e-01 : f64}
// LAYERS-NEXT: accel.parameter @head.weight : tensor<4x4xf32> trainable
// LAYERS-NOT: lr_factor

// A layer norm by what reads it, whatever its name; others by their names.
// HF: accel.parameter @embeddings.position : tensor<8x4xf32> trainable {decays = true}
// HF-NEXT: accel.parameter @encoder.layer.0.norm.weight : tensor<4xf32> trainable {decays = false}
// HF-NEXT: accel.parameter @encoder.layer.0.fc.weight : tensor<4x4xf32> trainable {decays = true}
// HF-NEXT: accel.parameter @encoder.layer.1.norm.weight : tensor<4xf32> trainable {decays = false}
// HF-NEXT: accel.parameter @encoder.layer.1.fc.weight : tensor<4x4xf32> trainable {decays = true}
// HF-NEXT: accel.parameter @encoder.mask : tensor<4xf32> trainable {weight_decay = 5.000000e-01 : f64}
// HF-NEXT: accel.parameter @head.weight : tensor<4x4xf32> trainable {decays = true}
// HF-NEXT: accel.parameter @head.bias : tensor<4xf32> trainable {decays = false}
// HF-NEXT: accel.parameter @head.weight_scale : tensor<4xf32>
// HF-NEXT: accel.parameter @gamma : tensor<4xf32> trainable {decays = false}
// HF-NEXT: accel.parameter @normal : tensor<4xf32> trainable {decays = true}
accel.parameter @embeddings.position : tensor<8x4xf32> trainable
accel.parameter @encoder.layer.0.norm.weight : tensor<4xf32> trainable
accel.parameter @encoder.layer.0.fc.weight : tensor<4x4xf32> trainable
accel.parameter @encoder.layer.1.norm.weight : tensor<4xf32> trainable
accel.parameter @encoder.layer.1.fc.weight : tensor<4x4xf32> trainable
accel.parameter @encoder.mask : tensor<4xf32> trainable
accel.parameter @head.weight : tensor<4x4xf32> trainable
accel.parameter @head.bias : tensor<4xf32> trainable
accel.parameter @head.weight_scale : tensor<4xf32>
accel.parameter @gamma : tensor<4xf32> trainable
accel.parameter @normal : tensor<4xf32> trainable
func.func @step() attributes {accel.role = #accel.role<step>} {
  accel.repeat {
    // Reads stand anywhere: what computes with them says where they are used.
    %gamma = accel.read @gamma : tensor<4xf32>
    %bias = accel.read @head.bias : tensor<4xf32>
    %normal = accel.read @normal : tensor<4xf32>
    %head = accel.read @head.weight : tensor<4x4xf32>
    %turned = accel.transpose %head [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    %x = accel.input "x" : tensor<8x4xf32>
    %position = accel.read @embeddings.position : tensor<8x4xf32>
    %0 = accel.add %x, %position : tensor<8x4xf32>
    %w0 = accel.read @encoder.layer.0.norm.weight : tensor<4xf32>
    %1, %mean1, %rstd1 = accel.layer_norm %0, %w0 epsilon 1.0e-5 : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
    %f0 = accel.read @encoder.layer.0.fc.weight : tensor<4x4xf32>
    %2 = accel.matmul %1, %f0 : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %mask = accel.read @encoder.mask : tensor<4xf32>
    %masks = accel.broadcast %mask [1] : tensor<4xf32> -> tensor<8x4xf32>
    %3 = accel.mul %2, %masks : tensor<8x4xf32>
    %w1 = accel.read @encoder.layer.1.norm.weight : tensor<4xf32>
    %4, %mean4, %rstd4 = accel.layer_norm %3, %w1 epsilon 1.0e-5 : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
    %f1 = accel.read @encoder.layer.1.fc.weight : tensor<4x4xf32>
    %5 = accel.matmul %4, %f1 : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %6, %mean6, %rstd6 = accel.layer_norm %5, %gamma epsilon 1.0e-5 : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
    %7 = accel.matmul %6, %turned : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %biases = accel.broadcast %bias [1] : tensor<4xf32> -> tensor<8x4xf32>
    %8 = accel.add %7, %biases : tensor<8x4xf32>
    %normals = accel.broadcast %normal [1] : tensor<4xf32> -> tensor<8x4xf32>
    %9 = accel.mul %8, %normals : tensor<8x4xf32>
  }
  return
}
