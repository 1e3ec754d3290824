/* SPDX-License-Identifier: MIT */
/* The arm file *.arm.json, version 1: an arm's geometry, drives, links and limits, with the
 * provenance of every number.
 *
 * Joints and every other list count from 1 in files and messages, from 0 here. Angles are written
 * in degrees or radians (key suffix _deg or _rad) and held in radians; everything else is SI.
 * Keys beginning with x_ belong to the user and survive loading and saving untouched, wherever they
 * stand. A loaded arm is plain data; two threads may read it.
 *
 * Choices the format leaves open, made here:
 * - gravity must be stated and have a length of 0.1 .. 100 m/s^2: without gravity no parameter of
 *   this program is identifiable, and a value beyond that is a unit error.
 * - a link without inertia_com_kg_m2 is a point mass; a stated tensor must not have
 *   a negative principal moment. That the largest principal moment is at most the sum of the others
 *   is only asked for by a warning: well-known published tables break it.
 * - every number must lie within +-1e9.
 * - limits and drive numbers may be null (= not known).
 */
#ifndef ARMATURE_IO_ARM_FILE_H
#define ARMATURE_IO_ARM_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"

/* How the user wrote a joint's constant placement; model.joints[i] holds what follows from it. */
typedef struct {
  char *name;       /* "j1", ... when the file states none */
  char *provenance; /* NULL: not stated */
  bool has_placement;
  double beta, b, theta, d; /* [rad, m, rad, m], unless has_placement */
  double xyz[3], rpy[3];    /* [m, rad], if has_placement */
  bool has_motor_list;      /* "motors" rather than the four drive keys */
} AioArmJoint;

/* One x_ member kept as it was. */
typedef struct {
  char *owner; /* path of the object it stands in, as in messages: "joint 2: link"; "" = the root */
  char *key;   /* decoded */
  char *json;  /* its value, verbatim */
} AioArmExtra;

typedef struct {
  char *name;
  char *description, *provenance; /* NULL: not stated */
  char *digest;                   /* "sha256:<64 hex digits>" of the file's bytes */
  ArmModel model;
  AioArmJoint joints[ARM_MAX_JOINTS];
  bool has_environment;
  double table_z_m;    /* NAN: not stated */
  char *simulation;    /* verbatim JSON object, NULL: not stated */
  GPtrArray *extras;   /* of AioArmExtra */
  GPtrArray *warnings; /* of char *, "file:line:column: joint 2: ..."; empty: none */
} AioArm;

/* Reads an arm file. NULL with the first error, "file:line:column: joint 2: key: expected X,
 * found Y", and nothing half-loaded: AIO_ERROR_NOT_FOUND, AIO_ERROR_IO, AIO_ERROR_TOO_LARGE (the
 * file), AIO_ERROR_SYNTAX (not JSON), AIO_ERROR_MEANING (a key or value is wrong),
 * AIO_ERROR_REFUSED (a newer version, no gravity). Free with aio_arm_free. */
AioArm *aio_arm_load(const char *path, GError **error);

/* The same from memory; `name` is how messages call it. */
AioArm *aio_arm_load_bytes(const char *name, const char *bytes, gsize length, GError **error);

/* Of a name [bytes], and of a description or provenance. A longer one in a file is refused. */
enum { AIO_ARM_NAME_MAX = 255, AIO_ARM_TEXT_MAX = 4096 };

/* The same for the text that a session keeps, which nobody can edit: what is longer is cut. */
AioArm *aio_arm_load_stored(const char *name, const char *bytes, gsize length, GError **error);

/* NULL allowed. */
void aio_arm_free(AioArm *arm);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioArm, aio_arm_free)

/* The arm as the text of a file that loads to the same arm, bit for bit. Geometry is taken from
 * arm->joints, everything else from arm->model. Free with g_free. */
char *aio_arm_format(const AioArm *arm, gsize *length);

/* Writes aio_arm_format() atomically; see aio_file_write_atomic for `force` and the errors. The
 * arm's digest is not changed: it names the bytes that were loaded. */
bool aio_arm_save(const AioArm *arm, const char *path, bool force, GError **error);

#endif
