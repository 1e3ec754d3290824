/* SPDX-License-Identifier: MIT */
/* A sinc under Kaiser's window: the impulse response of low-passes and interpolators.
 *
 *   g(u) = sin(pi u)/(pi u) K(u/L),   K(x) = I0(beta sqrt(1 - x^2)) / I0(beta),  |u| <= L
 *
 * Source: Kaiser 1974; Oppenheim and Schafer, Discrete-Time Signal Processing, 3rd ed., 7.5.3.
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_NUM_KAISER_H
#define ARMATURE_CORE_NUM_KAISER_H

/* beta for ripple and stop band of -attenuation dB, 50 or more (Kaiser's formula). */
double arm_kaiser_beta(double attenuation_dB);

/* How long the window must be for a transition band of `width` cycles per unit of u: 2 L, by
 * Kaiser's formula. */
double arm_kaiser_length(double attenuation_dB, double width);

/* g, g' and g'' at u; zeros for |u| > L. */
void arm_kaiser_sinc(double beta, double l, double u, double g[3]);

#endif
