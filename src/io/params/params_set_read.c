/* SPDX-License-Identifier: MIT */
/* A set from what parameter files have of it, by the catalogue and the kinds of a method. */
#include <math.h>
#include <string.h>

#include "io/params/params_file_joint.h"
#include "io/params/params_set.h"

/* Of a parameter that a file names; those of a catalogue have less than 20. */
enum { WORD_BYTES = 63 };

typedef struct {
  const ArmMethod *method;
  const AioJsonNode *object;
  ArmParamSet *set;
} Reading;

static const AioJsonNode *require_array(const AioJsonNode *object, const char *key,
                                        GError **error) {
  const AioJsonNode *array = aio_json_require(object, key, error);
  return array && aio_json_require_kind(array, AIO_JSON_ARRAY, error) ? array : NULL;
}

/* ---- how much there is ---- */

static void count_named(const AioJsonNode *list, ArmParamRoom *room) {
  for (gsize k = 0; k < aio_json_size(list); k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    const AioJsonNode *texts[] = {aio_json_member(item, "name"), aio_json_member(item, "unit")};
    const AioJsonNode *terms = aio_json_member(item, "terms");
    for (gsize t = 0; t < G_N_ELEMENTS(texts); t++)
      room->text +=
          texts[t] && texts[t]->kind == AIO_JSON_STRING ? strlen(texts[t]->string) + 1 : 0;
    room->terms += terms && terms->kind == AIO_JSON_ARRAY ? aio_json_size(terms) : 0;
  }
}

static ArmParamRoom count(const Reading *r, size_t n, bool has_covariance) {
  ArmParamRoom room = {0};
  for (size_t k = 0; k < r->method->n; k++) {
    const ArmParamInfo *info = arm_param_info(r->method->params[k].kind);
    const AioJsonNode *list =
        info->scope == ARM_NAMED && info->list ? aio_json_member(r->object, info->list) : NULL;
    room.params += info->scope == ARM_OF_PAIR ? n * (n - 1) / 2
                   : info->scope == ARM_NAMED ? n * ARM_PARAM_INERTIAS
                                              : n;
    if (list && list->kind == AIO_JSON_ARRAY)
      count_named(list, &room);
  }
  const AioJsonNode *covariance = has_covariance ? aio_json_member(r->object, "covariance") : NULL;
  const AioJsonNode *names = covariance && covariance->kind == AIO_JSON_OBJECT
                                 ? aio_json_member(covariance, "names")
                                 : NULL;
  if (names && names->kind == AIO_JSON_ARRAY) /* each once */
    room.covered = MIN(aio_json_size(names), room.params);
  return room;
}

/* ---- joints and their groups ---- */

static bool read_joints(const Reading *r, AioParamsTried *tried, GError **error) {
  const AioJsonNode *joints = require_array(r->object, "joints", error);
  const size_t n = r->set->n_joints;
  if (!joints)
    return false;
  if (aio_json_size(joints) != n)
    return aio_json_fail_with(joints, AIO_ERROR_MEANING, error,
                              "expected the %" G_GSIZE_FORMAT
                              " joints of the arm, found %" G_GSIZE_FORMAT,
                              n, aio_json_size(joints));
  for (size_t i = 0; i < n; i++)
    if (!aio_params_read_joint(aio_json_item(joints, i), r->method, i, tried ? &tried[i] : NULL,
                               r->set, error))
      return false;
  return true;
}

static bool read_cluster(const AioJsonNode *list, ArmParamSet *set, GError **error) {
  if (list->kind != AIO_JSON_ARRAY || aio_json_size(list) == 0)
    return aio_json_fail(list, "a list of joints", error);
  for (gsize k = 0; k < aio_json_size(list); k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    gint64 joint;
    if (!aio_json_get_int(item, 1, (gint64)set->n_joints, &joint, error))
      return false;
    if (set->group[joint - 1] >= 0)
      return aio_json_fail(item, "each joint in one cluster only", error);
    set->group[joint - 1] = (int)set->n_groups;
  }
  set->n_groups++;
  return true;
}

static bool read_clusters(const Reading *r, GError **error) {
  const AioJsonNode *clusters = require_array(r->object, "clusters", error);
  if (!clusters)
    return false;
  for (gsize k = 0; k < aio_json_size(clusters); k++)
    if (!read_cluster(aio_json_item(clusters, k), r->set, error))
      return false;
  return true;
}

/* ---- lists ---- */

static bool is_pair(const ArmParamSet *set, size_t i, size_t j) {
  return i < j && set->group[i] >= 0 && set->group[i] == set->group[j];
}

static bool read_pair(const AioJsonNode *node, ArmParamKind kind, ArmParamSet *set,
                      GError **error) {
  static const char *const known[] = {"i", "j", "estimate", NULL};
  gint64 i, j, n = (gint64)set->n_joints;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *first = aio_json_require(node, "i", error);
  const AioJsonNode *second = first ? aio_json_require(node, "j", error) : NULL;
  const AioJsonNode *estimate = second ? aio_json_require(node, "estimate", error) : NULL;
  if (!estimate || !aio_json_get_int(first, 1, n, &i, error) ||
      !aio_json_get_int(second, 1, n, &j, error))
    return false;
  if (!is_pair(set, (size_t)i - 1, (size_t)j - 1))
    return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                              "expected two joints i < j of one cluster, found %d and %d", (int)i,
                              (int)j);
  ArmEstimate *e = arm_param_set_add_id(set, kind, (size_t)i - 1, (size_t)j - 1);
  if (!e)
    return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                              "expected each pair once, found %d and %d again", (int)i, (int)j);
  return aio_params_read_estimate(estimate, e, error);
}

static bool check_pairs(const AioJsonNode *list, ArmParamKind kind, const ArmParamSet *set,
                        GError **error) {
  for (size_t i = 0; i < set->n_joints; i++)
    for (size_t j = i + 1; j < set->n_joints; j++)
      if (is_pair(set, i, j) && !arm_param_set_at(set, (ArmParamId){kind, (guchar)i, (guchar)j}))
        return aio_json_fail_with(list, AIO_ERROR_MEANING, error,
                                  "expected every pair inside a cluster, found none for %d and %d",
                                  (int)i + 1, (int)j + 1);
  return true;
}

static bool read_term(const AioJsonNode *node, size_t n, ArmParamTerm *term, GError **error) {
  static const char *const known[] = {"link", "parameter", "coefficient", NULL};
  const char *word;
  gint64 link;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *of = aio_json_require(node, "link", error);
  const AioJsonNode *key = of ? aio_json_require(node, "parameter", error) : NULL;
  const AioJsonNode *factor = key ? aio_json_require(node, "coefficient", error) : NULL;
  if (!factor || !aio_json_get_int(of, 1, (gint64)n, &link, error) ||
      !aio_json_get_string(key, &word, error) ||
      !aio_json_get_number(factor, &term->coefficient, error))
    return false;
  for (int kind = 0; kind < ARM_PARAM_KINDS; kind++)
    if (strcmp(arm_param_term_key((ArmParamKind)kind), word) == 0 &&
        arm_param_info((ArmParamKind)kind)->scope == ARM_OF_JOINT) {
      term->id = (ArmParamId){(ArmParamKind)kind, (guchar)(link - 1), 0};
      return true;
    }
  return aio_json_fail(key, "a parameter of a link, such as \"XX\"", error);
}

/* What a combination is called by: the first of its terms. */
static bool id_of(const AioJsonNode *terms, ArmParamKind kind, const ArmParamTerm *first,
                  ArmParamId *id, GError **error) {
  const int which = arm_param_inertial(first->id.kind);
  if (which < 0)
    return aio_json_fail(terms, "an inertial parameter of a link first", error);
  *id = (ArmParamId){kind, first->id.i, (guchar)which};
  return true;
}

/* It comes to stand in comments of C and in cells of tables, neither of which can quote it. */
static bool read_word(const AioJsonNode *node, const char *what, const char **out, GError **error) {
  if (!aio_json_get_string(node, out, error))
    return false;
  const char *word = *out;
  bool is_good = *word && strlen(word) <= WORD_BYTES && !strpbrk(word, ",\"") &&
                 !strstr(word, "*/") && !strstr(word, "/*");
  for (; is_good && *word; word = g_utf8_next_char(word))
    is_good = !g_unichar_iscntrl(g_utf8_get_char(word));
  char *expected = g_strdup_printf("a %s of at most %d bytes, without control characters, commas, "
                                   "quotes and marks of comments",
                                   what, WORD_BYTES);
  if (!is_good)
    aio_json_fail(node, expected, error);
  g_free(expected);
  return is_good;
}

static bool read_named(const AioJsonNode *node, ArmParamKind kind, ArmParamSet *set,
                       GError **error) {
  static const char *const known[] = {"name", "unit", "terms", "estimate", NULL};
  ArmParam param = {0};
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *name = aio_json_require(node, "name", error);
  const AioJsonNode *unit = name ? aio_json_require(node, "unit", error) : NULL;
  const AioJsonNode *terms = unit ? require_array(node, "terms", error) : NULL;
  const AioJsonNode *estimate = terms ? aio_json_require(node, "estimate", error) : NULL;
  if (!estimate || !read_word(name, "name", &param.name, error) ||
      !read_word(unit, "unit", &param.unit, error))
    return false;
  if (aio_json_size(terms) == 0)
    return aio_json_fail(terms, "what it is a combination of", error);
  ArmParamTerm *read = g_new0(ArmParamTerm, aio_json_size(terms));
  bool is_good = true;
  for (param.n_terms = 0; is_good && param.n_terms < aio_json_size(terms); param.n_terms++)
    is_good =
        read_term(aio_json_item(terms, param.n_terms), set->n_joints, &read[param.n_terms], error);
  param.terms = read;
  is_good = is_good && id_of(terms, kind, read, &param.id, error);
  if (is_good && aio_param_find(set, param.name) != ARM_PARAM_NONE)
    is_good = aio_json_fail(name, "each name once", error);
  ArmEstimate *e = is_good ? arm_param_set_add(set, &param) : NULL;
  if (is_good && !e)
    is_good = aio_json_fail(terms, "no other parameter that begins with the same term", error);
  g_free(read);
  return is_good && aio_params_read_estimate(estimate, e, error);
}

/* A joint with its group, and what the method finds of it. */
static bool read_joint_item(const AioJsonNode *node, const Reading *r, const char *list,
                            GError **error) {
  const char *known[ARM_PARAM_KINDS + 3] = {"joint", "group", NULL};
  ArmParamSet *set = r->set;
  size_t n = 2;
  gint64 joint, group = 0;
  for (size_t k = 0; k < r->method->n; k++)
    if (g_strcmp0(arm_param_info(r->method->params[k].kind)->list, list) == 0)
      known[n++] = arm_param_key(r->method->params[k].kind);
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *of = aio_json_require(node, "joint", error);
  const AioJsonNode *in = of ? aio_json_require(node, "group", error) : NULL;
  if (!in || !aio_json_get_int(of, 1, (gint64)set->n_joints, &joint, error) ||
      (in->kind != AIO_JSON_NULL && !aio_json_get_int(in, 1, (gint64)set->n_joints, &group, error)))
    return false;
  set->group[joint - 1] = (int)group - 1;
  set->n_groups = MAX(set->n_groups, (size_t)group);
  for (size_t k = 0; k < r->method->n; k++) {
    const ArmMethodParam *wanted = &r->method->params[k];
    if (g_strcmp0(arm_param_info(wanted->kind)->list, list) != 0)
      continue;
    const char *key = arm_param_key(wanted->kind);
    const AioJsonNode *item =
        wanted->is_optional ? aio_json_member(node, key) : aio_json_require(node, key, error);
    if (!item && wanted->is_optional)
      continue;
    ArmEstimate *e = item ? arm_param_set_add_id(set, wanted->kind, (size_t)joint - 1, 0) : NULL;
    if (item && !e)
      return aio_json_fail(of, "each joint once", error);
    if (!item || !aio_params_read_estimate(item, e, error))
      return false;
  }
  return true;
}

static bool read_list(const Reading *r, ArmParamKind kind, GError **error) {
  const ArmParamInfo *info = arm_param_info(kind);
  const AioJsonNode *list = require_array(r->object, info->list, error);
  if (!list)
    return false;
  for (gsize k = 0; k < aio_json_size(list); k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    const bool is_read = info->scope == ARM_OF_PAIR ? read_pair(item, kind, r->set, error)
                         : info->scope == ARM_NAMED ? read_named(item, kind, r->set, error)
                                                    : read_joint_item(item, r, info->list, error);
    if (!is_read)
      return false;
  }
  return info->scope != ARM_OF_PAIR || check_pairs(list, kind, r->set, error);
}

static bool read_lists(const Reading *r, GError **error) {
  for (size_t k = 0; k < r->method->n; k++)
    if (aio_params_begins_list(r->method, k) && !read_list(r, r->method->params[k].kind, error))
      return false;
  return true;
}

/* ---- covariance ---- */

static bool read_names(const AioJsonNode *names, ArmParamSet *set, bool *is_covered,
                       GError **error) {
  for (gsize k = 0; k < aio_json_size(names); k++) {
    const AioJsonNode *item = aio_json_item(names, k);
    const char *name;
    if (!aio_json_get_string(item, &name, error))
      return false;
    const size_t at = aio_param_find(set, name);
    if (at == ARM_PARAM_NONE)
      return aio_json_fail(
          item, "the name of a parameter of this file, such as \"coulomb_pos_A_1\"", error);
    if (is_covered[at])
      return aio_json_fail(item, "each name once", error);
    is_covered[at] = arm_param_set_cover(set, at);
  }
  return true;
}

static bool read_lower(const AioJsonNode *lower, ArmParamSet *set, GError **error) {
  const size_t m = set->n_covered, count = m * (m + 1) / 2;
  if (aio_json_size(lower) != count)
    return aio_json_fail_with(lower, AIO_ERROR_MEANING, error,
                              "expected %" G_GSIZE_FORMAT
                              " numbers, the lower triangle of %" G_GSIZE_FORMAT
                              " names, found %" G_GSIZE_FORMAT,
                              count, m, aio_json_size(lower));
  for (size_t row = 0, k = 0; row < m; row++) {
    for (size_t column = 0; column <= row; column++, k++) {
      const AioJsonNode *item = aio_json_item(lower, k);
      double number;
      if (!aio_json_get_number(item, &number, error))
        return false;
      if (row == column && number < 0.0)
        return aio_json_fail(item, "a variance, not negative", error);
      set->covariance[row + column * m] = set->covariance[column + row * m] = number;
    }
  }
  return true;
}

/* What is called identifiable must have its place in the covariance, or predictions would be
 * surer than the data. */
static bool check_covered(const AioJsonNode *names, const ArmParamSet *set, const bool *is_covered,
                          GError **error) {
  size_t missing = ARM_PARAM_NONE;
  for (size_t k = 0; k < set->n; k++) {
    const ArmParamId id = set->param[k].id;
    if (is_covered[k] || !set->estimate[k].identifiable || !arm_param_set_is_listed(set, k))
      continue;
    const ArmParamId first =
        missing == ARM_PARAM_NONE ? (ArmParamId){ARM_PARAM_KINDS, 0, 0} : set->param[missing].id;
    if (id.kind < first.kind ||
        (id.kind == first.kind && (id.i < first.i || (id.i == first.i && id.j < first.j))))
      missing = k;
  }
  if (missing == ARM_PARAM_NONE)
    return true;
  char *name = aio_param_name(set, missing);
  aio_json_fail_with(names, AIO_ERROR_MEANING, error,
                     "expected every identifiable parameter, found no \"%s\"", name);
  g_free(name);
  return false;
}

static bool read_covariance(const Reading *r, GError **error) {
  static const char *const known[] = {"names", "lower", NULL};
  const AioJsonNode *covariance = aio_json_require(r->object, "covariance", error);
  if (!covariance || !aio_json_check_keys(covariance, known, true, error))
    return false;
  const AioJsonNode *names = require_array(covariance, "names", error);
  const AioJsonNode *lower = names ? require_array(covariance, "lower", error) : NULL;
  if (!lower)
    return false;
  bool *is_covered = g_new0(bool, r->set->n + 1);
  const bool is_read = read_names(names, r->set, is_covered, error) &&
                       read_lower(lower, r->set, error) &&
                       check_covered(names, r->set, is_covered, error);
  g_free(is_covered);
  return is_read;
}

/* ---- all of it ---- */

bool aio_params_read_set(const AioJsonNode *object, const ArmMethod *method, const ArmModel *model,
                         const ArmParamSet *groups, bool has_covariance, AioParamsTried *tried,
                         ArmParamSet *set, GError **error) {
  ArmParamSet made;
  const Reading r = {method, object, &made};
  const ArmParamRoom room = count(&r, model->n, has_covariance);
  if (arm_param_set_init(&made, model->n, &room) != ARM_OK)
    return aio_json_fail_with(object, AIO_ERROR_MEMORY, error, "not enough memory");
  made.is_of_motion = method->is_of_motion;
  for (size_t i = 0; i < model->n; i++)
    made.type[i] = model->joints[i].type;
  bool is_read = read_joints(&r, tried, error);
  if (is_read && method->lists_clusters && !groups) {
    is_read = read_clusters(&r, error);
  } else if (is_read && groups) {
    memcpy(made.group, groups->group, sizeof made.group);
    made.n_groups = groups->n_groups;
  }
  if (is_read && read_lists(&r, error) && (!has_covariance || read_covariance(&r, error))) {
    *set = made;
    return true;
  }
  arm_param_set_clear(&made);
  return false;
}

bool aio_params_check_units(const AioJsonNode *root, const ArmParamSet *set, GError **error) {
  const AioJsonNode *units = aio_json_member(root, "units");
  if (!units)
    return true;
  const char **known = g_new0(const char *, set->n + 1);
  size_t *at = g_new0(size_t, set->n + 1);
  size_t n = 0;
  for (size_t k = 0; k < set->n; k++)
    if (arm_param_set_is_listed(set, k)) {
      at[n] = k;
      known[n++] = aio_param_name(set, k);
    }
  bool is_good = aio_json_check_keys(units, known, true, error);
  for (size_t k = 0; k < n && is_good; k++) {
    const AioJsonNode *node = aio_json_member(units, known[k]);
    const char *unit = arm_param_set_unit(set, at[k]), *found = unit;
    is_good = !node || aio_json_get_string(node, &found, error);
    if (is_good && strcmp(found, unit) != 0)
      is_good = aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                                   "expected \"%s\", the unit of this parameter here, found \"%s\"",
                                   unit, found);
  }
  for (size_t k = 0; k < n; k++)
    g_free((gpointer)known[k]);
  g_free(known);
  g_free(at);
  return is_good;
}
