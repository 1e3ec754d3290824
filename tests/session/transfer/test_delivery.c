/* SPDX-License-Identifier: MIT */
/* Upload, proof and restoring as one task each, without a session. */
#include "io/base/said.h"
#include "session/transfer/delivery.h"

#include <math.h>
#include <string.h>

#include "transfer_case.h"

static struct {
  Case *c;
  GObject *object;
  AseDelivery *delivery;
  bool refuses;
  guint made, ends, progress;
  AseDeliveryTask ended;
  bool is_done;
  char *text;
} own;

/* Every parameter that may be written gets another value. */
static AseParamSet *make(gpointer object, const AioParam *params, guint n, GError **error) {
  g_assert_true(object == own.object);
  g_assert_cmpint(ase_delivery_task(own.delivery), ==, ASE_DELIVERY_UPLOAD);
  own.made++;
  if (own.refuses) {
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_REFUSED, "nothing to give");
    return NULL;
  }
  AioParam *wanted = g_memdup2(params, n * sizeof *params);
  for (guint k = 0; k < n; k++)
    if (!wanted[k].is_read_only)
      wanted[k].value = (k + 1) / 7.0;
  AseParamSet *set = ase_param_set_from_params(wanted, n, params, n, error);
  g_free(wanted);
  return set;
}

static void progress(gpointer object, AseDeliveryTask task, const char *what, double part) {
  g_assert_true(object == own.object);
  g_assert_cmpint(task, ==, ase_delivery_task(own.delivery));
  g_assert_true(*what && (isnan(part) || (part >= 0.0 && part <= 1.0)));
  own.progress++;
}

static void ended(gpointer object, AseDeliveryTask task, bool is_done, const char *text) {
  g_assert_true(object == own.object);
  g_assert_cmpint(ase_delivery_task(own.delivery), ==, ASE_DELIVERY_NONE);
  own.ends++;
  own.ended = task;
  own.is_done = is_done;
  g_free(own.text);
  own.text = aio_said_text(text);
}

static void begin(void) {
  memset(&own, 0, sizeof own);
  own.c = case_new(true);
  own.object = g_object_new(G_TYPE_OBJECT, NULL);
  const AseDeliveryOwner owner = {
      .object = own.object, .make = make, .progress = progress, .ended = ended};
  own.delivery = ase_delivery_new(own.c->rig.device, own.c->folder, &owner);
}

static void finish(void) {
  g_assert_cmpuint(own.object->ref_count, ==, 1);
  ase_delivery_free(own.delivery);
  g_object_unref(own.object);
  case_free(own.c);
  g_free(own.text);
}

static bool has_ended(void *data) {
  return own.ends > *(const guint *)data;
}

static void wait_end(guint before, AseDeliveryTask task, bool is_done) {
  g_assert_cmpuint(own.ends, ==, before); /* not before the function returned */
  g_assert_cmpint(ase_delivery_task(own.delivery), ==, task);
  g_assert_true(rig_wait(has_ended, &before, 20.0));
  if (own.ended != task || own.is_done != is_done)
    g_error("task %d, done %d: %s", own.ended, own.is_done, own.text);
}

static void test_all(void) {
  GError *error = NULL;
  begin();
  guint n;
  double *before = case_values(own.c, &n);
  g_assert_true(ase_delivery_upload(own.delivery, &error));
  g_assert_false(ase_delivery_upload(own.delivery, &error)); /* one at a time */
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  wait_end(0, ASE_DELIVERY_UPLOAD, true);
  g_assert_cmpuint(own.made, ==, 1);
  g_assert_cmpuint(own.progress, >, 0);
  AseTransfer *transfer = ase_delivery_transfer(own.delivery);
  const AseTransferProof proof = *ase_transfer_proof(transfer);
  char *path = g_strdup(ase_transfer_backup_path(transfer));

  g_assert_true(ase_delivery_verify(own.delivery, &proof, &error));
  wait_end(1, ASE_DELIVERY_VERIFY, true);
  AseBackup *backup = ase_backup_load(path, &error);
  g_assert_no_error(error);
  g_assert_true(ase_delivery_restore(own.delivery, backup, &error));
  wait_end(2, ASE_DELIVERY_RESTORE, true);
  g_assert_cmpuint(own.made, ==, 1); /* for an upload only */
  case_expect_values(own.c, before);
  ase_backup_free(backup);
  g_free(before);
  g_free(path);
  finish();
}

/* The owner has nothing to give any more: told as the end of the upload, nothing is written. */
static void test_refused(void) {
  GError *error = NULL;
  begin();
  guint n;
  double *before = case_values(own.c, &n);
  own.refuses = true;
  g_assert_true(ase_delivery_upload(own.delivery, &error));
  wait_end(0, ASE_DELIVERY_UPLOAD, false);
  g_assert_cmpstr(own.text, ==, "nothing to give");
  case_expect_values(own.c, before);
  own.refuses = false; /* the next one writes */
  g_assert_true(ase_delivery_upload(own.delivery, &error));
  wait_end(1, ASE_DELIVERY_UPLOAD, true);
  g_assert_cmpuint(own.made, ==, 2);
  g_free(before);
  finish();
}

static void test_cancel(void) {
  GError *error = NULL;
  ase_delivery_cancel(NULL);
  g_assert_cmpint(ase_delivery_task(NULL), ==, ASE_DELIVERY_NONE);
  g_assert_null(ase_delivery_transfer(NULL));
  begin();
  ase_delivery_cancel(own.delivery); /* of nothing: the next one is done */
  g_assert_true(ase_delivery_upload(own.delivery, &error));
  wait_end(0, ASE_DELIVERY_UPLOAD, true);
  g_assert_true(ase_delivery_upload(own.delivery, &error));
  ase_delivery_cancel(own.delivery); /* it reads: nothing is made of that */
  wait_end(1, ASE_DELIVERY_UPLOAD, false);
  g_assert_cmpstr(own.text, ==, "cancelled; nothing was written");
  g_assert_cmpuint(own.made, ==, 1);
  g_assert_true(ase_delivery_upload(own.delivery, &error));
  wait_end(2, ASE_DELIVERY_UPLOAD, true);
  finish();
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/delivery/all", test_all);
  g_test_add_func("/delivery/refused", test_refused);
  g_test_add_func("/delivery/cancel", test_cancel);
  return g_test_run();
}
