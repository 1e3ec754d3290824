/* SPDX-License-Identifier: MIT */
/* Any bytes as an arm file: either one error and no arm, or an arm that survives saving. */
#include "../io/arm/arm_same.h"

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load_bytes("fuzz", (const char *)data, size, &error);
  g_assert_true((arm == NULL) == (error != NULL));
  if (!arm) {
    g_assert_true(error->domain == AIO_ERROR && *error->message);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_error_free(error);
    return 0;
  }
  gsize length = 0, length_again = 0;
  char *text = aio_arm_format(arm, &length);
  AioArm *again = aio_arm_load_bytes("saved", text, length, &error);
  g_assert_no_error(error);
  g_assert_true(same_arm(arm, again));
  char *text_again = aio_arm_format(again, &length_again);
  g_assert_cmpmem(text, length, text_again, length_again);
  g_free(text_again);
  aio_arm_free(again);
  g_free(text);
  aio_arm_free(arm);
  return 0;
}
