/* SPDX-License-Identifier: MIT */
/* Compares two loaded arms field by field, bit for bit; NAN equals NAN. For tests and fuzzing. */
#ifndef ARMATURE_TESTS_ARM_SAME_H
#define ARMATURE_TESTS_ARM_SAME_H

#include <string.h>

#include "io/arm/arm_file.h"

static inline bool same_numbers(const double *a, const double *b, gsize n) {
  for (gsize i = 0; i < n; i++)
    if (!(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])))
      return false;
  return true;
}

static inline bool same_joint_model(const ArmJoint *a, const ArmJoint *b) {
  bool is_same = a->type == b->type && same_numbers(a->rotation, b->rotation, 9) &&
                 same_numbers(a->translation, b->translation, 3) &&
                 same_numbers(&a->offset, &b->offset, 1) &&
                 same_numbers((const double *)&a->limits, (const double *)&b->limits, 5) &&
                 a->n_motors == b->n_motors && a->n_capsules == b->n_capsules &&
                 a->link.is_present == b->link.is_present &&
                 same_numbers(&a->link.mass_kg, &b->link.mass_kg, 1) &&
                 same_numbers(a->link.com_m, b->link.com_m, 3) &&
                 same_numbers(a->link.inertia_com_kg_m2, b->link.inertia_com_kg_m2, 6);
  for (gsize m = 0; is_same && m < a->n_motors; m++) {
    const ArmMotor *p = &a->motors[m], *q = &b->motors[m];
    is_same = same_numbers(&p->gear_ratio, &q->gear_ratio, 1) && p->motor_sign == q->motor_sign &&
              same_numbers(&p->torque_constant_Nm_A, &q->torque_constant_Nm_A, 1) &&
              same_numbers(&p->torque_constant_rel_sd, &q->torque_constant_rel_sd, 1) &&
              same_numbers(&p->rotor_inertia_kg_m2, &q->rotor_inertia_kg_m2, 1);
  }
  for (gsize c = 0; is_same && c < a->n_capsules; c++)
    is_same = same_numbers((const double *)&a->capsules[c], (const double *)&b->capsules[c], 7);
  return is_same;
}

static inline bool same_extras(const GPtrArray *a, const GPtrArray *b) {
  bool is_same = a->len == b->len;
  for (guint i = 0; is_same && i < a->len; i++) {
    const AioArmExtra *x = g_ptr_array_index(a, i);
    bool is_found = false;
    for (guint k = 0; !is_found && k < b->len; k++) {
      const AioArmExtra *y = g_ptr_array_index(b, k);
      is_found = strcmp(x->owner, y->owner) == 0 && strcmp(x->key, y->key) == 0 &&
                 strcmp(x->json, y->json) == 0;
    }
    is_same = is_found;
  }
  return is_same;
}

static inline bool same_given(const AioArmJoint *a, const AioArmJoint *b) {
  return g_strcmp0(a->name, b->name) == 0 && g_strcmp0(a->provenance, b->provenance) == 0 &&
         a->has_placement == b->has_placement && a->has_motor_list == b->has_motor_list &&
         same_numbers(&a->beta, &b->beta, 4) && same_numbers(a->xyz, b->xyz, 3) &&
         same_numbers(a->rpy, b->rpy, 3);
}

/* Everything but the digest and the places in the warnings. */
static inline bool same_arm(const AioArm *a, const AioArm *b) {
  const ArmModel *m = &a->model, *n = &b->model;
  bool is_same =
      g_strcmp0(a->name, b->name) == 0 && g_strcmp0(a->description, b->description) == 0 &&
      g_strcmp0(a->provenance, b->provenance) == 0 && m->n == n->n &&
      same_numbers(m->gravity_m_s2, n->gravity_m_s2, 3) && m->has_coupling == n->has_coupling &&
      same_numbers(m->coupling[0], n->coupling[0], ARM_MAX_JOINTS * ARM_MAX_JOINTS) &&
      a->has_environment == b->has_environment && same_numbers(&a->table_z_m, &b->table_z_m, 1) &&
      g_strcmp0(a->simulation, b->simulation) == 0 && a->warnings->len == b->warnings->len &&
      same_extras(a->extras, b->extras);
  for (gsize i = 0; is_same && i < m->n; i++)
    is_same =
        same_joint_model(&m->joints[i], &n->joints[i]) && same_given(&a->joints[i], &b->joints[i]);
  return is_same;
}

#endif
