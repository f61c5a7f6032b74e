// Philox4x32-10 (Salmon et al. 2011), a counter-based generator: the same bits as on the CPU.

// { high word, low word } of a b. Products of 16-bit halves, with a carry each, stay below 2^32.
fn multiply_wide(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let cross = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return vec2u((a >> 16u) * (b >> 16u) + (middle >> 16u) + (cross >> 16u), a * b);
}

// Words 4 block … 4 block + 3 of the stream.
fn random_block(seed: u32, purpose: u32, stream: u32, step: u32, block: u32) -> vec4u {
  var counter = vec4u(block, step, stream, 0u);
  var key = vec2u(seed, purpose);
  for (var round = 0u; round < 10u; round += 1u) {
    let a = multiply_wide(0xD2511F53u, counter.x);
    let b = multiply_wide(0xCD9E8D57u, counter.z);
    counter = vec4u(b.x ^ counter.y ^ key.x, b.y, a.x ^ counter.w ^ key.y, a.y);
    key += vec2u(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}
