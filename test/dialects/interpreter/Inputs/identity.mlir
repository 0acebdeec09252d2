// A function for tests of the command line.
func.func @f(%x: tensor<2xf32> {accel.name = "x"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
