/* SPDX-License-Identifier: MIT */
/* Power fails at every frame of an upload, and at bytes of its COMMIT: the controller has the old
 * parameters or the new ones, whole, in use and stored, and the message says what happened. */
#include <string.h>

#include "chain.h"
#include "io/base/said.h"
#include "wire/frame.h"
#include "wire/message.h"

enum { PIECE = 32, SLOT_HEADER = 24 };

/* ---- a link that has the power cut before a certain frame leaves ---- */

static guint16 cut_type; /* 0: never */
static guint cut_offset; /* of UPLOAD_DATA */
static int is_cut;       /* atomic */

typedef struct {
  AioLink base;
  AioLink *inner;
  Chain *chain;
  WireDecoder decoder;
} Cutter;

static bool is_the_frame(const WireReceived *frame) {
  WireUploadData data;
  if (cut_type == 0 || frame->header.type != (cut_type | WIRE_GUARDED))
    return false;
  return cut_type != WIRE_TYPE_UPLOAD_DATA ||
         (wire_upload_data_get(&data, frame->payload + WIRE_SIZE_GUARD,
                               frame->length - WIRE_SIZE_GUARD) &&
          data.offset == cut_offset);
}

static gssize cutter_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  Cutter *self = (Cutter *)link;
  const uint8_t *at = bytes;
  size_t left = n;
  WireReceived frame;
  while (wire_decoder_next(&self->decoder, &at, &left, &frame))
    if (is_the_frame(&frame) && g_atomic_int_compare_and_exchange(&is_cut, FALSE, TRUE))
      chain_power_off(self->chain);
  return g_atomic_int_get(&is_cut) ? (gssize)n : aio_link_write(self->inner, bytes, n, error);
}

static gssize cutter_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  return aio_link_read(((Cutter *)link)->inner, bytes, room, t_ns, error);
}

static int cutter_fd(AioLink *link) {
  return aio_link_fd(((Cutter *)link)->inner);
}

static void cutter_close(AioLink *link) {
  aio_link_close(((Cutter *)link)->inner);
  g_free(link->name);
  g_free(link);
}

static const AioLinkClass cutter_class = {.kind = "cutter",
                                          .read = cutter_read,
                                          .write = cutter_write,
                                          .fd = cutter_fd,
                                          .close = cutter_close};

static AioLink *cutter_new(AioLink *inner, Chain *chain) {
  Cutter *self = g_new0(Cutter, 1);
  self->base = (AioLink){&cutter_class, g_strdup(inner->name)};
  self->inner = inner;
  self->chain = chain;
  wire_decoder_init(&self->decoder);
  return &self->base;
}

/* ---- the parameters ---- */

typedef struct {
  guint n;
  double *old, *other;
  guint32 old_digest, boots;
} Set;

static AioReply *must(Chain *c, const AioCommand *command) {
  AioReply *reply = chain_run(c, command);
  g_assert_cmpstr(reply->message, ==, "");
  g_assert_cmpint(reply->code, ==, 0);
  return reply;
}

static AioCommand upload_of(const Set *set, const double *values) {
  return (AioCommand){.kind = AIO_COMMAND_PARAMS_UPLOAD, .params = {.n = set->n, .values = values}};
}

/* Every one that may be written gets another value; the old ones are stored. */
static Set set_new(Chain *c) {
  AioReply *reply = must(c, &(AioCommand){.kind = AIO_COMMAND_PARAMS_GET});
  Set set = {.n = reply->n_params,
             .old = g_new(double, reply->n_params),
             .other = g_new(double, reply->n_params)};
  for (guint k = 0; k < set.n; k++) {
    set.old[k] = reply->params[k].value;
    set.other[k] = reply->params[k].is_read_only ? set.old[k] : (k + 1) / 8.0;
  }
  aio_reply_free(reply);
  const AioCommand upload = upload_of(&set, set.old);
  reply = must(c, &upload);
  set.old_digest = reply->stored_digest;
  aio_reply_free(reply);
  set.boots = ase_device_description(c->rig.device)->boot_count;
  return set;
}

static void expect_set(Chain *c, const Set *set, bool is_new) {
  AioReply *reply = must(c, &(AioCommand){.kind = AIO_COMMAND_PARAMS_GET});
  const double *expected = is_new ? set->other : set->old;
  g_assert_cmpuint(reply->n_params, ==, set->n);
  for (guint k = 0; k < set->n; k++)
    g_assert_cmpfloat(reply->params[k].value, ==, expected[k]);
  aio_reply_free(reply);
  reply = must(c, &(AioCommand){.kind = AIO_COMMAND_PARAMS_DIGEST});
  g_assert_cmphex(reply->digest, ==, reply->stored_digest);
  g_assert_cmpint(reply->digest != set->old_digest, ==, is_new);
  aio_reply_free(reply);
}

static void expect_restarted(Chain *c, const Set *set, const char *cause) {
  chain_wait_ready(c);
  g_assert_cmpuint(ase_device_description(c->rig.device)->boot_count, ==, set->boots + 1);
  g_assert_cmpstr(ase_device_description(c->rig.device)->reset_text, ==, cause);
  chain_expect_state(c, AIO_DEVICE_OFF, false, 0);
}

static void set_clear(Set *set) {
  g_free(set->old);
  g_free(set->other);
}

static bool is_lost(void *data) {
  return ase_device_link(((Chain *)data)->rig.device) == ASE_LINK_LOST;
}

/* ---- the cases ---- */

static guint n_params_of_arm(void) {
  Chain *c = chain_new(NULL, 1, NULL, NULL);
  const guint n = ase_device_description(c->rig.device)->params;
  chain_free(c);
  return n;
}

static void cut_before(guint16 type, guint offset) {
  cut_type = 0;
  is_cut = FALSE;
  Chain *c = chain_new(NULL, 1, NULL, cutter_new);
  Set set = set_new(c);
  const AioCommand upload = upload_of(&set, set.other);
  cut_offset = offset;
  cut_type = type;
  AioReply *reply = chain_run(c, &upload);
  g_test_message("before %#x at %u: %s", type, offset, reply->message);
  g_assert_true(g_atomic_int_get(&is_cut));
  g_assert_cmpint(reply->code, ==, AIO_REPLY_CODE(AIO_ERROR_GONE));
  g_assert_cmpstr(aio_said_shown(reply->message), ==, "the connection to the controller was lost");
  aio_reply_free(reply);
  g_assert_true(rig_wait(is_lost, c, 5));
  cut_type = 0;
  g_atomic_int_set(&is_cut, FALSE);
  chain_power_on(c);
  expect_restarted(c, &set, "power-up");
  expect_set(c, &set, false);
  reply = must(c, &upload); /* and now it goes through */
  aio_reply_free(reply);
  expect_set(c, &set, true);
  set_clear(&set);
  chain_free(c);
}

static void test_frames(void) {
  const guint bytes = 4 * n_params_of_arm();
  cut_before(WIRE_TYPE_UPLOAD_BEGIN, 0);
  for (guint offset = 0; offset < bytes; offset += PIECE)
    cut_before(WIRE_TYPE_UPLOAD_DATA, offset);
  cut_before(WIRE_TYPE_COMMIT, 0);
  g_test_message("%u frames, each time the old parameters", 2 + (bytes + PIECE - 1) / PIECE);
}

/* After the answer to COMMIT: the new set. */
static void test_after(void) {
  Chain *c = chain_new(NULL, 1, NULL, NULL);
  Set set = set_new(c);
  const AioCommand upload = upload_of(&set, set.other);
  aio_reply_free(must(c, &upload));
  chain_power_off(c);
  g_assert_true(rig_wait(is_lost, c, 5));
  chain_power_on(c);
  expect_restarted(c, &set, "power-up");
  expect_set(c, &set, true);
  g_test_message("the new parameters");
  set_clear(&set);
  chain_free(c);
}

/* An erase, the bytes of the set, the header last: power fails after `spent` of them. */
static void brown_out(Chain *c, Set *set, gint32 spent) {
  const AioCommand upload = upload_of(set, set->other);
  rig_test(&c->rig, WIRE_TEST_BROWN_OUT, 0, spent, 0);
  AioReply *reply = chain_run(c, &upload);
  g_test_message("after %d: %s", spent, reply->message);
  g_assert_cmpint(reply->code, ==, AIO_REPLY_CODE(AIO_ERROR_GONE));
  g_assert_cmpstr(aio_said_shown(reply->message), ==,
                  "the controller has restarted: connect again");
  aio_reply_free(reply);
  expect_restarted(c, set, "brown-out");
  expect_set(c, set, false);
  set->boots++;
}

static void test_commit(void) {
  Chain *c = chain_new(NULL, 1, NULL, NULL);
  Set set = set_new(c);
  const gint32 last = 1 + 4 * (gint32)set.n + SLOT_HEADER;
  const gint32 points[] = {0, 1, 2, last / 2, last - SLOT_HEADER, last - SLOT_HEADER / 2, last - 1};
  for (guint k = 0; k < G_N_ELEMENTS(points); k++)
    brown_out(c, &set, points[k]);
  g_test_message("%u points of %d, each time the old parameters", (guint)G_N_ELEMENTS(points),
                 last);
  set_clear(&set);
  chain_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  chain_begin(argv[1]);
  g_test_add_func("/faults/power lost before every frame of an upload", test_frames);
  g_test_add_func("/faults/power lost after an upload", test_after);
  g_test_add_func("/faults/brown-out amid COMMIT", test_commit);
  return g_test_run();
}
