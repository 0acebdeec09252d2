// RUN: accel-opt %s --accel-insert-init --verify-diagnostics

// Every parameter without an initial value is named.
// expected-error@below {{expected an initial value of parameter 'first', got none; give the weights, or say how to make them with --init}}
accel.parameter @first : tensor<3xf32> trainable
// expected-error@below {{expected an initial value of parameter 'second', got none}}
accel.parameter @second : tensor<3xf32>
