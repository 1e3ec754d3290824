/* SPDX-License-Identifier: MIT */
/* The keys and their order are promised (docs/parameter-file.md): a fit without friction terms is
 * written as it was before there were any, byte by byte, so that older programs and digests hold.
 */
#include "io/params/params_file.h"

#include <string.h>

#include "io/json/digest.h"
#include "io/params/doubts_file.h"
#include "io/params/params_file_origin.h"
#include "io/params/verdict_file.h"

char *aio_params_name(ArmParamId id) {
  if (id.kind == ARM_PARAM_RATIO)
    return g_strdup_printf("%s_%d_%d", arm_param_key(id.kind), id.i + 1, id.j + 1);
  return g_strdup_printf("%s_%d", arm_param_key(id.kind), id.i + 1);
}

/* A joint number from 1 at *text, no sign and no leading zero; moves *text behind it. */
static bool parse_joint(const char **text, size_t n, unsigned char *joint) {
  size_t number = 0, digits = 0;
  if (**text == '0')
    return false;
  for (; g_ascii_isdigit(**text) && digits < 3; digits++)
    number = 10 * number + (size_t)(*(*text)++ - '0');
  if (digits == 0 || number < 1 || number > n)
    return false;
  *joint = (unsigned char)(number - 1);
  return true;
}

bool aio_params_parse_name(const char *name, size_t n, ArmParamId *id) {
  for (int kind = 0; kind < ARM_PARAM_KINDS; kind++) {
    const char *key = arm_param_key((ArmParamKind)kind);
    if (!g_str_has_prefix(name, key) || name[strlen(key)] != '_')
      continue;
    ArmParamId found = {(ArmParamKind)kind, 0, 0};
    const char *rest = name + strlen(key) + 1;
    if (!parse_joint(&rest, n, &found.i))
      return false;
    if (kind == ARM_PARAM_RATIO &&
        (*rest++ != '_' || !parse_joint(&rest, n, &found.j) || found.i >= found.j))
      return false;
    if (*rest != '\0')
      return false;
    *id = found;
    return true;
  }
  return false;
}

static void write_estimate(AioJsonWriter *w, const char *key, const ArmEstimate *e) {
  bool has_reason = !e->identifiable && e->reason != ARM_REASON_NONE;
  aio_json_write_key(w, key);
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "value", e->value);
  aio_json_put_number(w, "sd", e->sd);
  aio_json_put_bool(w, "identifiable", e->identifiable);
  aio_json_put_number(w, "used", e->used);
  aio_json_put_string(w, "reason", has_reason ? arm_reason_text(e->reason) : NULL);
  aio_json_put_string(w, "reason_key", has_reason ? arm_reason_key(e->reason) : NULL);
  aio_json_write_end_object(w);
}

static void write_excluded(AioJsonWriter *w, const ArmJointFit *joint) {
  aio_json_write_key(w, "rows_excluded");
  aio_json_write_begin_flat_object(w);
  for (int use = ARM_ROW_USED + 1; use < ARM_ROW_REASONS; use++)
    if (joint->rows_by_use[use] > 0)
      aio_json_put_int(w, arm_row_use_key((ArmRowUse)use), (gint64)joint->rows_by_use[use]);
  aio_json_write_end_object(w);
}

static void write_trial(AioJsonWriter *w, ArmFrictionTerm term, const ArmTermTrial *trial) {
  const bool is_chosen = trial->outcome == ARM_TERM_CHOSEN;
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "name", arm_term_key(term));
  aio_json_put_bool(w, "offered", trial->outcome != ARM_TERM_NOT_OFFERED);
  aio_json_put_bool(w, "chosen", is_chosen);
  aio_json_put_number(w, "gain", trial->gain);
  aio_json_put_string(w, "reason", is_chosen ? NULL : arm_term_outcome_text(term, trial->outcome));
  aio_json_put_string(w, "reason_key", arm_term_outcome_key(trial->outcome));
  aio_json_write_end_object(w);
}

/* Only in a file in which some joint has a term: one without is as it was before there were any. */
static void write_terms(AioJsonWriter *w, ArmJointType type, const ArmJointFit *joint) {
  for (int t = 0; t < ARM_TERMS; t++)
    if (joint->has_term[t])
      write_estimate(w, arm_param_key((ArmParamKind)(ARM_PARAM_LOAD + t)), &joint->term[t]);
  if (joint->has_term[ARM_TERM_LOAD]) {
    aio_json_write_key(w, "load_seen_A");
    aio_json_write_begin_array(w);
    for (int k = 0; k < 2; k++)
      aio_json_write_number(w, joint->load_seen[k]);
    aio_json_write_end_array(w);
  }
  if (joint->has_term[ARM_TERM_CURVE])
    aio_json_put_number(w, type == ARM_JOINT_R ? "curve_speed_rad_s" : "curve_speed_m_s",
                        joint->curve_speed);
  if (joint->has_term[ARM_TERM_LOAD] || joint->has_term[ARM_TERM_CURVE])
    aio_json_put_int(w, "friction_sign", joint->term_sign < 0.0 ? -1 : 1);
  aio_json_write_key(w, "terms");
  aio_json_write_begin_array(w);
  for (int t = 0; t < ARM_TERMS; t++)
    write_trial(w, (ArmFrictionTerm)t, &joint->trial[t]);
  aio_json_write_end_array(w);
}

static bool has_terms(const ArmGravityParameters *p) {
  for (size_t i = 0; i < p->n; i++)
    if (p->joint[i].has_term[ARM_TERM_LOAD] || p->joint[i].has_term[ARM_TERM_CURVE])
      return true;
  return false;
}

static void write_parameters(AioJsonWriter *w, ArmJointType type, const ArmJointFit *joint,
                             bool wants_terms) {
  aio_json_write_key(w, "parameters");
  aio_json_write_begin_object(w);
  if (type == ARM_JOINT_R) {
    write_estimate(w, arm_param_key(ARM_PARAM_KX), &joint->w[0]);
    write_estimate(w, arm_param_key(ARM_PARAM_KY), &joint->w[1]);
  } else {
    write_estimate(w, arm_param_key(ARM_PARAM_MHAT), &joint->w[0]);
  }
  for (int f = 0; f < 4; f++)
    write_estimate(w, arm_param_key((ArmParamKind)(ARM_PARAM_COULOMB_POS + f)),
                   &joint->friction[f]);
  if (joint->has_acceleration)
    write_estimate(w, arm_param_key(ARM_PARAM_ACCELERATION), &joint->acceleration);
  if (wants_terms)
    write_terms(w, type, joint);
  aio_json_write_end_object(w);
}

static void write_joint(AioJsonWriter *w, size_t number, ArmJointType type,
                        const ArmJointFit *joint, bool is_torque, const ArmVerdict *verdict,
                        bool wants_terms) {
  aio_json_write_begin_object(w);
  aio_json_put_int(w, "joint", (gint64)number);
  aio_json_put_string(w, "type", type == ARM_JOINT_R ? "R" : "T");
  aio_json_put_string(w, "measured", is_torque ? "torque" : "current");
  aio_json_put_int(w, "rows_used", (gint64)joint->rows_used);
  write_excluded(w, joint);
  aio_json_put_int(w, "columns", (gint64)joint->columns);
  aio_json_put_int(w, "rank", (gint64)joint->rank);
  aio_json_put_number(w, "cond_raw", joint->cond_raw);
  aio_json_put_number(w, "cond_equilibrated", joint->cond_equilibrated);
  aio_json_put_number(w, "cond_centred", joint->cond_centred);
  aio_json_put_number(w, "residual_sd_A", joint->residual_sd);
  aio_json_put_number(w, "r2", joint->r2);
  aio_json_put_number(w, "max_abs_A", joint->max_abs);
  aio_json_put_number(w, "lag1", joint->lag1);
  aio_json_put_number(w, "widening", joint->widening);
  if (verdict)
    aio_verdict_write_joint(w, verdict, number - 1);
  write_parameters(w, type, joint, wants_terms);
  aio_json_write_end_object(w);
}

static void write_ratios(AioJsonWriter *w, const ArmGravityParameters *p) {
  aio_json_write_key(w, "ratios");
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < p->n; i++) {
    for (size_t j = i + 1; j < p->n; j++) {
      if (p->cluster[i] < 0 || p->cluster[i] != p->cluster[j])
        continue;
      aio_json_write_begin_flat_object(w);
      aio_json_put_int(w, "i", (gint64)i + 1);
      aio_json_put_int(w, "j", (gint64)j + 1);
      write_estimate(w, "estimate", &p->ratio[i][j]);
      aio_json_write_end_object(w);
    }
  }
  aio_json_write_end_array(w);
}

static void write_clusters(AioJsonWriter *w, const ArmGravityParameters *p) {
  aio_json_write_key(w, "clusters");
  aio_json_write_begin_array(w);
  for (size_t c = 0; c < p->n_clusters; c++) {
    aio_json_write_begin_array(w);
    for (size_t i = 0; i < p->n; i++)
      if (p->cluster[i] == (int)c)
        aio_json_write_int(w, (gint64)i + 1);
    aio_json_write_end_array(w);
  }
  aio_json_write_end_array(w);
}

static void write_set(AioJsonWriter *w, const ArmGravityParameters *p, const bool *is_torque,
                      const ArmVerdict *verdict) {
  const bool wants_terms = has_terms(p);
  aio_json_write_key(w, "joints");
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < p->n; i++)
    write_joint(w, i + 1, p->type[i], &p->joint[i], is_torque && is_torque[i], verdict,
                wants_terms);
  aio_json_write_end_array(w);
  write_ratios(w, p);
  write_clusters(w, p);
}

static void write_covariance(AioJsonWriter *w, const ArmGravityParameters *p) {
  aio_json_write_key(w, "covariance");
  aio_json_write_begin_object(w);
  aio_json_write_key(w, "names");
  aio_json_write_begin_array(w);
  for (size_t k = 0; k < p->n_ids; k++) {
    char *name = aio_params_name(p->ids[k]);
    aio_json_write_string(w, name);
    g_free(name);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "lower");
  aio_json_write_begin_array(w);
  for (size_t row = 0; row < p->n_ids; row++)
    for (size_t column = 0; column <= row; column++)
      aio_json_write_number(w, p->covariance[row + column * p->n_ids]);
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
}

static void write_refinement(AioJsonWriter *w, const ArmGravityFit *fit) {
  aio_json_write_key(w, "refinement");
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "iterations", (gint64)fit->iterations);
  aio_json_put_number(w, "relative_gradient", fit->relative_gradient);
  aio_json_put_bool(w, "converged", fit->is_converged);
  aio_json_write_end_object(w);
}

typedef struct {
  const ArmGravityFit *fit;
  const bool *is_torque;
  const char *arm_name, *arm_digest, *program;
  const AioProvenance *provenance;
} Source;

static void write_head(AioJsonWriter *w, const Source *source, const char *digest) {
  aio_json_put_string(w, "format", "armature-parameters");
  aio_json_put_int(w, "version",
                   has_terms(&source->fit->refined) || has_terms(&source->fit->recursive) ? 2 : 1);
  aio_json_put_string(w, "kind", "gravity");
  if (digest)
    aio_json_put_string(w, "digest", digest);
  if (source->program)
    aio_json_put_string(w, "program", source->program);
  aio_json_write_key(w, "arm");
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "name", source->arm_name);
  aio_json_put_string(w, "digest", source->arm_digest);
  aio_json_write_end_object(w);
  if (source->provenance)
    aio_params_write_provenance(w, source->provenance);
}

static GString *format(const Source *source, const char *digest) {
  const ArmGravityFit *fit = source->fit;
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_begin_object(w);
  write_head(w, source, digest);
  aio_params_write_units(w, &fit->refined, source->is_torque);
  aio_verdict_write(w, fit);
  aio_doubts_write(w, &fit->doubts);
  write_set(w, &fit->refined, source->is_torque, &fit->verdict);
  write_covariance(w, &fit->refined);
  write_refinement(w, fit);
  if (fit->recursive.n > 0) {
    aio_json_write_key(w, "recursive");
    aio_json_write_begin_object(w);
    write_set(w, &fit->recursive, source->is_torque, NULL);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return out;
}

char *aio_params_format(const ArmGravityFit *fit, const bool *is_torque, const char *arm_name,
                        const char *arm_digest, const char *program,
                        const AioProvenance *provenance, gsize *length) {
  const Source source = {fit, is_torque, arm_name, arm_digest, program, provenance};
  GString *text = format(&source, NULL);
  AioJson *json = aio_json_parse("parameters", text->str, text->len, NULL);
  /* Larger than this program would read: then without. */
  char *digest = json ? aio_json_digest(aio_json_root(json), "digest") : NULL;
  aio_json_free(json);
  g_string_free(text, TRUE);
  text = format(&source, digest);
  g_free(digest);
  *length = text->len;
  return g_string_free(text, FALSE);
}
