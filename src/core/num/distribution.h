/* SPDX-License-Identifier: MIT */
/* Upper tails of the distributions that tests of significance need. Relative accuracy about 1e-12
 * down to 1e-300, so that "how significant" keeps its meaning far out.
 *
 * Q(x) = P(X > x). All return NAN when an argument is NAN or a number of degrees of freedom is not
 * positive, 1 for x <= 0 (t: by symmetry). Degrees of freedom need not be whole.
 * Sources: Abramowitz and Stegun 6.1.40 (log Gamma), 6.5.29, 6.5.31 (incomplete gamma), 26.5.8
 * (incomplete beta as a continued fraction), 26.6.2 (F), 26.7.1 (t).
 */
#ifndef ARMATURE_CORE_DISTRIBUTION_H
#define ARMATURE_CORE_DISTRIBUTION_H

/* chi^2 with `dof` degrees of freedom. */
double arm_chi2_upper(double x, double dof);

/* F with (dof1, dof2) degrees of freedom. */
double arm_f_upper(double x, double dof1, double dof2);

/* Student's t, one-sided. */
double arm_t_upper(double x, double dof);

#endif
