/* SPDX-License-Identifier: MIT */
/* The numbers of an arm as cells of tables, in the units of people: what a cell shows, and the arm
 * file that follows from typing something else into it. No widget, no session. */
#ifndef ARMATURE_UI_ARM_EDIT_H
#define ARMATURE_UI_ARM_EDIT_H

#include "io/arm/arm_file.h"

typedef enum {
  AUI_ARM_NAME,
  AUI_ARM_Q_MIN, /* deg (or rad, as angles are shown), or m */
  AUI_ARM_Q_MAX,
  AUI_ARM_SPEED,
  AUI_ARM_ACCEL,
  AUI_ARM_CURRENT,
  AUI_ARM_SIGN, /* of the joint's first motor, as the next four */
  AUI_ARM_GEAR,
  AUI_ARM_CONSTANT,
  AUI_ARM_CONSTANT_SD, /* per cent */
  AUI_ARM_ROTOR,
  AUI_ARM_SOURCE,
  AUI_ARM_BETA, /* deg */
  AUI_ARM_B,
  AUI_ARM_THETA,
  AUI_ARM_D,
  AUI_ARM_X,
  AUI_ARM_Y,
  AUI_ARM_Z,
  AUI_ARM_ROLL,
  AUI_ARM_PITCH,
  AUI_ARM_YAW,
  AUI_ARM_MASS,
  AUI_ARM_COM_X,
  AUI_ARM_COM_Y,
  AUI_ARM_COM_Z,
  AUI_ARM_FIELDS,
  AUI_ARM_COUPLING = 64 /* + column from 0: L of the arm file, below the diagonal */
} AuiArmField;

typedef enum {
  AUI_ARM_LIMITS,
  AUI_ARM_DRIVES,
  AUI_ARM_GEOMETRY,
  AUI_ARM_MASSES,
  AUI_ARM_COUPLINGS,
  AUI_ARM_TABLES
} AuiArmTable;

enum { AUI_ARM_COLUMNS = ARM_MAX_JOINTS };

/* The fields of a table, in the order of its columns; the geometry's as this arm is written.
 * Returns how many. */
guint aui_arm_fields(const AioArm *arm, AuiArmTable table, guint fields[AUI_ARM_COLUMNS]);

/* "Gear ratio", "deg" ("" for none; "deg, m" where the arm has both kinds of joints). g_free. */
char *aui_arm_field_title(guint field);
char *aui_arm_field_unit(const AioArm *arm, guint field);

/* Does this joint (from 0) have such a number? */
bool aui_arm_has(const AioArm *arm, size_t joint, guint field);

/* As the cell shows it, in the locale's way; "" for a number that is not known. g_free. */
char *aui_arm_text(const AioArm *arm, size_t joint, guint field);

/* The text of an arm file in which this cell says `text`. g_free. NULL with AIO_ERROR_MEANING:
 * "joint 3 (elbow), gear ratio: expected a number above 0, found “x”", or what aio_arm_load_bytes
 * finds. */
char *aui_arm_changed(const AioArm *arm, size_t joint, guint field, const char *text,
                      GError **error);

/* "joint 3 (elbow)". g_free. */
char *aui_joint_text(const AioArm *arm, size_t joint);

/* A number as typed; `low` and `high` are what is allowed, in the same unit (and are the result
 * when they are typed as six digits show them). false with
 * AIO_ERROR_MEANING, "WHERE: expected A to B, found “TEXT”". */
bool aui_read_number(const char *text, double low, double high, const char *where, double *out,
                     GError **error);

#endif
