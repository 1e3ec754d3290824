/* SPDX-License-Identifier: MIT */
/* Parameters to a simulated controller and back: every way it can end, and what the text says. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"
#include "session/transfer.h"
#include "wire/message.h"

enum { SLOT_HEADER = 24 };

typedef struct {
  Rig rig;
  AseTransfer *transfer;
  char *folder;
  bool has_finished, is_done;
  char *text;
  void (*on_writing)(void *data), (*on_checking)(void *data); /* amid a task */
  guint prompts;                                              /* "switch it off" */
  int cable; /* a second descriptor of the host's end */
} Case;

static void on_finished(AseTransfer *transfer, gboolean is_done, const char *text, Case *c) {
  g_assert_false(ase_transfer_is_running(transfer));
  g_assert_false(c->has_finished);
  c->has_finished = true;
  c->is_done = is_done;
  g_free(c->text);
  c->text = g_strdup(text);
}

static void on_progress(AseTransfer *transfer, const char *what, double part, Case *c) {
  (void)transfer;
  c->prompts += isnan(part) ? 1 : 0;
  if (c->on_writing && strstr(what, "writing to the controller"))
    c->on_writing(c);
  if (c->on_checking && strstr(what, "reading back"))
    c->on_checking(c);
}

/* A link that comes back by itself. */
static AioLink *reopen(void *ctx, GError **error) {
  Case *c = ctx;
  const int fd = asim_loop_connect(c->rig.loop, error);
  return fd < 0 ? NULL : aio_link_fd_new(fd, "simulator", error);
}

static bool is_ready(void *data) {
  return ase_device_link(data) == ASE_LINK_READY;
}

static void open_again(Case *c, bool comes_back) {
  GError *error = NULL;
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.reopen = comes_back ? reopen : NULL;
  options.reopen_ctx = c;
  ase_device_close(c->rig.device);
  const int fd = asim_loop_connect(c->rig.loop, &error);
  c->cable = dup(fd);
  AioLink *link = aio_link_fd_new(fd, "simulator", &error);
  if (!link || !ase_device_open(c->rig.device, link, &options, &error))
    g_error("%s", error->message);
  g_assert_true(rig_wait(is_ready, c->rig.device, 10.0));
}

static Case *case_new(bool comes_back) {
  Case *c = g_new0(Case, 1);
  rig_init(&c->rig, "planar2r", 10.0);
  c->folder = g_dir_make_tmp("armature-backup-XXXXXX", NULL);
  c->transfer = ase_transfer_new(c->rig.device, c->folder);
  g_signal_connect(c->transfer, "finished", G_CALLBACK(on_finished), c);
  g_signal_connect(c->transfer, "progress", G_CALLBACK(on_progress), c);
  open_again(c, comes_back);
  return c;
}

static void remove_tree(const char *path) {
  GDir *dir = g_dir_open(path, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir))) {
    char *inner = g_build_filename(path, name, NULL);
    remove_tree(inner);
    g_free(inner);
  }
  if (dir)
    g_dir_close(dir);
  g_remove(path);
}

static void case_free(Case *c) {
  close(c->cable);
  g_object_unref(c->transfer);
  rig_clear(&c->rig);
  remove_tree(c->folder);
  g_free(c->folder);
  g_free(c->text);
  g_free(c);
}

static bool has_finished(void *data) {
  return ((Case *)data)->has_finished;
}

static void wait_end(Case *c, bool is_done) {
  if (!rig_wait(has_finished, c, 20.0))
    g_error("never finished");
  if (c->is_done != is_done)
    g_error("unexpected end: %s", c->text);
  c->has_finished = false;
}

static void expect_text(const Case *c, const char *part) {
  if (!strstr(c->text, part))
    g_error("expected \"%s\" in: %s", part, c->text);
}

/* The values as the controller has them now; g_free. */
static double *values_now(Case *c, guint *n) {
  GError *error = NULL;
  g_assert_true(ase_transfer_read(c->transfer, &error));
  wait_end(c, true);
  const AioParam *params = ase_transfer_params(c->transfer, n);
  double *values = g_new(double, *n);
  for (guint k = 0; k < *n; k++)
    values[k] = params[k].value;
  return values;
}

static void expect_values(Case *c, const double *values) {
  guint n;
  double *now = values_now(c, &n);
  g_assert_cmpmem(now, n * sizeof *now, values, n * sizeof *values);
  g_free(now);
}

/* Every parameter that may be written gets another value. */
static AseParamSet *other_set(Case *c, double scale) {
  guint n;
  AioParam *wanted;
  GError *error = NULL;
  g_free(values_now(c, &n));
  const AioParam *params = ase_transfer_params(c->transfer, &n);
  wanted = g_memdup2(params, n * sizeof *params);
  for (guint k = 0; k < n; k++)
    if (!wanted[k].is_read_only)
      wanted[k].value = scale * (k + 1) / 7.0;
  AseParamSet *set = ase_param_set_from_params(wanted, n, params, n, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(set->changes->len, >=, 14);
  g_free(wanted);
  return set;
}

static void upload(Case *c, const AseParamSet *set, bool is_done) {
  GError *error = NULL;
  g_assert_true(ase_transfer_upload(c->transfer, set, &error));
  g_assert_false(c->has_finished);
  wait_end(c, is_done);
}

/* ---- what goes well ---- */

static void test_cycle(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = other_set(c, 1.0);
  upload(c, set, true);
  g_assert_cmpuint(ase_transfer_differences(c->transfer)->len, ==, 0);
  expect_text(c, ase_transfer_backup_path(c->transfer));
  char *path = g_strdup(ase_transfer_backup_path(c->transfer));
  const AseTransferProof proof = *ase_transfer_proof(c->transfer);
  expect_values(c, set->after);

  g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
  wait_end(c, true);
  expect_text(c, "after a restart");
  g_assert_cmpuint(c->prompts, ==, 0);
  expect_values(c, set->after);
  g_assert_cmpuint(ase_device_description(c->rig.device)->boot_count, ==, proof.boot_count + 1);

  AseBackup *backup = ase_backup_load(path, &error);
  g_assert_no_error(error);
  g_assert_true(ase_transfer_restore(c->transfer, backup, false, &error));
  wait_end(c, true);
  g_assert_cmphex(ase_transfer_proof(c->transfer)->digest, ==, backup->digest);
  expect_values(c, set->before);
  ase_backup_free(backup);
  ase_param_set_free(set);
  g_free(path);
  case_free(c);
}

static bool is_prompted(void *data) {
  return ((Case *)data)->prompts > 0;
}

/* The user restarts the controller; a restart that has happened already counts. */
static void test_by_hand(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = other_set(c, 2.0);
  upload(c, set, true);
  const AseTransferProof proof = *ase_transfer_proof(c->transfer);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, false, &error));
  g_assert_true(rig_wait(is_prompted, c, 5.0));
  rig_pass(0.6);
  g_assert_false(c->has_finished);
  g_assert_cmpuint(c->prompts, ==, 1);
  rig_test(&c->rig, WIRE_TEST_REBOOT, 0, WIRE_RESET_POWER, 0);
  wait_end(c, true);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, false, &error));
  wait_end(c, true);
  g_assert_cmpuint(c->prompts, ==, 1);
  ase_param_set_free(set);
  case_free(c);
}

static void test_cancel(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = other_set(c, 2.0);
  g_assert_true(ase_transfer_upload(c->transfer, set, &error));
  g_assert_false(ase_transfer_read(c->transfer, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  ase_transfer_cancel(c->transfer);
  wait_end(c, false);
  expect_text(c, "nothing was written");
  expect_values(c, set->before);
  upload(c, set, true);
  const AseTransferProof proof = *ase_transfer_proof(c->transfer);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, false, &error));
  g_assert_true(rig_wait(is_prompted, c, 5.0));
  ase_transfer_cancel(c->transfer);
  wait_end(c, false);
  ase_param_set_free(set);
  case_free(c);
}

/* ---- what goes wrong ---- */

static void ignore(const AioReply *reply, void *ctx) {
  (void)reply, (void)ctx;
}

/* Somebody else writes between COMMIT and reading back. */
static void meddle(void *data) {
  Case *c = data;
  guint n;
  const AioParam *params = ase_transfer_params(c->transfer, &n);
  for (guint k = 0; k < n; k++)
    if (strcmp(params[k].name, "gravity.ky[2]") == 0)
      ase_device_send(
          c->rig.device,
          &(AioCommand){.kind = AIO_COMMAND_PARAM_SET, .param = {.id = params[k].id, .value = 7.5}},
          ignore, NULL);
}

static void test_differs(void) {
  Case *c = case_new(true);
  AseParamSet *set = other_set(c, 1.0);
  c->on_checking = meddle;
  upload(c, set, false);
  expect_text(c, "gravity.ky[2]");
  const GArray *differences = ase_transfer_differences(c->transfer);
  g_assert_cmpuint(differences->len, ==, 1);
  const AseParamChange *change = &g_array_index(differences, AseParamChange, 0);
  g_assert_cmpstr(change->name, ==, "gravity.ky[2]");
  g_assert_cmpfloat(change->after, ==, 7.5);
  g_assert_null(ase_transfer_proof(c->transfer));
  ase_param_set_free(set);
  case_free(c);
}

/* The set was made of other parameters than the controller has by now. */
static void test_outdated(void) {
  Case *c = case_new(true);
  AseParamSet *set = other_set(c, 1.0);
  meddle(c);
  upload(c, set, false);
  expect_text(c, "nothing was written");
  g_assert_null(ase_transfer_backup_path(c->transfer));
  ase_param_set_free(set);
  case_free(c);
}

/* A value that the controller does not take: it refuses the whole set at COMMIT. */
static void test_out_of_range(void) {
  Case *c = case_new(true);
  AseParamSet *set = other_set(c, 1.0);
  set->after[set->n - 1] = 1e20;
  upload(c, set, false);
  expect_text(c, "friction.viscous_neg[2]");
  expect_text(c, "the old parameters are in force");
  expect_values(c, set->before);
  ase_param_set_free(set);
  case_free(c);
}

/* Power fails at this byte or erase of a COMMIT: an erase, 4 n bytes, the header. */
static void fail_power(gint32 at, bool is_new) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *first = other_set(c, 1.0);
  upload(c, first, true);
  AseParamSet *second = other_set(c, 3.0);
  const gint32 last = 1 + 4 * (gint32)second->n + SLOT_HEADER;
  const guint32 starts = ase_device_description(c->rig.device)->boot_count;
  rig_test(&c->rig, WIRE_TEST_BROWN_OUT, 0, at < 0 ? last + at : at, 0);
  upload(c, second, is_new);
  g_test_message("%d: %s", at, c->text);
  if (!is_new) {
    expect_text(c, "the old parameters are in force");
    g_assert_cmpuint(ase_device_description(c->rig.device)->boot_count, ==, starts + 1);
  }
  const AseTransferProof *written = ase_transfer_proof(c->transfer);
  const AseTransferProof proof = written ? *written : (AseTransferProof){.digest = 0};
  expect_values(c, is_new ? second->after : second->before);
  if (is_new) {
    g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
    wait_end(c, true);
  }
  ase_param_set_free(first);
  ase_param_set_free(second);
  case_free(c);
}

static void test_brown_out(void) {
  static const gint32 points[] = {0, 1, 2, 30, -SLOT_HEADER, -12, -1};
  for (guint k = 0; k < G_N_ELEMENTS(points); k++)
    fail_power(points[k], false);
  fail_power(G_MAXINT32, true);
}

static gboolean pull(gpointer data) {
  shutdown(((Case *)data)->cable, SHUT_RDWR);
  return G_SOURCE_REMOVE;
}

static void pull_soon(void *data) {
  g_timeout_add(60, pull, data);
}

static void pull_now(void *data) {
  pull(data);
}

/* Answers take 30 ms, so that 60 ms after its beginning an upload is amid its data. */
static void test_unplug(void) {
  Case *c = case_new(true);
  AseParamSet *set = other_set(c, 1.0);
  rig_test(&c->rig, WIRE_TEST_LATE_FRAMES, 0, 300000, 0);
  c->on_writing = pull_soon;
  upload(c, set, false);
  g_test_message("%s", c->text);
  expect_text(c, "the old parameters are in force");
  rig_test(&c->rig, WIRE_TEST_LATE_FRAMES, 0, 0, 1);
  c->on_writing = NULL;
  expect_values(c, set->before);
  upload(c, set, true);
  ase_param_set_free(set);
  case_free(c);
}

/* COMMIT is done, its set cannot be read back at first. */
static void test_unplug_late(void) {
  Case *c = case_new(true);
  AseParamSet *set = other_set(c, 1.0);
  c->on_checking = pull_now;
  upload(c, set, true);
  expect_values(c, set->after);
  ase_param_set_free(set);
  case_free(c);
}

static void test_never_back(void) {
  if (!g_test_slow()) {
    g_test_skip("waits 10 s; run with -m slow");
    return;
  }
  Case *c = case_new(false);
  AseParamSet *set = other_set(c, 1.0);
  rig_test(&c->rig, WIRE_TEST_LATE_FRAMES, 0, 300000, 0);
  c->on_writing = pull_soon;
  upload(c, set, false);
  expect_text(c, "either the old parameters or the new ones, whole");
  ase_param_set_free(set);
  case_free(c);
}

static void test_armed(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = other_set(c, 1.0);
  rig_arm(&c->rig);
  g_assert_false(ase_transfer_upload(c->transfer, set, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "disarm"));
  g_clear_error(&error);
  g_assert_false(ase_transfer_is_running(c->transfer));
  expect_values(c, set->before);
  ase_param_set_free(set);
  case_free(c);
}

static void arm_now(void *data) {
  g_assert_true(ase_device_arm(((Case *)data)->rig.device, NULL));
}

/* Armed when the upload is on its way: the controller itself refuses. */
static void test_armed_late(void) {
  Case *c = case_new(true);
  AseParamSet *set = other_set(c, 1.0);
  c->on_writing = arm_now;
  upload(c, set, false);
  g_test_message("%s", c->text);
  expect_text(c, "the old parameters are in force");
  ase_param_set_free(set);
  case_free(c);
}

static void test_no_backup(void) {
  Case *c = case_new(true);
  char *file = g_build_filename(c->folder, "in-the-way", NULL);
  g_file_set_contents(file, "x", 1, NULL);
  g_object_unref(c->transfer);
  c->transfer = ase_transfer_new(c->rig.device, file);
  g_signal_connect(c->transfer, "finished", G_CALLBACK(on_finished), c);
  g_signal_connect(c->transfer, "progress", G_CALLBACK(on_progress), c);
  AseParamSet *set = other_set(c, 1.0);
  upload(c, set, false);
  expect_text(c, "nothing was written to the controller");
  expect_text(c, "in-the-way");
  expect_values(c, set->before);
  ase_param_set_free(set);
  g_free(file);
  case_free(c);
}

static void test_wrong_controller(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = other_set(c, 1.0);
  const AioDescription *description = ase_device_description(c->rig.device);
  guint n;
  const AioParam *params = ase_transfer_params(c->transfer, &n);
  AseBackup *backup = ase_backup_new(description, params, n, 0);
  g_free(backup->serial);
  backup->serial = g_strdup("another-1");
  g_assert_false(ase_transfer_restore(c->transfer, backup, false, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "another-1"));
  g_assert_nonnull(strstr(error->message, description->serial));
  g_clear_error(&error);
  upload(c, set, true);
  g_strlcpy(backup->params[0].name, "servo.gone", sizeof backup->params[0].name);
  g_assert_true(ase_transfer_restore(c->transfer, backup, true, &error));
  wait_end(c, true);
  g_assert_cmpuint(ase_transfer_missing(c->transfer)->len, ==, 2); /* either way */
  expect_values(c, set->before);
  ase_backup_free(backup);
  ase_param_set_free(set);
  case_free(c);
}

/* After the restart the controller has something else. */
static void test_not_persistent(void) {
  Case *c = case_new(true);
  GError *error = NULL;
  AseParamSet *set = other_set(c, 1.0);
  upload(c, set, true);
  AseTransferProof proof = *ase_transfer_proof(c->transfer);
  proof.digest ^= 1;
  g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
  wait_end(c, false);
  expect_text(c, "upload again");
  g_strlcpy(proof.serial, "another-1", sizeof proof.serial);
  g_assert_true(ase_transfer_verify(c->transfer, &proof, true, &error));
  wait_end(c, false);
  expect_text(c, "another-1");
  ase_param_set_free(set);
  case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/transfer/cycle", test_cycle);
  g_test_add_func("/transfer/by-hand", test_by_hand);
  g_test_add_func("/transfer/cancel", test_cancel);
  g_test_add_func("/transfer/differs", test_differs);
  g_test_add_func("/transfer/outdated", test_outdated);
  g_test_add_func("/transfer/out-of-range", test_out_of_range);
  g_test_add_func("/transfer/brown-out", test_brown_out);
  g_test_add_func("/transfer/unplug", test_unplug);
  g_test_add_func("/transfer/unplug-late", test_unplug_late);
  g_test_add_func("/transfer/never-back", test_never_back);
  g_test_add_func("/transfer/armed", test_armed);
  g_test_add_func("/transfer/armed-late", test_armed_late);
  g_test_add_func("/transfer/no-backup", test_no_backup);
  g_test_add_func("/transfer/wrong-controller", test_wrong_controller);
  g_test_add_func("/transfer/not-persistent", test_not_persistent);
  return g_test_run();
}
