/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of sums of a planar arm, with the checksum made good so that what lies behind
 * it is reached: either one error and nothing loaded, or sums that survive saving byte for byte,
 * that cannot be merged with themselves, and of which a fit comes to an end. */
#include <string.h>

#include "io/recording/sums_file.h"
#include "wire/crc32.h"

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

enum { CRC = 12, HEAD = 16 };

static void make_model(ArmModel *model) {
  g_assert_true(arm_model_init(model, 2) == ARM_OK);
  arm_joint_set_mdh(&model->joints[0], ARM_JOINT_R, 1.5707963267948966, 0.0, 0.0, 0.0);
  arm_joint_set_mdh(&model->joints[1], ARM_JOINT_R, 0.0, 0.5, 0.0, 0.0);
}

static void check_saved(const AioSums *sums, const ArmModel *model) {
  GError *error = NULL;
  gsize length, length_again;
  char *bytes = aio_sums_format(sums, &length);
  AioSums *again = aio_sums_load_bytes("saved", bytes, length, model, &error);
  g_assert_no_error(error);
  char *bytes_again = aio_sums_format(again, &length_again);
  g_assert_cmpmem(bytes, length, bytes_again, length_again);
  g_assert_false(aio_sums_merge(again, (AioSums *)sums, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_error_free(error);
  aio_sums_free(again);
  g_free(bytes);
  g_free(bytes_again);
}

static void check_fit(AioSums *sums, const ArmModel *model) {
  GError *error = NULL;
  ArmFitOptions options;
  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  ArmReduced joined;
  arm_fit_options_default(&options);
  options.offers_term[ARM_TERM_LOAD] = options.offers_term[ARM_TERM_CURVE] = true;
  if (aio_sums_join(sums, model, &joined, &error)) {
    if (arm_gravity_fit_sums(model, &joined, &options, fit) == ARM_OK)
      arm_gravity_fit_clear(fit);
    arm_sums_clear(&joined);
  } else {
    g_error_free(error);
  }
  g_free(fit);
}

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  GError *error = NULL;
  ArmModel *model = g_new0(ArmModel, 1);
  guint8 *bytes = g_memdup2(data, size);
  make_model(model);
  if (size > HEAD) {
    const guint32 crc = GUINT32_TO_LE(wire_crc32(0, bytes + HEAD, size - HEAD));
    memcpy(bytes + CRC, &crc, sizeof crc);
  }
  AioSums *sums = aio_sums_load_bytes("fuzz", (const char *)bytes, size, model, &error);
  g_assert_true((sums == NULL) == (error != NULL));
  if (sums) {
    check_saved(sums, model);
    check_fit(sums, model); /* takes them */
    aio_sums_free(sums);
  } else {
    g_assert_true(error->domain == AIO_ERROR && *error->message);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_error_free(error);
  }
  g_free(bytes);
  g_free(model);
  return 0;
}
