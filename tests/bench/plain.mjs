// What a course author would write: plain loops over Float32Array, sums in doubles.

export function layerNorm(x, d, gamma, beta, eps, y) {
  for (let row = 0; row < x.length; row += d) {
    let mean = 0;
    for (let i = 0; i < d; i++) mean += x[row + i];
    mean /= d;
    let variance = 0;
    for (let i = 0; i < d; i++) variance += (x[row + i] - mean) ** 2;
    const rstd = 1 / Math.sqrt(variance / d + eps);
    for (let i = 0; i < d; i++) y[row + i] = (x[row + i] - mean) * rstd * gamma[i] + beta[i];
  }
}

export function layerNormBackward(x, dy, d, gamma, eps, dx, dgamma, dbeta) {
  dgamma.fill(0);
  dbeta.fill(0);
  for (let row = 0; row < x.length; row += d) {
    let mean = 0;
    let variance = 0;
    for (let i = 0; i < d; i++) mean += x[row + i];
    mean /= d;
    for (let i = 0; i < d; i++) variance += (x[row + i] - mean) ** 2;
    const rstd = 1 / Math.sqrt(variance / d + eps);
    let meanH = 0;
    let meanHx = 0;
    for (let i = 0; i < d; i++) {
      const xHat = (x[row + i] - mean) * rstd;
      const h = dy[row + i] * gamma[i];
      meanH += h;
      meanHx += h * xHat;
      dgamma[i] += dy[row + i] * xHat;
      dbeta[i] += dy[row + i];
    }
    meanH /= d;
    meanHx /= d;
    for (let i = 0; i < d; i++) {
      const xHat = (x[row + i] - mean) * rstd;
      dx[row + i] = rstd * (dy[row + i] * gamma[i] - meanH - xHat * meanHx);
    }
  }
}

/** y[n, out] = x[n, in] w[out, in]^T */
export function linear(x, w, n, nIn, nOut, y) {
  for (let i = 0; i < n; i++)
    for (let j = 0; j < nOut; j++) {
      let sum = 0;
      for (let k = 0; k < nIn; k++) sum += x[i * nIn + k] * w[j * nIn + k];
      y[i * nOut + j] = sum;
    }
}
