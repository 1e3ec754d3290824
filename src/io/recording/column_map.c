/* SPDX-License-Identifier: MIT */
/* A map is checked by itself when it is read, and against the arm when that is known: a wrong unit
 * or joint is told at its place in the map, not as a strange number afterwards. */
#include "io/recording/column_map.h"

#include <math.h>
#include <string.h>

static const char *const channel_keys[AIO_MAP_CHANNELS] = {
    [AIO_MAP_POSITION] = "position",
    [AIO_MAP_SPEED] = "speed",
    [AIO_MAP_ACCELERATION] = "acceleration",
    [AIO_MAP_CURRENT] = "current",
    [AIO_MAP_TORQUE] = "torque",
};

/* Quantities of a channel: of a rotation (and of everything on the motor side), of a translation.
 */
static const AioQuantity channel_quantity[AIO_MAP_CHANNELS][2] = {
    [AIO_MAP_POSITION] = {AIO_QUANTITY_ANGLE, AIO_QUANTITY_LENGTH},
    [AIO_MAP_SPEED] = {AIO_QUANTITY_ANGULAR_SPEED, AIO_QUANTITY_LINEAR_SPEED},
    [AIO_MAP_ACCELERATION] = {AIO_QUANTITY_ANGULAR_ACCELERATION, AIO_QUANTITY_LINEAR_ACCELERATION},
    [AIO_MAP_CURRENT] = {AIO_QUANTITY_CURRENT, AIO_QUANTITY_CURRENT},
    [AIO_MAP_TORQUE] = {AIO_QUANTITY_TORQUE, AIO_QUANTITY_FORCE},
};

const char *aio_map_channel_key(AioMapChannelKind kind) {
  return channel_keys[kind];
}

/* An optional member: true when it is absent or was read. */
static bool get_number(const AioJsonNode *object, const char *key, double *out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  return !node || aio_json_get_number(node, out, error);
}

static bool get_bool(const AioJsonNode *object, const char *key, bool *out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  return !node || aio_json_get_bool(node, out, error);
}

/* An optional string that must be one of `choices`; *out is its index. */
static bool get_choice(const AioJsonNode *object, const char *key, const char *const *choices,
                       gsize *out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  if (!node)
    return true;
  const char *text;
  if (!aio_json_get_string(node, &text, error))
    return false;
  for (gsize k = 0; choices[k]; k++) {
    if (strcmp(choices[k], text) == 0) {
      *out = k;
      return true;
    }
  }
  char *list = g_strjoinv("\" or \"", (char **)choices);
  char *expected = g_strdup_printf("\"%s\"", list);
  aio_json_fail(node, expected, error);
  g_free(list);
  g_free(expected);
  return false;
}

/* {"column": "name" or number} of the map. */
static bool read_column(const AioColumnMap *map, const AioJsonNode *node, AioMapChannel *channel,
                        GError **error) {
  if (node->kind == AIO_JSON_STRING) {
    if (!map->is_json && !map->format.has_header)
      return aio_json_fail(node, "a number from 1, since \"has_header\" is false", error);
    return aio_json_get_string(node, &channel->name, error);
  }
  if (map->is_json)
    return aio_json_fail(node, "a key of the rows, since \"input\" is \"json\"", error);
  gint64 number;
  if (node->kind != AIO_JSON_NUMBER)
    return aio_json_fail(node, "a column's name or its number from 1", error);
  if (!aio_json_get_int(node, 1, AIO_CSV_MAX_COLUMNS, &number, error))
    return false;
  channel->number = (gsize)number;
  return true;
}

static bool read_unit(const AioJsonNode *object, const AioQuantity quantity[2],
                      AioMapChannel *channel, GError **error) {
  const AioJsonNode *node = aio_json_require(object, "unit", error);
  const char *name;
  if (!node || !aio_json_get_string(node, &name, error))
    return false;
  channel->unit = aio_unit_find(name);
  if (channel->unit &&
      (channel->unit->quantity == quantity[0] || channel->unit->quantity == quantity[1]))
    return true;
  char *first = aio_unit_list(quantity[0]);
  char *second = quantity[1] != quantity[0] ? aio_unit_list(quantity[1]) : NULL;
  char *expected =
      second ? g_strdup_printf("%s (rotation), %s (translation)", first, second) : g_strdup(first);
  aio_json_fail(node, expected, error);
  g_free(first);
  g_free(second);
  g_free(expected);
  return false;
}

static bool read_sign(const AioJsonNode *object, AioMapChannel *channel, GError **error) {
  const AioJsonNode *node = aio_json_member(object, "sign");
  channel->sign = 1;
  if (!node)
    return true;
  double sign;
  if (!aio_json_get_number(node, &sign, error))
    return false;
  if (sign != 1 && sign != -1)
    return aio_json_fail(node, "1 or -1", error);
  channel->sign = sign;
  return true;
}

static bool read_channel(const AioColumnMap *map, const AioJsonNode *node, AioMapChannelKind kind,
                         AioMapChannel *channel, GError **error) {
  static const char *const known[] = {"column", "value", "unit", "sign", "offset", "side", NULL};
  static const char *const sides[] = {"joint", "motor", NULL};
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *column = aio_json_member(node, "column");
  const AioJsonNode *value = aio_json_member(node, "value");
  if (!column == !value)
    return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                              "expected either \"column\" or \"value\", found %s",
                              column ? "both" : "neither");
  gsize side = 0;
  channel->node = node;
  if ((column && !read_column(map, column, channel, error)) ||
      (value && !aio_json_get_number(value, &channel->constant, error)) ||
      !read_unit(node, channel_quantity[kind], channel, error) ||
      !read_sign(node, channel, error) || !get_number(node, "offset", &channel->offset, error) ||
      !get_choice(node, "side", sides, &side, error))
    return false;
  channel->is_motor_side = side == 1;
  if (channel->is_motor_side && kind == AIO_MAP_CURRENT)
    return aio_json_fail_with(aio_json_member(node, "side"), AIO_ERROR_MEANING, error,
                              "a current has no side: leave the key out");
  if (channel->is_motor_side && channel->unit->quantity != channel_quantity[kind][0])
    return aio_json_fail_with(aio_json_member(node, "unit"), AIO_ERROR_MEANING, error,
                              "a motor rotates: the motor side has no unit \"%s\"",
                              channel->unit->name);
  return true;
}

static bool read_joint(AioColumnMap *map, const AioJsonNode *node, GError **error) {
  static const char *const known[] = {"joint",        "name",    "position", "speed",
                                      "acceleration", "current", "torque",   NULL};
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !aio_json_check_keys(node, known, true, error))
    return false;
  AioMapJoint *joint = &map->joints[map->n_joints];
  const AioJsonNode *number = aio_json_require(node, "joint", error);
  if (!number || !aio_json_get_int(number, 1, ARM_MAX_JOINTS, &joint->joint, error))
    return false;
  for (gsize k = 0; k < map->n_joints; k++) {
    if (map->joints[k].joint == joint->joint)
      return aio_json_fail(number, "every joint once", error);
  }
  joint->node = node;
  for (int kind = 0; kind < AIO_MAP_CHANNELS; kind++) {
    const AioJsonNode *channel = aio_json_member(node, channel_keys[kind]);
    if (channel &&
        !read_channel(map, channel, (AioMapChannelKind)kind, &joint->channels[kind], error))
      return false;
  }
  if (joint->channels[AIO_MAP_CURRENT].node && joint->channels[AIO_MAP_TORQUE].node)
    return aio_json_fail_with(joint->channels[AIO_MAP_TORQUE].node, AIO_ERROR_MEANING, error,
                              "expected a current or a torque of a joint, found both");
  map->n_joints++;
  return true;
}

static bool read_joints(AioColumnMap *map, const AioJsonNode *root, GError **error) {
  const AioJsonNode *joints = aio_json_require(root, "joints", error);
  if (!joints || !aio_json_require_kind(joints, AIO_JSON_ARRAY, error))
    return false;
  if (aio_json_size(joints) < 1 || aio_json_size(joints) > ARM_MAX_JOINTS)
    return aio_json_fail(joints, "1 to 32 joints", error);
  for (gsize k = 0; k < aio_json_size(joints); k++) {
    if (!read_joint(map, aio_json_item(joints, k), error))
      return false;
  }
  return true;
}

static bool read_time(AioColumnMap *map, const AioJsonNode *root, GError **error) {
  static const char *const known[] = {"column", "unit", NULL};
  static const AioQuantity quantity[2] = {AIO_QUANTITY_TIME, AIO_QUANTITY_TIME};
  const AioJsonNode *node = aio_json_member(root, "time");
  if (!get_number(root, "from_s", &map->from_s, error) ||
      !get_number(root, "to_s", &map->to_s, error))
    return false;
  if (!node && !isnan(map->rate_Hz))
    return true;
  if (node && !isnan(map->rate_Hz))
    return aio_json_fail(node, "no time beside a stated sample rate", error);
  if (!node)
    return aio_json_fail_with(root, AIO_ERROR_REFUSED, error,
                              "expected \"time\": a recording without a time of every row cannot "
                              "be fitted (is the sampling even? were samples lost?); where it "
                              "is even and whole, state the rate: --rate HZ");
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *column = aio_json_require(node, "column", error);
  map->time.node = node;
  map->time.sign = 1;
  return column && read_column(map, column, &map->time, error) &&
         read_unit(node, quantity, &map->time, error);
}

static bool read_detection(AioColumnMap *map, const AioJsonNode *node, GError **error) {
  bool is_on = false;
  if (!get_bool(node, "detect", &is_on, error) ||
      !get_number(node, "min_speed_rad_s", &map->detect_speed_R, error) ||
      !get_number(node, "min_speed_m_s", &map->detect_speed_T, error))
    return false;
  if (!is_on)
    return aio_json_fail(aio_json_member(node, "detect"), "true", error);
  if (!(map->detect_speed_R > 0 && map->detect_speed_T > 0))
    return aio_json_fail(node, "minimum speeds above 0", error);
  map->moving = AIO_MOVING_DETECT;
  return true;
}

static bool read_moving(AioColumnMap *map, const AioJsonNode *root, GError **error) {
  static const char *const known[] = {"value",           "column",        "detect",
                                      "min_speed_rad_s", "min_speed_m_s", NULL};
  const AioJsonNode *node = aio_json_require(root, "moving_joint", error);
  if (!node || !aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *value = aio_json_member(node, "value");
  const AioJsonNode *column = aio_json_member(node, "column");
  const AioJsonNode *detect = aio_json_member(node, "detect");
  map->moving_node = node;
  if ((value != NULL) + (column != NULL) + (detect != NULL) != 1)
    return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                              "expected one of \"value\", \"column\" and \"detect\"");
  if (detect)
    return read_detection(map, node, error);
  map->moving = value ? AIO_MOVING_VALUE : AIO_MOVING_COLUMN;
  return value ? aio_json_get_int(value, 0, ARM_MAX_JOINTS, &map->moving_joint, error)
               : read_column(map, column, &map->moving_column, error);
}

static bool read_format(AioColumnMap *map, const AioJsonNode *root, GError **error) {
  static const char *const inputs[] = {"csv", "json", NULL};
  static const char *const delimiters[] = {",", ";", "\t", " ", NULL};
  static const char *const decimals[] = {".", ",", NULL};
  gsize input = 0, delimiter = 0, decimal = 0;
  if (!get_choice(root, "input", inputs, &input, error) ||
      !get_choice(root, "delimiter", delimiters, &delimiter, error) ||
      !get_choice(root, "decimal", decimals, &decimal, error) ||
      !get_bool(root, "has_header", &map->format.has_header, error))
    return false;
  map->is_json = input == 1;
  map->format.delimiter = *delimiters[delimiter];
  map->format.decimal = *decimals[decimal];
  if (map->format.delimiter == map->format.decimal)
    return aio_json_fail_with(aio_json_member(root, "decimal"), AIO_ERROR_MEANING, error,
                              "a comma cannot be both the delimiter and the decimal sign");
  const AioJsonNode *skip = aio_json_member(root, "skip_lines");
  gint64 lines = 0;
  if (skip && !aio_json_get_int(skip, 0, 100000, &lines, error))
    return false;
  map->format.skip_lines = (gsize)lines;
  const AioJsonNode *rows = aio_json_member(root, "rows");
  if (rows && !map->is_json)
    return aio_json_fail_with(rows, AIO_ERROR_MEANING, error,
                              "only an \"input\": \"json\" has a key of rows");
  return !rows || aio_json_get_string(rows, &map->rows, error);
}

static bool read_map(AioColumnMap *map, GError **error) {
  static const char *const known[] = {"format",    "version",      "description", "provenance",
                                      "input",     "rows",         "has_header",  "skip_lines",
                                      "delimiter", "decimal",      "time",        "from_s",
                                      "to_s",      "moving_joint", "joints",      NULL};
  static const char *const formats[] = {"armature-columns", NULL};
  const AioJsonNode *root = aio_json_root(map->json);
  gsize format;
  gint64 version;
  if (!aio_json_require_kind(root, AIO_JSON_OBJECT, error))
    return false;
  const AioJsonNode *named = aio_json_require(root, "format", error);
  if (!named || !get_choice(root, "format", formats, &format, error))
    return false;
  const AioJsonNode *numbered = aio_json_require(root, "version", error);
  if (!numbered || !aio_json_get_int(numbered, 1, 1, &version, error) ||
      !aio_json_check_keys(root, known, true, error))
    return false;
  map->format = AIO_CSV_PLAIN;
  map->to_s = INFINITY;
  map->detect_speed_R = 0.01; /* 0.6 deg/s, 1 mm/s: slower than any sweep, faster than jitter */
  map->detect_speed_T = 0.001;
  return read_format(map, root, error) && read_time(map, root, error) &&
         read_moving(map, root, error) && read_joints(map, root, error);
}

static AioColumnMap *map_from_json(AioJson *json, double rate_Hz, GError **error) {
  if (!json)
    return NULL;
  AioColumnMap *map = g_new0(AioColumnMap, 1);
  map->json = json;
  map->rate_Hz = rate_Hz;
  if (!read_map(map, error)) {
    aio_column_map_free(map);
    return NULL;
  }
  return map;
}

AioColumnMap *aio_column_map_load_at(const char *path, double rate_Hz, GError **error) {
  return map_from_json(aio_json_load(path, error), rate_Hz, error);
}

AioColumnMap *aio_column_map_load(const char *path, GError **error) {
  return aio_column_map_load_at(path, (double)NAN, error);
}

AioColumnMap *aio_column_map_parse(const char *name, const char *bytes, gsize length,
                                   GError **error) {
  return map_from_json(aio_json_parse(name, bytes, length, error), (double)NAN, error);
}

void aio_column_map_free(AioColumnMap *map) {
  if (!map)
    return;
  aio_json_free(map->json);
  g_free(map);
}

static bool check_channel(const AioMapChannel *channel, AioMapChannelKind kind,
                          const ArmModel *model, gsize j, GError **error) {
  const ArmJoint *joint = &model->joints[j];
  const int type = channel->is_motor_side || joint->type == ARM_JOINT_R ? 0 : 1;
  if (channel->unit->quantity != channel_quantity[kind][type]) {
    char *list = aio_unit_list(channel_quantity[kind][type]);
    char *expected = g_strdup_printf("%s since joint %" G_GSIZE_FORMAT " %s", list, j + 1,
                                     joint->type == ARM_JOINT_R ? "rotates" : "translates");
    aio_json_fail(aio_json_member(channel->node, "unit"), expected, error);
    g_free(list);
    g_free(expected);
    return false;
  }
  if (!channel->is_motor_side)
    return true;
  const AioJsonNode *side = aio_json_member(channel->node, "side");
  if (joint->n_motors == 0 || isnan(joint->motors[0].gear_ratio))
    return aio_json_fail_with(side, AIO_ERROR_MEANING, error,
                              "the arm states no gear ratio of joint %" G_GSIZE_FORMAT, j + 1);
  for (gsize k = 1; k < joint->n_motors; k++) {
    if (joint->motors[k].gear_ratio != joint->motors[0].gear_ratio)
      return aio_json_fail_with(side, AIO_ERROR_MEANING, error,
                                "the motors of joint %" G_GSIZE_FORMAT " have different gear "
                                "ratios: give the joint side",
                                j + 1);
  }
  if (kind == AIO_MAP_TORQUE && model->has_coupling)
    return aio_json_fail_with(side, AIO_ERROR_MEANING, error,
                              "the arm's gears are coupled: give torques on the joint side");
  return true;
}

static const AioMapJoint *find_joint(const AioColumnMap *map, gsize j) {
  for (gsize k = 0; k < map->n_joints; k++) {
    if (map->joints[k].joint == (gint64)j + 1)
      return &map->joints[k];
  }
  return NULL;
}

bool aio_column_map_check_arm(const AioColumnMap *map, const ArmModel *model, GError **error) {
  for (gsize k = 0; k < map->n_joints; k++) {
    const AioMapJoint *joint = &map->joints[k];
    if (joint->joint > (gint64)model->n)
      return aio_json_fail_with(aio_json_member(joint->node, "joint"), AIO_ERROR_MEANING, error,
                                "the arm has %zu joints", model->n);
    for (int kind = 0; kind < AIO_MAP_CHANNELS; kind++) {
      const AioMapChannel *channel = &joint->channels[kind];
      if (channel->node &&
          !check_channel(channel, (AioMapChannelKind)kind, model, (gsize)joint->joint - 1, error))
        return false;
    }
  }
  for (gsize j = 0; j < model->n; j++) {
    const AioMapJoint *joint = find_joint(map, j);
    if (!joint || !joint->channels[AIO_MAP_POSITION].node)
      return aio_json_fail_with(joint ? joint->node
                                      : aio_json_member(aio_json_root(map->json), "joints"),
                                AIO_ERROR_MEANING, error,
                                "joint %" G_GSIZE_FORMAT " of the arm has no \"position\" (a joint "
                                "that never moved may have a \"value\")",
                                j + 1);
  }
  if (map->moving == AIO_MOVING_VALUE && map->moving_joint > (gint64)model->n)
    return aio_json_fail_with(map->moving_node, AIO_ERROR_MEANING, error, "the arm has %zu joints",
                              model->n);
  return true;
}
