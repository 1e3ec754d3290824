/* SPDX-License-Identifier: MIT */
#include "transfer_case.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "io/base/said.h"

static void on_finished(AseTransfer *transfer, gboolean is_done, const char *text, Case *c) {
  g_assert_false(ase_transfer_is_running(transfer));
  g_assert_false(c->has_finished);
  c->has_finished = true;
  c->is_done = is_done;
  g_free(c->text);
  c->text = aio_said_text(text);
}

static void on_progress(AseTransfer *transfer, const char *what, double part, Case *c) {
  (void)transfer;
  c->prompts += isnan(part) ? 1 : 0;
  if (c->on_writing && strstr(aio_said_shown(what), "writing to the controller"))
    c->on_writing(c);
  if (c->on_checking && strstr(aio_said_shown(what), "reading back"))
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

void case_set_folder(Case *c, const char *folder) {
  g_clear_object(&c->transfer);
  c->transfer = ase_transfer_new(c->rig.device, folder);
  g_signal_connect(c->transfer, "finished", G_CALLBACK(on_finished), c);
  g_signal_connect(c->transfer, "progress", G_CALLBACK(on_progress), c);
}

Case *case_new(bool comes_back) {
  Case *c = g_new0(Case, 1);
  rig_init(&c->rig, "planar2r", 10.0, RIG_LEASE_MS);
  c->folder = folder_new();
  case_set_folder(c, c->folder);
  open_again(c, comes_back);
  return c;
}

void case_free(Case *c) {
  close(c->cable);
  g_object_unref(c->transfer);
  rig_clear(&c->rig);
  folder_free(c->folder);
  g_free(c->text);
  g_free(c);
}

static bool has_finished(void *data) {
  return ((Case *)data)->has_finished;
}

void case_wait_end(Case *c, bool is_done) {
  if (!rig_wait(has_finished, c, 20.0))
    g_error("never finished");
  if (c->is_done != is_done)
    g_error("unexpected end: %s", c->text);
  c->has_finished = false;
}

void case_expect_text(const Case *c, const char *part) {
  if (!strstr(c->text, part))
    g_error("expected \"%s\" in: %s", part, c->text);
}

/* The values as the controller has them now; g_free. */
double *case_values(Case *c, guint *n) {
  GError *error = NULL;
  g_assert_true(ase_transfer_read(c->transfer, &error));
  case_wait_end(c, true);
  const AioParam *params = ase_transfer_params(c->transfer, n);
  double *values = g_new(double, *n);
  for (guint k = 0; k < *n; k++)
    values[k] = params[k].value;
  return values;
}

void case_expect_values(Case *c, const double *values) {
  guint n;
  double *now = case_values(c, &n);
  g_assert_cmpmem(now, n * sizeof *now, values, n * sizeof *values);
  g_free(now);
}

/* Every parameter that may be written gets another value. */
AseParamSet *case_other_set(Case *c, double scale) {
  guint n;
  AioParam *wanted;
  GError *error = NULL;
  g_free(case_values(c, &n));
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

void case_upload(Case *c, const AseParamSet *set, bool is_done) {
  GError *error = NULL;
  g_assert_true(ase_transfer_upload(c->transfer, set, &error));
  g_assert_false(c->has_finished);
  case_wait_end(c, is_done);
}
