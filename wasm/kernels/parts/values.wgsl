// Kernels that go value by value: a lane takes n_each of them, n_lane apart, so that neighbours read neighbours.
const n_lane = 128u;
const n_each = 4u;
