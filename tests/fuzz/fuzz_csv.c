/* SPDX-License-Identifier: MIT */
/* A recording of an arm of three joints (R, R, T), from any bytes. What is read must be consistent,
 * must be written, and must read back to the same. */
#include <glib.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/dataset.h"
#include "io/recording/current_check.h"
#include "io/recording/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool claim) {
  if (!claim)
    abort();
}

static void check_rows(const AioRecording *recording, const ArmModel *arm) {
  const ArmDataset data = aio_recording_dataset(recording);
  ArmRowOptions options;
  arm_row_options_default(&options);
  options.wants_plateau = true;
  options.wants_acceleration = true;
  ArmRowUse *use = g_new(ArmRowUse, data.rows);
  require(arm_dataset_select(arm, &data, &options, use) == ARM_OK);
  size_t by_use[ARM_ROW_REASONS] = {0}, total = 0;
  for (size_t row = 0; row < data.rows; row++) {
    require((unsigned)use[row] < ARM_ROW_REASONS);
    require(data.joint[row] >= 0 && data.joint[row] <= 3);
    by_use[use[row]]++;
  }
  for (int k = 0; k < ARM_ROW_REASONS; k++)
    total += by_use[k];
  require(total == data.rows);
  g_free(use);
}

static void check_same(const double *a, const double *b, size_t count) {
  for (size_t k = 0; k < count; k++) {
    require(!isinf(a[k]));
    require(a[k] == b[k] || (isnan(a[k]) && isnan(b[k])));
  }
}

static AioRecording *read_bytes(const char *bytes, size_t length, const ArmModel *arm,
                                bool is_motion, GError **error) {
  AioCsv *csv = aio_csv_new("fuzz", bytes, length, &AIO_CSV_PLAIN, error);
  AioRecording *recording = csv ? aio_recording_from_csv(csv, arm, is_motion, error) : NULL;
  require(!recording || aio_csv_rows(csv) == recording->rows);
  aio_csv_free(csv);
  return recording;
}

static void check_round_trip(const AioRecording *recording, const ArmModel *arm) {
  GString *text = aio_recording_to_csv(recording);
  AioRecording *again = read_bytes(text->str, text->len, arm, true, NULL);
  require(again && again->rows == recording->rows);
  check_same(recording->t, again->t, recording->rows);
  check_same(recording->q, again->q, 3 * recording->rows);
  check_same(recording->qd, again->qd, 3 * recording->rows);
  check_same(recording->current, again->current, 3 * recording->rows);
  if (recording->qdd)
    check_same(recording->qdd, again->qdd, 3 * recording->rows);
  require(memcmp(recording->joint, again->joint, recording->rows * sizeof(int)) == 0);
  g_string_free(text, TRUE);
  aio_recording_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  ArmModel arm;
  require(arm_model_init(&arm, 3) == ARM_OK);
  arm.joints[2].type = ARM_JOINT_T;
  for (int is_motion = 0; is_motion < 2; is_motion++) {
    GError *error = NULL;
    AioRecording *recording = read_bytes((const char *)bytes, length, &arm, is_motion, &error);
    require((recording == NULL) == (error != NULL));
    require(!error || g_utf8_validate(error->message, -1, NULL));
    if (recording) {
      check_rows(recording, &arm);
      if (is_motion) {
        check_round_trip(recording, &arm);
        GError *refused = NULL;
        require(aio_current_check(recording, &refused) == (refused == NULL));
        g_clear_error(&refused);
        const gsize rows = recording->rows;
        AioRecording *again = read_bytes((const char *)bytes, length, &arm, true, NULL);
        require(aio_recording_append(recording, again, NULL) && recording->rows == 2 * rows);
        aio_recording_free(again);
      }
    }
    aio_recording_free(recording);
    g_clear_error(&error);
  }
  return 0;
}
