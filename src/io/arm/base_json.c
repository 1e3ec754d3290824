/* SPDX-License-Identifier: MIT */
/* Base parameters for programs: the same names and reasons as io/arm/base_text, in the order of a
 * reader, by kind, each with all that was regrouped into it. */
#include "io/arm/base_json.h"

#include <math.h>

#include "io/arm/base_text.h"
#include "io/json/json_write.h"

typedef struct {
  AioJsonWriter *w;
  const ArmModel *model;
  const ArmBase *base;
  gsize *order;
} Writer;

static double coefficient(const ArmBase *base, gsize b, gsize column) {
  const double value = base->map[b + base->count * column];
  return fabs(value) < ARM_BASE_NEGLIGIBLE ? 0 : value;
}

static void write_term(Writer *o, gsize b, gsize column) {
  const ArmBaseColumn *c = &o->base->column[column];
  aio_json_write_begin_flat_object(o->w);
  aio_json_put_int(o->w, "link", (gint64)c->joint + 1);
  aio_json_put_string(o->w, "parameter", aio_base_parameter(c));
  aio_json_put_number(o->w, "coefficient", coefficient(o->base, b, column));
  aio_json_write_end_object(o->w);
}

/* The one that gives the name first. */
static void write_parameter(Writer *o, gsize b) {
  const gsize own = o->base->kept[b];
  char *name = aio_base_name(o->base, b);
  aio_json_write_begin_object(o->w);
  aio_json_put_string(o->w, "name", name);
  aio_json_put_string(o->w, "unit", aio_base_unit(o->model, &o->base->column[own]));
  aio_json_write_key(o->w, "terms");
  aio_json_write_begin_array(o->w);
  write_term(o, b, own);
  for (gsize k = 0; k < o->base->columns; k++)
    if (o->order[k] != own && coefficient(o->base, b, o->order[k]) != 0)
      write_term(o, b, o->order[k]);
  aio_json_write_end_array(o->w);
  aio_json_write_end_object(o->w);
  g_free(name);
}

static void write_into(Writer *o, gsize column) {
  aio_json_write_key(o->w, "into");
  aio_json_write_begin_array(o->w);
  for (gsize b = 0; b < o->base->count; b++) {
    if (coefficient(o->base, b, column) == 0)
      continue;
    char *name = aio_base_name(o->base, b);
    aio_json_write_string(o->w, name);
    g_free(name);
  }
  aio_json_write_end_array(o->w);
}

static void write_standard(Writer *o, gsize column) {
  const ArmBaseColumn *c = &o->base->column[column];
  char *name = aio_base_column_name(c), *reason = aio_base_reason(o->base, column);
  aio_json_write_begin_flat_object(o->w);
  aio_json_put_string(o->w, "name", name);
  aio_json_put_int(o->w, "link", (gint64)c->joint + 1);
  aio_json_put_string(o->w, "parameter", aio_base_parameter(c));
  aio_json_put_string(o->w, "fate", aio_base_fate(o->base, column));
  aio_json_put_string(o->w, "reason_key", arm_base_reason_key(c->reason));
  aio_json_write_key(o->w, "reason");
  if (reason)
    aio_json_write_string(o->w, reason);
  else
    aio_json_write_null(o->w);
  write_into(o, column);
  aio_json_write_end_object(o->w);
  g_free(reason);
  g_free(name);
}

static void write_snap(AioJsonWriter *w, const ArmSnap *snap, gsize n) {
  const gboolean is_length = snap->kind >= ARM_SNAP_X && snap->kind <= ARM_SNAP_Z;
  aio_json_write_begin_flat_object(w);
  aio_json_write_key(w, "joint");
  if (snap->joint < n)
    aio_json_write_int(w, (gint64)snap->joint + 1);
  else
    aio_json_write_null(w);
  aio_json_put_string(w, "quantity", arm_snap_key(snap->kind));
  aio_json_put_string(w, "unit", is_length ? "m" : "rad");
  aio_json_put_number(w, "value", snap->value);
  aio_json_put_number(w, "taken_as", snap->taken_as);
  aio_json_write_end_object(w);
}

static void write_flags(Writer *o, const char *key, ArmJointType type, const bool *flags) {
  const ArmBaseGeometry *g = &o->base->geometry;
  aio_json_write_key(o->w, key);
  aio_json_write_begin_array(o->w);
  for (gsize j = 0; j < o->base->n; j++) {
    if (o->model->joints[j].type == type && j + 1 >= g->r && j + 1 < g->s)
      aio_json_write_int(o->w, flags[j]);
    else
      aio_json_write_null(o->w);
  }
  aio_json_write_end_array(o->w);
}

static void write_head(Writer *o) {
  const ArmBaseGeometry *g = &o->base->geometry;
  aio_json_put_string(o->w, "format", "armature-base");
  aio_json_put_int(o->w, "version", 1);
  aio_json_put_int(o->w, "n", (gint64)o->base->n);
  aio_json_put_int(o->w, "r", (gint64)g->r);
  aio_json_put_int(o->w, "s", (gint64)g->s);
  write_flags(o, "delta", ARM_JOINT_R, g->delta);
  write_flags(o, "sigma", ARM_JOINT_T, g->sigma);
  aio_json_put_int(o->w, "count", (gint64)o->base->count);
}

static void write_ways(AioJsonWriter *w, const ArmBaseWays *ways) {
  aio_json_write_key(w, "ways");
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "closed_form", (gint64)ways->closed_form);
  aio_json_put_int(w, "composite_constants", (gint64)ways->composite);
  aio_json_put_int(w, "qr", (gint64)ways->qr);
  aio_json_put_number(w, "distance", ways->distance);
  aio_json_put_bool(w, "agree", ways->distance < ARM_BASE_SAME_SPAN);
  aio_json_write_end_object(w);
}

static void write_lists(Writer *o) {
  const ArmBase *base = o->base;
  aio_json_write_key(o->w, "parameters");
  aio_json_write_begin_array(o->w);
  for (gsize b = 0; b < base->count; b++)
    write_parameter(o, b);
  aio_json_write_end_array(o->w);
  aio_json_write_key(o->w, "standard");
  aio_json_write_begin_array(o->w);
  for (gsize k = 0; k < base->columns; k++)
    write_standard(o, o->order[k]);
  aio_json_write_end_array(o->w);
  aio_json_write_key(o->w, "snapped");
  aio_json_write_begin_array(o->w);
  for (gsize k = 0; k < base->geometry.n_snapped; k++)
    write_snap(o->w, &base->geometry.snapped[k], base->n);
  aio_json_write_end_array(o->w);
}

char *aio_base_format(const ArmModel *model, const ArmBase *base, const ArmBaseWays *ways,
                      gsize *length) {
  GString *out = g_string_new(NULL);
  Writer o = {aio_json_writer_new(out), model, base, g_new(gsize, base->columns)};
  aio_base_order(base, o.order);
  aio_json_write_begin_object(o.w);
  write_head(&o);
  write_lists(&o);
  write_ways(o.w, ways);
  aio_json_write_end_object(o.w);
  aio_json_writer_free(o.w);
  g_free(o.order);
  *length = out->len;
  return g_string_free(out, FALSE);
}
