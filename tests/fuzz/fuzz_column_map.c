/* SPDX-License-Identifier: MIT */
/* A column map, and a table read with it: the input up to the first byte 0x1e is the map, what
 * follows is the table. */
#include <glib.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/recording/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool claim) {
  if (!claim)
    abort();
}

/* Two rotations and a translation, geared and coupled. */
static void make_arm(ArmModel *arm) {
  require(arm_model_init(arm, 3) == ARM_OK);
  arm->joints[2].type = ARM_JOINT_T;
  for (size_t j = 0; j < 3; j++) {
    arm->joints[j].n_motors = 1;
    arm->joints[j].motors[0] =
        (ArmMotor){.gear_ratio = 50.0 + (double)j, .motor_sign = j == 1 ? -1 : 1};
  }
  arm->has_coupling = true;
  arm->coupling[2][0] = 0.25;
}

static void check_report(const AioRecording *recording, const AioImportReport *report) {
  size_t moving = 0;
  for (size_t j = 0; j <= recording->n; j++)
    moving += report->rows_moving[j];
  require(report->rows_kept == recording->rows && recording->rows > 0);
  require(moving == recording->rows);
  require(report->rows_before + report->rows_kept + report->rows_after == report->rows_read);
  for (size_t row = 0; row < recording->rows; row++) {
    require(isfinite(recording->t[row]) && (row == 0 || recording->t[row] > recording->t[row - 1]));
    require(recording->joint[row] >= 0 && recording->joint[row] <= (int)recording->n);
  }
  for (size_t k = 0; k < recording->n * recording->rows; k++)
    require(!isinf(recording->q[k]) && !isinf(recording->qd[k]) && !isinf(recording->current[k]));
}

static void check_import(const AioColumnMap *map, const char *table, size_t length) {
  ArmModel arm;
  make_arm(&arm);
  GError *error = NULL;
  AioImportReport report = {0};
  AioRecording *recording = aio_import_bytes("table", table, length, map, &arm, &report, &error);
  require((recording == NULL) == (error != NULL));
  require(!error || g_utf8_validate(error->message, -1, NULL));
  if (recording) {
    check_report(recording, &report);
    aio_import_report_clear(&report);
  }
  require(recording || !report.channels);
  aio_recording_free(recording);
  g_clear_error(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  const uint8_t *split = length > 0 ? memchr(bytes, 0x1e, length) : NULL;
  const size_t map_length = split ? (size_t)(split - bytes) : length;
  GError *error = NULL;
  AioColumnMap *map = aio_column_map_parse("map", (const char *)bytes, map_length, &error);
  require((map == NULL) == (error != NULL));
  if (map && split)
    check_import(map, (const char *)split + 1, length - map_length - 1);
  aio_column_map_free(map);
  g_clear_error(&error);
  return 0;
}
