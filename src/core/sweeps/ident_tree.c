/* SPDX-License-Identifier: MIT */
/* Ratios as products along a tree of edges instead of the printed chain (Lin 1994 (24)), which
 * breaks where a T joint is parallel to the R joint before it. Derivatives leave the factor out
 * instead of dividing by it: an edge may be 0. */
#include "core/sweeps/ident_internal.h"

#include <math.h>
#include <string.h>

void arm_ident_tree_init(ArmIdentTree *tree, size_t n) {
  memset(tree, 0, sizeof *tree);
  tree->n = n;
  for (size_t i = 0; i < n; i++) {
    tree->edge[i] = ARM_IDENT_NONE;
    tree->acceleration[i] = ARM_IDENT_NONE;
    for (int t = 0; t < ARM_TERMS; t++)
      tree->term[i][t] = ARM_IDENT_NONE;
    tree->parent[i] = -1;
  }
}

void arm_ident_tree_add_own(ArmIdentTree *tree, const ArmStructure *structure, size_t i) {
  const bool is_translational = structure->sigma[i] || structure->sigma_hat[i];
  tree->own[i] = tree->count;
  tree->own_count[i] = !structure->has_own[i] ? 0 : is_translational ? 1 : 2;
  tree->count += tree->own_count[i];
}

void arm_ident_tree_add_joint(ArmIdentTree *tree, const ArmStructure *structure, size_t i,
                              bool has_acceleration) {
  tree->own[i] = tree->count;
  if (!tree->is_unswept[i])
    arm_ident_tree_add_own(tree, structure, i);
  tree->friction[i] = tree->count;
  tree->count += 4;
  if (has_acceleration)
    tree->acceleration[i] = tree->count++;
  tree->is_node[i] = structure->has_own[i];
}

void arm_ident_tree_add_term(ArmIdentTree *tree, size_t i, ArmFrictionTerm term) {
  tree->term[i][term] = tree->count++;
}

void arm_ident_tree_add_edge(ArmIdentTree *tree, size_t parent, size_t child) {
  tree->edge[child] = tree->count++;
  tree->parent[child] = (int)parent;
}

void arm_ident_tree_drop_edge(ArmIdentTree *tree, size_t child) {
  tree->edge[child] = ARM_IDENT_NONE;
  tree->parent[child] = -1;
  tree->count--;
}

bool arm_ident_tree_path(const ArmIdentTree *tree, const double *theta, size_t i, size_t j,
                         double *rho) {
  double product = 1.0;
  int at = (int)j;
  while (at >= 0 && at != (int)i) {
    if (rho && tree->edge[at] != ARM_IDENT_NONE)
      product *= theta[tree->edge[at]];
    at = tree->parent[at];
  }
  if (at < 0)
    return false;
  if (rho)
    *rho = product;
  return true;
}

/* the edge of an unswept joint is 1 and no parameter */
static double edge_value(const ArmIdentTree *tree, const double *theta, size_t child) {
  return tree->edge[child] == ARM_IDENT_NONE ? 1.0 : theta[tree->edge[child]];
}

/* product of the edges between i and j without edge `skip` (a ratio may be exactly 0: no division)
 */
static double path_without(const ArmIdentTree *tree, const double *theta, size_t i, size_t j,
                           size_t skip) {
  double product = 1.0;
  for (int at = (int)j; at != (int)i; at = tree->parent[at])
    if ((size_t)at != skip)
      product *= edge_value(tree, theta, (size_t)at);
  return product;
}

static void derive_outboard(const ArmIdentTree *tree, const double *theta, size_t i, size_t j,
                            size_t columns, double *jacobian) {
  for (size_t a = 0; a < tree->own_count[j]; a++) {
    const size_t column = 2 * (j - i) + a;
    const double w = theta[tree->own[j] + a];
    double rho = 1.0;
    if (!arm_ident_tree_path(tree, theta, i, j, &rho))
      return;
    jacobian[column + (tree->own[j] + a) * columns] = tree->is_fixed[tree->own[j] + a] ? 0.0 : rho;
    for (int at = (int)j; at != (int)i; at = tree->parent[at])
      if (tree->edge[at] != ARM_IDENT_NONE)
        jacobian[column + tree->edge[at] * columns] =
            w * path_without(tree, theta, i, j, (size_t)at);
  }
}

/* product of the edges between i and j without edges a and b */
static double path_without_two(const ArmIdentTree *tree, const double *theta, size_t i, size_t j,
                               size_t a, size_t b) {
  double product = 1.0;
  for (int at = (int)j; at != (int)i; at = tree->parent[at])
    if ((size_t)at != a && (size_t)at != b)
      product *= edge_value(tree, theta, (size_t)at);
  return product;
}

void arm_ident_curvature(const ArmIdentTree *tree, const double *theta, size_t i, const double *v,
                         double *h) {
  const size_t n = tree->count;
  for (size_t j = i + 1; j < tree->n; j++) {
    if (!arm_ident_tree_path(tree, theta, i, j, NULL))
      continue;
    for (size_t a = 0; a < tree->own_count[j]; a++) {
      const size_t w = tree->own[j] + a;
      const double weight = v[2 * (j - i) + a];
      for (int e = (int)j; e != (int)i; e = tree->parent[e]) {
        const size_t at = tree->edge[e];
        if (at == ARM_IDENT_NONE)
          continue;
        const double slope = weight * path_without(tree, theta, i, j, (size_t)e);
        if (!tree->is_fixed[w]) {
          h[w + at * n] += slope;
          h[at + w * n] += slope;
        }
        for (int f = (int)j; f != (int)i; f = tree->parent[f])
          if (f != e && tree->edge[f] != ARM_IDENT_NONE)
            h[at + tree->edge[f] * n] +=
                weight * theta[w] * path_without_two(tree, theta, i, j, (size_t)e, (size_t)f);
      }
    }
  }
}

size_t arm_ident_tree_own(const ArmIdentTree *tree, size_t i, size_t *at) {
  size_t count = 0;
  for (; count < 4; count++)
    at[count] = tree->friction[i] + count;
  if (tree->acceleration[i] != ARM_IDENT_NONE)
    at[count++] = tree->acceleration[i];
  for (int t = 0; t < ARM_TERMS; t++)
    if (tree->term[i][t] != ARM_IDENT_NONE)
      at[count++] = tree->term[i][t];
  return count;
}

void arm_ident_coefficients(const ArmIdentTree *tree, const ArmModel *model, const double *theta,
                            size_t i, double *c, double *j) {
  const size_t gravity = 2 * (model->n - i);
  size_t own[ARM_IDENT_OWN];
  const size_t extra = arm_ident_tree_own(tree, i, own), columns = gravity + extra;
  if (c)
    memset(c, 0, columns * sizeof *c);
  if (j)
    memset(j, 0, columns * tree->count * sizeof *j);
  for (size_t k = i; k < model->n; k++) {
    double rho = 1.0;
    if (!arm_ident_tree_path(tree, theta, i, k, &rho))
      continue;
    for (size_t a = 0; c && a < tree->own_count[k]; a++)
      c[2 * (k - i) + a] = rho * theta[tree->own[k] + a];
    if (j)
      derive_outboard(tree, theta, i, k, columns, j);
  }
  for (size_t f = 0; f < extra; f++) {
    if (c)
      c[gravity + f] = theta[own[f]];
    if (j)
      j[gravity + f + own[f] * columns] = 1.0;
  }
}

static bool known_eta(const ArmModel *model, size_t joint, const bool *is_torque, double *eta,
                      double *rel_sd) {
  if (!is_torque || !is_torque[joint])
    return arm_model_nominal_eta(model, joint, eta, rel_sd);
  *eta = 1.0;
  *rel_sd = 0.0;
  return true;
}

void arm_ident_prior(const ArmModel *model, size_t parent, size_t child, const bool *is_torque,
                     double *mean, double *sd) {
  double eta_p, eta_c, sd_p, sd_c;
  const bool is_mixed =
      model->joints[parent].type == ARM_JOINT_R && model->joints[child].type == ARM_JOINT_T;
  *mean = 0.0;
  *sd = is_mixed ? 10.0 : 1.0;
  if (!known_eta(model, parent, is_torque, &eta_p, &sd_p) ||
      !known_eta(model, child, is_torque, &eta_c, &sd_c))
    return;
  const double stated = hypot(isnan(sd_p) ? 0.0 : sd_p, isnan(sd_c) ? 0.0 : sd_c);
  *mean = eta_p / eta_c;
  *sd = fmax(0.5, stated) * fabs(eta_p / eta_c);
}

bool arm_ident_spread(const ArmIdentTree *tree, size_t child, double variance,
                      ArmIdentResult *result) {
  const size_t at = tree->edge[child];
  if (result->sd_data[at] <= ARM_IDENT_WEAK * tree->prior_sd[child] || !isfinite(variance))
    return false;
  result->spread[at] = copysign(hypot(result->theta[at], sqrt(variance)), result->theta[at]);
  return true;
}
