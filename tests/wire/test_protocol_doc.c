/* SPDX-License-Identifier: MIT */
/* docs/protocol.md against src/wire: layouts, lists, examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "support/support.h"
#include "wire/bytes.h"

static char *text;

static int load(void **state) {
  (void)state;
  FILE *file = fopen(test_source_path("docs/protocol.md"), "r");
  assert_non_null(file);
  text = calloc(1, 200000);
  assert_non_null(text);
  assert_in_range(fread(text, 1, 199999, file), 1, 199998);
  (void)fclose(file);
  return 0;
}

static int unload(void **state) {
  (void)state;
  free(text);
  return 0;
}

/* The line must be there; what is missing is printed so that it can be put there. */
static void wants(const char *line, int *missing) {
  if (!strstr(text, line)) {
    print_message("# missing: %s\n", line + (*line == '\n'));
    ++*missing;
  }
}

/* The table that follows a heading, walked field by field. */
typedef struct {
  const char *at;
  unsigned offset;
  int missing;
} Table;

static void enter(Table *table, const char *heading) {
  char line[128];
  (void)snprintf(line, sizeof line, "\n### %s\n", heading);
  table->at = strstr(text, line);
  table->offset = 0;
  wants(line, &table->missing);
}

static void field(Table *table, const char *kind, const char *name, unsigned bytes) {
  char row[128];
  (void)snprintf(row, sizeof row, "\n| %u | %s | %s | ", table->offset, kind, name);
  const char *end = table->at ? strstr(table->at + 4, "\n###") : NULL;
  const char *found = table->at ? strstr(table->at, row) : NULL;
  if (!found || (end && found > end)) {
    print_message("# missing: %s\n", row + 1);
    table->missing++;
  }
  table->offset += bytes;
}

#define BYTES_u8          1
#define BYTES_u16         2
#define BYTES_u32         4
#define BYTES_i16         2
#define BYTES_i32         4
#define BYTES_text8       8
#define BYTES_text24      24
#define FIELD(kind, name) field(&table, #kind, #name, BYTES_##kind);
#define CHECK_MESSAGE(NAME, Type, function, number, bytes)                                         \
  (void)snprintf(heading, sizeof heading, "0x%03x %s, %d bytes", number, #NAME, bytes);            \
  enter(&table, heading);                                                                          \
  WIRE_LAYOUT_##NAME(FIELD)
#define CHECK_RECORD(NAME, Type, function, bytes)                                                  \
  (void)snprintf(heading, sizeof heading, "record %s, %d bytes", #NAME, bytes);                    \
  enter(&table, heading);                                                                          \
  WIRE_LAYOUT_##NAME(FIELD)
#define CHECK_EMPTY(NAME, number)                                                                  \
  (void)snprintf(heading, sizeof heading, "%s 0x%03x", #NAME, number);                             \
  wants(heading, &table.missing);

static void test_layouts(void **state) {
  (void)state;
  Table table = {NULL, 0, 0};
  char heading[64];
  WIRE_MESSAGES(CHECK_MESSAGE)
  WIRE_RECORDS(CHECK_RECORD)
  WIRE_EMPTY_MESSAGES(CHECK_EMPTY)
  assert_int_equal(table.missing, 0);
}

#define CHECK_ROW(NAME, number, phrase)                                                            \
  (void)snprintf(row, sizeof row, "\n| %s | %d | %s |", #NAME, number, phrase);                    \
  wants(row, &missing);
#define CHECK_STATE(NAME, number, phrase)                                                          \
  (void)snprintf(row, sizeof row, "\n| %s | %d | ", #NAME, number);                                \
  wants(row, &missing);                                                                            \
  wants("| " phrase " |", &missing);

static void test_lists(void **state) {
  (void)state;
  char row[200];
  int missing = 0;
  WIRE_CODES(CHECK_ROW)
  WIRE_BOUNDS(CHECK_ROW)
  WIRE_ENDS(CHECK_ROW)
  WIRE_MOTIONS(CHECK_ROW)
  WIRE_PARAM_STATUSES(CHECK_ROW)
  WIRE_EVENTS(CHECK_ROW)
  WIRE_STATES(CHECK_STATE)
  WIRE_FAULTS(CHECK_STATE)
  assert_int_equal(missing, 0);
}

/* ---- examples ---- */

static Rig rig;
static RigStorage storage;
static int examples_missing;

/* "NAME: 05 41 ..." on one or more lines of the document, sixteen bytes each. */
static void example(const char *name, const uint8_t *bytes, size_t n) {
  char line[4 * WIRE_FRAME_MAX];
  size_t length = (size_t)snprintf(line, sizeof line, "\n%s:", name);
  for (size_t k = 0; k < n; k++)
    length += (size_t)snprintf(line + length, sizeof line - length, "%s%02x",
                               k % 24 == 0 ? "\n  " : " ", bytes[k]);
  (void)snprintf(line + length, sizeof line - length, "\n");
  wants(line, &examples_missing);
}

static void example_request(const char *name, uint16_t type, const uint8_t *payload, size_t n) {
  size_t length;
  const uint8_t *bytes = rig_encode(&rig, type, payload, n, rig.seq, &length);
  example(name, bytes, length);
  (void)rig_request(&rig, type, payload, n);
}

static void example_frame(const char *name, const RigFrame *frame) {
  uint8_t bytes[WIRE_FRAME_MAX];
  assert_non_null(frame);
  example(name, bytes, wire_frame_encode(bytes, &frame->header, frame->payload, frame->length));
}

static void test_examples(void **state) {
  (void)state;
  uint8_t payload[64];
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  rig.seq = 0;
  rig_run(&rig, 1, false);
  example_frame("EVENT boot 41, after power-up", rig_answer(&rig));
  const WireHello hello = {.major = 1, .minor = 1, .host_id = 0x12345678u};
  wire_hello_put(payload, &hello);
  example_request("HELLO version 1.1, host_id 12345678", WIRE_TYPE_HELLO, payload, WIRE_SIZE_HELLO);
  example_frame("HELLO_ACK", rig_answer(&rig));
  WireHelloAck ack;
  assert_true(wire_hello_ack_get(&ack, rig_answer(&rig)->payload, rig_answer(&rig)->length));
  rig.token = rig.session_token = ack.token;
  const WireArm arm = {ack.token, 300};
  wire_arm_put(payload, &arm);
  example_request("ARM for 300 ms", WIRE_TYPE_ARM, payload, WIRE_SIZE_ARM);
  example_frame("ACK of ARM", rig_answer(&rig));
  const WireSweep sweep = {2, 2, 100, -1000000, 400000, 500000, 2000000, 4000};
  wire_sweep_put(payload, &sweep);
  example_request("SWEEP joint 2 from -1 to 0.4 rad, two passes at 0.5 rad/s", WIRE_TYPE_SWEEP,
                  payload, WIRE_SIZE_SWEEP);
  example_frame("ACK of SWEEP, 8650 ms", rig_answer(&rig));
  const uint16_t seq = rig.seq;
  rig.seq = 0x8000; /* STOP is not counted */
  example_request("STOP, number 8000", WIRE_TYPE_STOP, NULL, 0);
  example_frame("ACK of STOP", rig_answer(&rig));
  rig.seq = seq;
  const uint8_t rates[4] = {0xe8, 3, 0, 0};
  example_request("SUBSCRIBE 1000 Hz", WIRE_TYPE_SUBSCRIBE, rates, 4);
  rig_run(&rig, 1, false);
  example_frame("TELEM", rig_last(&rig, WIRE_TYPE_TELEM));
  payload[0] = 1;
  const WireMoveJoint target = {1, 1200000, 500000, 2000000};
  wire_move_joint_put(payload + 1, &target);
  example_request("MOVE joint 1 to 1.2 rad", WIRE_TYPE_MOVE, payload,
                  WIRE_SIZE_MOVE + WIRE_SIZE_MOVE_JOINT);
  example_frame("REFUSED: joint 1, highest position, limit 1000000, asked 1200000",
                rig_answer(&rig));
  assert_int_equal(rig_result(&rig), WIRE_CODE_BOUND);
  example("Emergency string", (const uint8_t *)"\0\x18\x18\x18\x18\x18\x18\x18\x18\0", 10);
  assert_int_equal(examples_missing, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_examples),
  };
  return cmocka_run_group_tests_name("protocol_doc", tests, load, unload);
}
