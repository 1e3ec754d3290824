/* SPDX-License-Identifier: MIT */
/* The invented controller: no protocol of ours, and nothing of its driver. */
#include "abacus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char abacus_arm[] =
    "{\"format\": \"armature-arm\", \"version\": 1, \"name\": \"abacus arm\","
    " \"gravity_m_s2\": [0, -9.81, 0], \"joints\": ["
    "{\"type\": \"R\", \"limits\": {\"q_deg\": [-90, 90], \"speed_deg_s\": 120,"
    " \"accel_deg_s2\": 1000, \"current_A\": 2}, \"gear_ratio\": 1, \"motor_sign\": 1,"
    " \"torque_constant_Nm_A\": {\"value\": 1, \"rel_sd\": 0.2}, \"x_armature_ids\": [11]},"
    "{\"type\": \"R\", \"b_m\": 0.3, \"limits\": {\"q_deg\": [-80, 80], \"speed_deg_s\": 120,"
    " \"accel_deg_s2\": 1000, \"current_A\": 2}, \"gear_ratio\": 2, \"motor_sign\": -1,"
    " \"torque_constant_Nm_A\": {\"value\": 1, \"rel_sd\": 0.2}, \"x_armature_ids\": [12, 13]}]}";

void abacus_init(Abacus *abacus) {
  *abacus = (Abacus){
      .line = g_string_new(NULL), .answer = g_string_new(NULL), .heard = g_string_new(NULL)};
  for (int k = 0; k < ABACUS_SERVOS; k++)
    abacus->at[k] = abacus->goal[k] = ABACUS_STEPS / 2;
}

void abacus_clear(Abacus *abacus) {
  g_string_free(abacus->line, TRUE);
  g_string_free(abacus->answer, TRUE);
  g_string_free(abacus->heard, TRUE);
}

static int moving(const Abacus *abacus) {
  for (int k = 0; k < ABACUS_SERVOS; k++)
    if (abacus->is_on && abacus->at[k] != abacus->goal[k])
      return ABACUS_FIRST + k;
  return 0;
}

/* Friction against the motion, and a load that falls off to the sides. */
static int current_mA(const Abacus *abacus, int k) {
  const double way = abacus->goal[k] - abacus->at[k];
  const double load = 200.0 * cos(2.0 * G_PI * (abacus->at[k] - 2048.0) / ABACUS_STEPS);
  return abacus->is_on ? (int)(load + (way > 0 ? 100.0 : way < 0 ? -100.0 : 0.0)) : 0;
}

static void answer_read(Abacus *abacus) {
  g_string_append_printf(abacus->answer, "at %" G_GUINT64_FORMAT " %d %d", abacus->t_us / 1000,
                         abacus->is_on, moving(abacus));
  for (int k = 0; k < ABACUS_SERVOS; k++)
    g_string_append_printf(abacus->answer, " %d %d %d", ABACUS_FIRST + k,
                           (int)lround(abacus->at[k]), current_mA(abacus, k));
  g_string_append_c(abacus->answer, '\n');
}

static bool take_goal(Abacus *abacus, const char *line) {
  int id, steps, speed;
  if (sscanf(line, "goal %d %d %d", &id, &steps, &speed) != 3 || id < ABACUS_FIRST ||
      id >= ABACUS_FIRST + ABACUS_SERVOS || speed < 1)
    return false;
  abacus->goal[id - ABACUS_FIRST] = steps;
  abacus->speed[id - ABACUS_FIRST] = speed * ABACUS_SPEED;
  return true;
}

static void take_line(Abacus *abacus, const char *line) {
  if (abacus->is_mute)
    return;
  if (strcmp(line, "who") == 0)
    g_string_append(abacus->answer, "i am abacus 7\n");
  else if (strcmp(line, "read") == 0)
    answer_read(abacus);
  else if (strcmp(line, "on") == 0 || strcmp(line, "off") == 0 || take_goal(abacus, line))
    g_string_append(abacus->answer, "ok\n");
  else
    return;
  if (line[0] == 'o')
    abacus->is_on = line[1] == 'n';
  g_string_append_printf(abacus->heard, "%s\n", line);
}

void abacus_hear(Abacus *abacus, const guint8 *bytes, gsize n) {
  for (gsize k = 0; k < n; k++)
    if (bytes[k] != '\n') {
      g_string_append_c(abacus->line, (char)bytes[k]);
    } else {
      take_line(abacus, abacus->line->str);
      g_string_truncate(abacus->line, 0);
    }
}

void abacus_pass(Abacus *abacus, guint64 us) {
  abacus->t_us += us;
  for (int k = 0; k < ABACUS_SERVOS && abacus->is_on; k++) {
    const double way = abacus->goal[k] - abacus->at[k];
    const double step = abacus->speed[k] * 1e-6 * (double)us;
    abacus->at[k] += fabs(way) <= step ? way : copysign(step, way);
  }
}
