/* SPDX-License-Identifier: MIT */
/* The window and its derivatives by power series of I_n(z)/z^n, which are even in z and so need
 * neither a root nor a limit at the ends of the window. */
#include "core/num/kaiser.h"

#include <math.h>

#define PI 3.14159265358979323846

double arm_kaiser_beta(double attenuation_dB) {
  return 0.1102 * (attenuation_dB - 8.7);
}

double arm_kaiser_length(double attenuation_dB, double width) {
  return (attenuation_dB - 7.95) / (2.285 * 2 * PI * width);
}

/* I_n(z)/z^n of z^2 >= 0: terms that are all positive, down to rounding. */
static double bessel_over(int n, double z_squared) {
  double term = 1;
  for (int k = 1; k <= n; k++)
    term /= 2 * k;
  double sum = term;
  for (int k = 1; term > 1e-17 * sum; k++) {
    term *= 0.25 * z_squared / k / (k + n);
    sum += term;
  }
  return sum;
}

/* sin(pi u)/(pi u) and its derivatives; by its series in (pi u)^2 where the quotients cancel. */
static void sinc(double u, double s[3]) {
  if (fabs(u) > 0.5) {
    s[0] = sin(PI * u) / (PI * u);
    s[1] = (cos(PI * u) - s[0]) / u;
    s[2] = -PI * PI * s[0] - 2 * s[1] / u;
    return;
  }
  const double w = PI * PI * u * u;
  double term = -1.0 / 6; /* (-1)^k w^(k-1) / (2k+1)! */
  s[0] = 1;
  s[1] = s[2] = 0;
  for (int k = 1; k <= 12; k++) {
    s[0] += w * term;
    s[1] += 2 * PI * PI * u * k * term;
    s[2] += PI * PI * 2 * k * (2 * k - 1) * term;
    term *= -w / (2 * k + 2) / (2 * k + 3);
  }
}

void arm_kaiser_sinc(double beta, double l, double u, double g[3]) {
  const double x = u / l;
  double s[3];
  g[0] = g[1] = g[2] = 0;
  if (fabs(x) > 1)
    return;
  sinc(u, s);
  const double bb = beta * beta;
  const double z_squared = bb * (1 - x * x);
  const double one = bessel_over(1, z_squared);
  const double scale = 1 / bessel_over(0, bb);
  const double k0 = scale * bessel_over(0, z_squared);
  const double k1 = -scale * bb * x * one / l;
  const double k2 = -scale * bb * (one - bb * x * x * bessel_over(2, z_squared)) / (l * l);
  g[0] = s[0] * k0;
  g[1] = s[1] * k0 + s[0] * k1;
  g[2] = s[2] * k0 + 2 * s[1] * k1 + s[0] * k2;
}
