// RUN: accel-opt --run=f --split-input-file %s | FileCheck %s

// The composites give what PyTorch gives in double for the same numbers.

// torch.nn.functional.gelu(x, approximate='none')
// CHECK: result #0: tensor<2x3xf64> = [ [0.832686, -0.102138, -0.164108], [0.340537, 0.628477, -0.169375] ]
func.func @f(%x: tensor<2x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}) -> (tensor<2x3xf64>) {
  %y = accel.gelu none, %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// -----

// torch.nn.functional.gelu(x, approximate='tanh')
// CHECK: result #0: tensor<2x3xf64> = [ [0.832536, -0.102139, -0.164235], [0.340521, 0.628393, -0.16943] ]
func.func @f(%x: tensor<2x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}) -> (tensor<2x3xf64>) {
  %y = accel.gelu tanh, %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// -----

// torch.nn.functional.gelu(x, approximate='none').backward(g)
// CHECK: result #0: tensor<2x3xf64> = [ [1.62203, -0.0750346, -0.126784], [0.64784, -1.01911, 0.0116929] ]
func.func @f(%g: tensor<2x3xf64> {accel.value = dense<[[1.5, -0.25, 2.0], [0.75, -1.0, 0.5]]> : tensor<2x3xf64>}, %x: tensor<2x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}) -> (tensor<2x3xf64>) {
  %y = accel.gelu_grad none, %g, %x : tensor<2x3xf64>, tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// -----

// torch.nn.functional.gelu(x, approximate='tanh').backward(g)
// CHECK: result #0: tensor<2x3xf64> = [ [1.62151, -0.0750398, -0.126077], [0.647749, -1.0188, 0.0118214] ]
func.func @f(%g: tensor<2x3xf64> {accel.value = dense<[[1.5, -0.25, 2.0], [0.75, -1.0, 0.5]]> : tensor<2x3xf64>}, %x: tensor<2x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}) -> (tensor<2x3xf64>) {
  %y = accel.gelu_grad tanh, %g, %x : tensor<2x3xf64>, tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// -----

// torch.nn.functional.layer_norm(x, (3,), scale, bias, 1e-5) and what it saves for backward
// CHECK: result #0: tensor<2x3xf64> = [ [1.42868, 0.480891, 0.468533], [0.748281, 1.62189, 0.339368] ]
// CHECK: result #1: tensor<2xf64> = [-0.0633333, 0.197333]
// CHECK: result #2: tensor<2xf64> = [1.25819, 1.54669]
func.func @f(%x: tensor<2x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}, %g: tensor<3xf64> {accel.value = dense<[0.783, 0.974, 0.427]> : tensor<3xf64>}, %b: tensor<3xf64> {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>) {
  %y, %mean, %rstd = accel.layer_norm %x, %g, %b epsilon 1.0e-5 : tensor<2x3xf64>, tensor<3xf64>, tensor<3xf64> -> tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>
  return %y, %mean, %rstd : tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>
}

// -----

// torch.nn.functional.batch_norm(x, None, None, scale, bias, True, 0.1, 1e-5); the mean over rows, and the biased variance
// CHECK: result #0: tensor<3x3xf64> = [ [1.38648, 0.0709406, 0.557301], [0.306599, 2.09355, 0.709243], [-0.526079, -0.0134949, 1.52946] ]
// CHECK: result #1: tensor<3xf64> = [0.532, 0.0806667, -0.368667]
// CHECK: result #2: tensor<3xf64> = [0.130376, 0.257606, 0.403377]
func.func @f(%x: tensor<3x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7], [0.11, -0.3, 0.52]]> : tensor<3x3xf64>}, %g: tensor<3xf64> {accel.value = dense<[0.783, 0.974, 0.427]> : tensor<3xf64>}, %b: tensor<3xf64> {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y, %mean, %variance = accel.batch_norm %x, %g, %b, %b, %b along 0 epsilon 1.0e-5 momentum 0.1 : tensor<3x3xf64>, tensor<3xf64>
  return %y, %mean, %variance : tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>
}

// -----

// The same of the first two rows, by whose statistics the third one is normalised, too: it is padding.
// CHECK: result #0: tensor<3x3xf64> = [ [1.17194, -0.256982, 0.505167], [-0.393937, 1.69098, 1.35883], [-1.60136, -0.338302, 5.96712] ]
// CHECK: result #1: tensor<3xf64> = [0.743, 0.271, -0.813]
// CHECK: result #2: tensor<3xf64> = [0.062001, 0.277729, 0.012769]
func.func @f(%x: tensor<3x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7], [0.11, -0.3, 0.52]]> : tensor<3x3xf64>}, %g: tensor<3xf64> {accel.value = dense<[0.783, 0.974, 0.427]> : tensor<3xf64>}, %b: tensor<3xf64> {accel.value = dense<[0.389, 0.717, 0.932]> : tensor<3xf64>}, %w: tensor<3xf64> {accel.value = dense<[1.0, 1.0, 0.0]> : tensor<3xf64>}) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y, %mean, %variance = accel.batch_norm %x, %g, %b, %b, %b weights %w along 0 epsilon 1.0e-5 momentum 0.1 : tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>
  return %y, %mean, %variance : tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>
}

// -----

// Of a single row that counts there is no variance, so all rows become the bias.
// CHECK: result #0: tensor<3x2xf64> = {{\[ \[}}0.389, 0.717], [0.389, 0.717], [0.389, 0.717] ]
// CHECK: result #1: tensor<2xf64> = [0.494, 0.798]
func.func @f(%x: tensor<3x2xf64> {accel.value = dense<[[0.992, -0.256], [0.494, 0.798], [0.11, -0.3]]> : tensor<3x2xf64>}, %g: tensor<2xf64> {accel.value = dense<[0.783, 0.974]> : tensor<2xf64>}, %b: tensor<2xf64> {accel.value = dense<[0.389, 0.717]> : tensor<2xf64>}, %w: tensor<3xf64> {accel.value = dense<[0.0, 1.0, 0.0]> : tensor<3xf64>}) -> (tensor<3x2xf64>, tensor<2xf64>) {
  %y, %mean, %variance = accel.batch_norm %x, %g, %b, %b, %b weights %w along 0 epsilon 1.0e-5 momentum 0.1 : tensor<3x2xf64>, tensor<2xf64>, tensor<3xf64>
  return %y, %mean : tensor<3x2xf64>, tensor<2xf64>
}

// -----

// torch.softmax(x, 1)
// CHECK: result #0: tensor<2x3xf64> = [ [0.69736, 0.200197, 0.102443], [0.376184, 0.50983, 0.113986] ]
func.func @f(%x: tensor<2x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}) -> (tensor<2x3xf64>) {
  %y = accel.softmax %x : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// -----

// torch.nn.functional.cross_entropy(x, l, ignore_index=-100, reduction='none') and torch.logsumexp(x, 1)
// CHECK: result #0: tensor<2xf64> = [1.60845, 0]
// CHECK: result #1: tensor<2xf64> = [1.35245, 1.47168]
func.func @f(%x: tensor<2x3xf64> {accel.value = dense<[[0.992, -0.256, -0.926], [0.494, 0.798, -0.7]]> : tensor<2x3xf64>}, %l: tensor<2xi64> {accel.value = dense<[1, -100]> : tensor<2xi64>}) -> (tensor<2xf64>, tensor<2xf64>) {
  %y, %lse = accel.softmax_cross_entropy %x, %l : tensor<2x3xf64>, tensor<2xi64> -> tensor<2xf64>, tensor<2xf64>
  return %y, %lse : tensor<2xf64>, tensor<2xf64>
}

// -----

// torch.nn.functional.scaled_dot_product_attention, causal, more columns than rows, and its gradients for dy
// CHECK: result #0: tensor<1x2x2x1xf64> = [ [ [ [0.586629], [0.207488] ], [ [0.216962], [-0.179022] ] ] ]
// CHECK: result #1: tensor<1x2x2xf64> = [ [ [0.947067, 1.18021], [0.844779, 1.18274] ] ]
// CHECK: result #2: tensor<1x2x2x2xf64> = [ [ [ [0.108179, 0.181502], [-0.248228, -0.220013] ], [ [0.0878557, 0.096301], [0.028799, -0.00985385] ] ] ]
// CHECK: result #3: tensor<1x2x3x2xf64> = [ [ [ [-0.097236, 0.0380538], [0.0195847, -0.0681966], [0.0776514, 0.0301428] ], [ [-0.0410259, -0.0656393], [0.0153344, 0.0491308], [0.0256915, 0.0165085] ] ] ]
// CHECK: result #4: tensor<1x2x3x1xf64> = [ [ [ [0.0603846], [-0.0711272], [-0.237257] ], [ [0.196776], [0.533512], [0.0707115] ] ] ]
func.func @f(%q: tensor<1x2x2x2xf64> {accel.value = dense<[[[[0.644, 0.985], [0.863, 0.335]], [[-0.351, -0.872], [-0.982, -0.631]]]]> : tensor<1x2x2x2xf64>}, %k: tensor<1x2x3x2xf64> {accel.value = dense<[[[[0.891, 0.808], [-0.158, -0.952], [-0.706, 0.312]], [[0.988, 0.585], [-0.458, -1.0], [-0.45, 0.592]]]]> : tensor<1x2x3x2xf64>}, %v: tensor<1x2x3x1xf64> {accel.value = dense<[[[[0.946], [-0.612], [-0.551]], [[0.968], [-0.075], [-0.919]]]]> : tensor<1x2x3x1xf64>}, %dy: tensor<1x2x2x1xf64> {accel.value = dense<[[[[0.746], [-0.994]], [[0.578], [0.223]]]]> : tensor<1x2x2x1xf64>}) -> (tensor<1x2x2x1xf64>, tensor<1x2x2xf64>, tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x1xf64>) {
  %y, %lse = accel.attention %q, %k, %v scale 0.5 causal : tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x1xf64> -> tensor<1x2x2x1xf64>, tensor<1x2x2xf64>
  %dq, %dk, %dv = accel.attention_grad %dy, %q, %k, %v, %y, %lse scale 0.5 causal : tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x1xf64>, tensor<1x2x2x1xf64>, tensor<1x2x2xf64>
  return %y, %lse, %dq, %dk, %dv : tensor<1x2x2x1xf64>, tensor<1x2x2xf64>, tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x1xf64>
}

// -----

// The same with a boolean mask over both samples and heads
// CHECK: result #0: tensor<2x1x2x2xf64> = [ [ [ [0.202501, 0.172722], [-0.551, 0.968] ] ], [ [ [0.265672, -0.276524], [0.67, 0.486] ] ] ]
// CHECK: result #1: tensor<2x1x2xf64> = [ [ [0.829939, 0.19897] ], [ [0.57707, -0.07973] ] ]
// CHECK: result #2: tensor<2x1x2x1xf64> = [ [ [ [0.0139397], [0] ] ], [ [ [-0.033225], [0] ] ] ]
// CHECK: result #3: tensor<2x1x2x1xf64> = [ [ [ [0.108158], [-0.108158] ] ], [ [ [-0.0361123], [0.0361123] ] ] ]
// CHECK: result #4: tensor<2x1x2x2xf64> = [ [ [ [0.375492, -0.500321], [0.948508, -0.270679] ] ], [ [ [-0.474882, 0.51233], [-0.782118, -0.00332952] ] ] ]
func.func @f(%q: tensor<2x1x2x1xf64> {accel.value = dense<[[[[0.644], [0.985]]], [[[0.863], [0.335]]]]> : tensor<2x1x2x1xf64>}, %k: tensor<2x1x2x1xf64> {accel.value = dense<[[[[0.891], [0.808]]], [[[-0.158], [-0.952]]]]> : tensor<2x1x2x1xf64>}, %v: tensor<2x1x2x2xf64> {accel.value = dense<[[[[0.946, -0.612], [-0.551, 0.968]]], [[[-0.075, -0.919], [0.67, 0.486]]]]> : tensor<2x1x2x2xf64>}, %dy: tensor<2x1x2x2xf64> {accel.value = dense<[[[[0.746, -0.994], [0.578, 0.223]]], [[[-0.875, 0.944], [-0.382, -0.435]]]]> : tensor<2x1x2x2xf64>}, %m: tensor<1x1x2x2xi1> {accel.value = dense<[[[[true, true], [false, true]]]]> : tensor<1x1x2x2xi1>}) -> (tensor<2x1x2x2xf64>, tensor<2x1x2xf64>, tensor<2x1x2x1xf64>, tensor<2x1x2x1xf64>, tensor<2x1x2x2xf64>) {
  %y, %lse = accel.attention %q, %k, %v mask %m : tensor<1x1x2x2xi1> scale 0.25 : tensor<2x1x2x1xf64>, tensor<2x1x2x1xf64>, tensor<2x1x2x2xf64> -> tensor<2x1x2x2xf64>, tensor<2x1x2xf64>
  %dq, %dk, %dv = accel.attention_grad %dy, %q, %k, %v, %y, %lse mask %m : tensor<1x1x2x2xi1> scale 0.25 : tensor<2x1x2x1xf64>, tensor<2x1x2x1xf64>, tensor<2x1x2x2xf64>, tensor<2x1x2x2xf64>, tensor<2x1x2xf64>
  return %y, %lse, %dq, %dk, %dv : tensor<2x1x2x2xf64>, tensor<2x1x2xf64>, tensor<2x1x2x1xf64>, tensor<2x1x2x1xf64>, tensor<2x1x2x2xf64>
}

// -----

// The same with an additive mask per head
// CHECK: result #0: tensor<1x2x1x2xf64> = [ [ [ [0.524154, -0.166765] ], [ [0.458569, 0.0872607] ] ] ]
// CHECK: result #1: tensor<1x2x1xf64> = [ [ [1.31184], [1.79011] ] ]
// CHECK: result #2: tensor<1x2x1x2xf64> = [ [ [ [0.285259, 0.478605] ], [ [0.128074, 0.02064] ] ] ]
// CHECK: result #3: tensor<1x2x2x2xf64> = [ [ [ [0.175126, 0.267856], [-0.175126, -0.267856] ], [ [-0.0652464, -0.0253274], [0.0652464, 0.0253274] ] ] ]
// CHECK: result #4: tensor<1x2x2x2xf64> = [ [ [ [0.535781, -0.713896], [0.210219, -0.280104] ], [ [0.164037, 0.0632875], [0.413963, 0.159713] ] ] ]
func.func @f(%q: tensor<1x2x1x2xf64> {accel.value = dense<[[[[0.644, 0.985]], [[0.863, 0.335]]]]> : tensor<1x2x1x2xf64>}, %k: tensor<1x2x2x2xf64> {accel.value = dense<[[[[0.891, 0.808], [-0.158, -0.952]], [[-0.706, 0.312], [0.988, 0.585]]]]> : tensor<1x2x2x2xf64>}, %v: tensor<1x2x2x2xf64> {accel.value = dense<[[[[0.946, -0.612], [-0.551, 0.968]], [[-0.075, -0.919], [0.67, 0.486]]]]> : tensor<1x2x2x2xf64>}, %dy: tensor<1x2x1x2xf64> {accel.value = dense<[[[[0.746, -0.994]], [[0.578, 0.223]]]]> : tensor<1x2x1x2xf64>}, %m: tensor<1x2x1x2xf64> {accel.value = dense<[[[[0.296, 0.565]], [[0.783, 0.932]]]]> : tensor<1x2x1x2xf64>}) -> (tensor<1x2x1x2xf64>, tensor<1x2x1xf64>, tensor<1x2x1x2xf64>, tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64>) {
  %y, %lse = accel.attention %q, %k, %v mask %m : tensor<1x2x1x2xf64> scale 0.5 : tensor<1x2x1x2xf64>, tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64> -> tensor<1x2x1x2xf64>, tensor<1x2x1xf64>
  %dq, %dk, %dv = accel.attention_grad %dy, %q, %k, %v, %y, %lse mask %m : tensor<1x2x1x2xf64> scale 0.5 : tensor<1x2x1x2xf64>, tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64>, tensor<1x2x1x2xf64>, tensor<1x2x1xf64>
  return %y, %lse, %dq, %dk, %dv : tensor<1x2x1x2xf64>, tensor<1x2x1xf64>, tensor<1x2x1x2xf64>, tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64>
}
