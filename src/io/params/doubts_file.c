/* SPDX-License-Identifier: MIT */
/* Doubts are kept beside the numbers they are about, and read as strictly: a file whose doubts
 * cannot be read is damaged, not free of doubt. */
#include "io/params/doubts_file.h"

#include <math.h>
#include <string.h>

#define MOST ((gint64)1 << 52) /* whole numbers that JSON's are exact for */

/* ---- writing ---- */

static void put_joint(AioJsonWriter *w, const char *key, size_t joint) {
  aio_json_write_key(w, key);
  if (joint < ARM_MAX_JOINTS)
    aio_json_write_int(w, (gint64)joint + 1);
  else
    aio_json_write_null(w);
}

void aio_doubts_write(AioJsonWriter *w, const ArmDoubts *doubts) {
  if (doubts->count == 0)
    return;
  aio_json_write_key(w, "doubts");
  aio_json_write_begin_array(w);
  for (size_t k = 0; k < doubts->count; k++) {
    const ArmDoubt *d = &doubts->at[k];
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "code", arm_doubt_key(d->kind));
    put_joint(w, "joint", d->joint);
    aio_json_put_int(w, "other", (gint64)d->other);
    aio_json_put_int(w, "unit", (gint64)d->unit);
    aio_json_put_bool(w, "of_samples", d->is_samples);
    if (d->is_torque)
      aio_json_put_bool(w, "of_torque", true);
    aio_json_put_number(w, "found", d->found);
    aio_json_put_number(w, "expected", d->expected);
    aio_json_put_number(w, "t_s", d->time);
    aio_json_put_int(w, "count", (gint64)d->count);
    aio_json_put_int(w, "rows", (gint64)d->rows);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* ---- reading ---- */

static bool read_kind(const AioJsonNode *node, ArmDoubtKind *kind, GError **error) {
  const AioJsonNode *code = aio_json_require(node, "code", error);
  const char *word;
  if (!code || !aio_json_get_string(code, &word, error))
    return false;
  for (int k = 0; k < ARM_DOUBTS; k++)
    if (strcmp(word, arm_doubt_key((ArmDoubtKind)k)) == 0) {
      *kind = (ArmDoubtKind)k;
      return true;
    }
  return aio_json_fail(code, "the name of a doubt, such as \"speed_unit\"", error);
}

static bool read_joint(const AioJsonNode *node, size_t n, size_t *joint, GError **error) {
  const AioJsonNode *member = aio_json_require(node, "joint", error);
  gint64 number;
  *joint = ARM_DOUBT_ALL_JOINTS;
  if (!member || member->kind == AIO_JSON_NULL)
    return member != NULL;
  if (!aio_json_get_int(member, 1, (gint64)n, &number, error))
    return false;
  *joint = (size_t)number - 1;
  return true;
}

static bool read_count(const AioJsonNode *node, const char *key, gint64 most, size_t *out,
                       GError **error) {
  const AioJsonNode *member = aio_json_require(node, key, error);
  gint64 number;
  if (!member || !aio_json_get_int(member, 0, most, &number, error))
    return false;
  *out = (size_t)number;
  return true;
}

static bool read_number(const AioJsonNode *node, const char *key, double *out, GError **error) {
  const AioJsonNode *member = aio_json_require(node, key, error);
  *out = NAN;
  return member && aio_json_get_number_or_null(member, out, error);
}

/* Of all joints is what is wrong with the recording; `other` counts from 0. */
static bool check_joints(const AioJsonNode *node, size_t n, const ArmDoubt *d, GError **error) {
  const bool is_of_all =
      d->kind == ARM_DOUBT_JITTER || d->kind == ARM_DOUBT_GAPS || d->kind == ARM_DOUBT_MANY_MOVE;
  const bool has_other = d->kind == ARM_DOUBT_RATIO_SIGN || d->kind == ARM_DOUBT_RATIO_SIZE ||
                         d->kind == ARM_DOUBT_HELD_MOVES;
  if (is_of_all != (d->joint == ARM_DOUBT_ALL_JOINTS))
    return aio_json_fail(aio_json_member(node, "joint"),
                         is_of_all ? "null, for a doubt about the recording"
                                   : "a joint, for a doubt about one",
                         error);
  return !has_other || d->other < n ||
         aio_json_fail(aio_json_member(node, "other"), "another joint, counted from 0", error);
}

static bool read_doubt(const AioJsonNode *node, size_t n, ArmDoubt *d, GError **error) {
  static const char *const known[] = {"code",       "joint",     "other", "unit",
                                      "of_samples", "of_torque", "found", "expected",
                                      "t_s",        "count",     "rows",  NULL};
  size_t unit = 0;
  const AioJsonNode *samples = aio_json_require(node, "of_samples", error);
  const AioJsonNode *torque = aio_json_member(node, "of_torque");
  if (!samples || !aio_json_check_keys(node, known, true, error) ||
      !read_kind(node, &d->kind, error) || !read_joint(node, n, &d->joint, error) ||
      !read_count(node, "other", MOST, &d->other, error) ||
      !read_count(node, "unit", ARM_SPEED_UNITS - 1, &unit, error) ||
      !aio_json_get_bool(samples, &d->is_samples, error) ||
      (torque && !aio_json_get_bool(torque, &d->is_torque, error)) ||
      !read_number(node, "found", &d->found, error) ||
      !read_number(node, "expected", &d->expected, error) ||
      !read_number(node, "t_s", &d->time, error) ||
      !read_count(node, "count", MOST, &d->count, error) ||
      !read_count(node, "rows", MOST, &d->rows, error))
    return false;
  d->unit = (ArmSpeedUnit)unit;
  return check_joints(node, n, d, error);
}

bool aio_doubts_read(const AioJsonNode *root, size_t n, ArmDoubts *doubts, GError **error) {
  const AioJsonNode *list = aio_json_member(root, "doubts");
  *doubts = (ArmDoubts){0};
  if (!list)
    return true;
  if (!aio_json_require_kind(list, AIO_JSON_ARRAY, error))
    return false;
  if (aio_json_size(list) > ARM_MAX_DOUBTS)
    return aio_json_fail(list, "fewer doubts", error);
  for (gsize k = 0; k < aio_json_size(list); k++) {
    if (!read_doubt(aio_json_item(list, k), n, &doubts->at[k], error))
      return false;
    doubts->count = k + 1;
  }
  return true;
}
