/**
 * Every formula that the page shows, once: TeX for the picture, a sentence in each language for the ear.
 * generate.mjs turns them into MathML, so that nothing typesets in the browser.
 */
const raw = String.raw;

export const formulas = {
  ln: {
    tex: raw`\mathrm{LN}(x)=\gamma\odot\frac{x-\mu}{\sqrt{\sigma^2+\epsilon}}+\beta`,
    en: 'LayerNorm of x equals gamma times, feature by feature, x minus mu over the square root of sigma squared plus epsilon, plus beta',
    ko: '엑스의 레이어 정규화는, 엑스 빼기 뮤를 시그마 제곱 더하기 엡실론의 제곱근으로 나누고, 피처마다 감마를 곱하고 베타를 더한 것',
  },
  'ln-mean': {
    tex: raw`\mu=\frac{1}{d}\sum_{i=1}^{d}x_i`,
    en: 'mu equals one over d times the sum of x i for i from 1 to d',
    ko: '뮤는 엑스 아이를 1부터 디까지 더해 디로 나눈 값',
  },
  centred: {
    tex: raw`x_i-\mu`,
    en: 'x i minus mu',
    ko: '엑스 아이 빼기 뮤',
  },
  'ln-sigma': {
    tex: raw`\sigma=\sqrt{\frac{1}{d}\sum_{i=1}^{d}(x_i-\mu)^2}`,
    en: 'sigma equals the square root of one over d times the sum of x i minus mu, squared',
    ko: '시그마는 엑스 아이 빼기 뮤의 제곱을 모두 더해 디로 나눈 값의 제곱근',
  },
  normalized: {
    tex: raw`\hat{x}_i=\frac{x_i-\mu}{\sqrt{\sigma^2+\epsilon}}`,
    en: 'x hat i equals x i minus mu, over the square root of sigma squared plus epsilon',
    ko: '엑스 햇 아이는 엑스 아이 빼기 뮤를 시그마 제곱 더하기 엡실론의 제곱근으로 나눈 값',
  },
  affine: {
    tex: raw`y_i=\gamma_i\,\hat{x}_i+\beta_i`,
    en: 'y i equals gamma i times x hat i plus beta i',
    ko: '와이 아이는 감마 아이 곱하기 엑스 햇 아이 더하기 베타 아이',
  },
  'bn-mean': {
    tex: raw`\mu_j=\frac{1}{n}\sum_{i=1}^{n}x_{ij}`,
    en: 'mu j equals one over n times the sum of x i j over the n rows',
    ko: '뮤 제이는 엑스 아이 제이를 엔 개의 행에 대해 더해 엔으로 나눈 값',
  },
  'bn-sigma': {
    tex: raw`\sigma_j=\sqrt{\frac{1}{n}\sum_{i=1}^{n}(x_{ij}-\mu_j)^2}`,
    en: 'sigma j equals the square root of one over n times the sum over the rows of x i j minus mu j, squared',
    ko: '시그마 제이는 엑스 아이 제이 빼기 뮤 제이의 제곱을 엔 개의 행에 대해 더해 엔으로 나눈 값의 제곱근',
  },
  'bn-centred': {
    tex: raw`x_{ij}-\mu_j`,
    en: 'x i j minus mu j',
    ko: '엑스 아이 제이 빼기 뮤 제이',
  },
  'bn-normalized': {
    tex: raw`\hat{x}_{ij}=\frac{x_{ij}-\mu_j}{\sqrt{\sigma_j^2+\epsilon}}`,
    en: 'x hat i j equals x i j minus mu j, over the square root of sigma j squared plus epsilon',
    ko: '엑스 햇 아이 제이는 엑스 아이 제이 빼기 뮤 제이를 시그마 제이 제곱 더하기 엡실론의 제곱근으로 나눈 값',
  },
  'bn-affine': {
    tex: raw`y_{ij}=\gamma_j\,\hat{x}_{ij}+\beta_j`,
    en: 'y i j equals gamma j times x hat i j plus beta j',
    ko: '와이 아이 제이는 감마 제이 곱하기 엑스 햇 아이 제이 더하기 베타 제이',
  },
  rms: {
    tex: raw`\mathrm{rms}=\sqrt{\frac{1}{d}\sum_{i=1}^{d}x_i^2}`,
    en: 'r m s equals the square root of one over d times the sum of x i squared',
    ko: '알엠에스는 엑스 아이의 제곱을 모두 더해 디로 나눈 값의 제곱근',
  },
  'rms-normalized': {
    tex: raw`\hat{x}_i=\frac{x_i}{\sqrt{\mathrm{rms}^2+\epsilon}}`,
    en: 'x hat i equals x i over the square root of r m s squared plus epsilon',
    ko: '엑스 햇 아이는 엑스 아이를 알엠에스 제곱 더하기 엡실론의 제곱근으로 나눈 값',
  },
  'rms-affine': {
    tex: raw`y_i=\gamma_i\,\hat{x}_i`,
    en: 'y i equals gamma i times x hat i',
    ko: '와이 아이는 감마 아이 곱하기 엑스 햇 아이',
  },
  rmsnorm: {
    tex: raw`\mathrm{RMSNorm}(x)=\gamma\odot\frac{x}{\sqrt{\frac{1}{d}\sum_i x_i^2+\epsilon}}`,
    en: 'RMSNorm of x equals gamma times, feature by feature, x over the square root of the mean of the squares plus epsilon',
    ko: '엑스의 알엠에스 정규화는 엑스를 제곱의 평균 더하기 엡실론의 제곱근으로 나누고 피처마다 감마를 곱한 것',
  },
  residual: {
    tex: raw`y=x+f(x)`,
    en: 'y equals x plus f of x',
    ko: '와이는 엑스 더하기 에프 엑스',
  },
  'residual-gradient': {
    tex: raw`\frac{\partial y}{\partial x}=I+\frac{\partial f}{\partial x}`,
    en: 'the derivative of y by x equals the identity plus the derivative of f by x',
    ko: '와이를 엑스로 미분하면 항등 행렬 더하기 에프를 엑스로 미분한 것',
  },
  'post-ln': {
    tex: raw`x_{l+1}=\mathrm{N}(x_l+f(x_l))`,
    en: 'x l plus 1 equals the norm of x l plus f of x l',
    ko: '엑스 엘 플러스 일은, 엑스 엘 더하기 에프 엑스 엘을 정규화한 것',
  },
  'pre-ln': {
    tex: raw`x_{l+1}=x_l+f(\mathrm{N}(x_l))`,
    en: 'x l plus 1 equals x l plus f of the norm of x l',
    ko: '엑스 엘 플러스 일은, 엑스 엘 더하기, 정규화한 엑스 엘의 에프',
  },
  'peri-ln': {
    tex: raw`x_{l+1}=x_l+\mathrm{N}_{\text{out}}(f(\mathrm{N}_{\text{in}}(x_l)))`,
    en: 'x l plus 1 equals x l plus the output norm of f of the input norm of x l',
    ko: '엑스 엘 플러스 일은, 엑스 엘 더하기, 입력을 정규화해 에프를 거친 값을 출력에서 다시 정규화한 것',
  },
  'peri-bound': {
    tex: raw`\overline{|x_D|}\;\le\;\overline{|x_0|}+\Delta t\sum_{i=1}^{D}(\mathrm{rms}(\gamma_i)+\overline{|\beta_i|})`,
    en: 'the mean absolute value of x D is at most that of x 0 plus delta t times the sum over the D steps of the r m s of gamma i plus the mean absolute value of beta i',
    ko: '엑스 디의 평균 절댓값은, 엑스 영의 평균 절댓값에, 감마 아이의 알엠에스와 베타 아이의 평균 절댓값을 더한 값을 디 단계에 걸쳐 더하고 델타 티를 곱한 것을, 더한 값 이하',
  },
};
