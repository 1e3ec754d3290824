/* SPDX-License-Identifier: MIT */
/* The constants of Lin 1992 from the tip inward, each link's carried into the one before as far as
 * no joint variable is in it; the map of Theorem 2 column by column, since the constants are linear
 * in pi. */
#include "core/dynamics/composite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/base/vec3.h"

enum { P = ARM_INERTIA_PARAMETERS };
enum { M, MX, MY, MZ, XX, XY, YY, XZ, YZ, ZZ }; /* places in the order of inertia.h */

/* What link j-1 gets whatever the joint variable is: of an R joint m, k_z and diag(U22, U22, U33),
 * of a T joint all. Sum over R diag R^T, (R k)x and mhat in (18)-(25) of Lin 1992. */
static void carry_inward(const ArmJoint *joint, const double *body, double *inner) {
  double lump[P] = {0}, moved[P];
  if (joint->type == ARM_JOINT_T) {
    memcpy(lump, body, sizeof lump);
  } else {
    lump[M] = body[M];
    lump[MZ] = body[MZ];
    lump[XX] = lump[YY] = body[YY];
    lump[ZZ] = body[ZZ];
  }
  arm_inertia_move(joint->rotation, joint->translation, lump, moved);
  for (int k = 0; k < P; k++)
    inner[k] += moved[k];
}

void arm_composite_constants(const ArmModel *model, const double *pi, double *composite) {
  memcpy(composite, pi, P * model->n * sizeof *pi);
  for (size_t j = model->n; j-- > 1;)
    carry_inward(&model->joints[j], composite + P * j, composite + P * (j - 1));
}

/* ---- Theorem 2 ---- */

static void add(ArmComposite *c, size_t joint, ArmCompositeKind kind) {
  if (c->entry)
    c->entry[c->count] = (ArmCompositeEntry){kind, joint};
  c->count++;
}

static void add_rotational(ArmComposite *c, const ArmBaseGeometry *g, size_t j) {
  const bool is_free = j + 1 >= g->s;
  if (is_free)
    add(c, j, ARM_COMPOSITE_U11_U22);
  add(c, j, ARM_COMPOSITE_U33);
  for (int kind = ARM_COMPOSITE_U12; is_free && kind <= ARM_COMPOSITE_U23; kind++)
    add(c, j, (ArmCompositeKind)kind);
  if (is_free || g->delta[j]) {
    add(c, j, ARM_COMPOSITE_KX);
    add(c, j, ARM_COMPOSITE_KY);
  }
}

static void add_translational(ArmComposite *c, const ArmBaseGeometry *g, size_t j) {
  add(c, j, ARM_COMPOSITE_M);
  if (j + 1 > g->s)
    for (int kind = ARM_COMPOSITE_KX; kind <= ARM_COMPOSITE_KZ; kind++)
      add(c, j, (ArmCompositeKind)kind);
  else if (g->sigma[j]) {
    add(c, j, ARM_COMPOSITE_A40);
    add(c, j, ARM_COMPOSITE_A43);
  }
}

static void list_kept(ArmComposite *c, const ArmModel *model, const ArmBaseGeometry *g) {
  c->count = 0;
  for (size_t j = 0; j < model->n; j++) {
    if (model->joints[j].type == ARM_JOINT_R)
      add_rotational(c, g, j);
    else
      add_translational(c, g, j);
  }
}

static double value_of(ArmCompositeKind kind, const double *body, const double u[3]) {
  switch (kind) {
  case ARM_COMPOSITE_U11_U22:
    return body[XX] - body[YY];
  case ARM_COMPOSITE_U33:
    return body[ZZ];
  case ARM_COMPOSITE_U12:
    return body[XY];
  case ARM_COMPOSITE_U13:
    return body[XZ];
  case ARM_COMPOSITE_U23:
    return body[YZ];
  case ARM_COMPOSITE_M:
    return body[M];
  case ARM_COMPOSITE_KX:
  case ARM_COMPOSITE_KY:
  case ARM_COMPOSITE_KZ:
    return body[MX + (int)(kind - ARM_COMPOSITE_KX)];
  case ARM_COMPOSITE_A40:
    return u[0] * body[MY] - u[1] * body[MX];
  case ARM_COMPOSITE_A43:
    return body[MZ] - u[2] * arm_vec3_dot(u, body + MX);
  case ARM_COMPOSITE_KINDS:
    break;
  }
  return 0;
}

/* Column c of the map: the constants of an arm with one parameter. */
static void fill_map(ArmComposite *c, const ArmModel *model, const ArmBaseGeometry *g) {
  double pi[P * ARM_MAX_JOINTS] = {0}, body[P * ARM_MAX_JOINTS];
  for (size_t column = 0; column < P * model->n; column++) {
    pi[column] = 1;
    arm_composite_constants(model, pi, body);
    pi[column] = 0;
    for (size_t row = 0; row < c->count; row++) {
      const ArmCompositeEntry *e = c->entry + row;
      c->map[row + c->count * column] = value_of(e->kind, body + P * e->joint, g->axis[e->joint]);
    }
  }
}

ArmStatus arm_composite_new(const ArmModel *model, ArmComposite **composite) {
  ArmBaseGeometry g;
  const ArmStatus status = arm_base_geometry(model, &g);
  if (status != ARM_OK)
    return status;
  ArmComposite *c = calloc(1, sizeof *c);
  if (!c)
    return ARM_E_MEMORY;
  c->n = model->n;
  list_kept(c, model, &g); /* counts */
  c->entry = malloc(c->count * sizeof *c->entry);
  c->map = malloc(c->count * P * c->n * sizeof *c->map);
  if (!c->entry || !c->map) {
    arm_composite_free(c);
    return ARM_E_MEMORY;
  }
  list_kept(c, model, &g);
  fill_map(c, model, &g);
  *composite = c;
  return ARM_OK;
}

void arm_composite_free(ArmComposite *composite) {
  if (!composite)
    return;
  free(composite->entry);
  free(composite->map);
  free(composite);
}

const char *arm_composite_key(ArmCompositeKind kind) {
  static const char *const keys[ARM_COMPOSITE_KINDS] = {"U11-U22", "U33", "U12", "U13", "U23", "m",
                                                        "kx",      "ky",  "kz",  "A40", "A43"};
  return (unsigned)kind < ARM_COMPOSITE_KINDS ? keys[kind] : "";
}
