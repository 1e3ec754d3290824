/* SPDX-License-Identifier: MIT */
/* Sessions of a device written down, each with all that it said: what firmware in the field answers
 * stays the same to the last bit. tests/golden/device_transcript.txt is script and record in one:
 *
 *   > MESSAGE field..   a request (transcript.h); token, schema, digest, set and its digest `crc`
 *                       stand for what they are
 *   ! thing number..    what happens to its hardware; run and keep: so many ms, without and with
 *                       renewing the lease
 *   < ...               what the device said
 *   = ...               set-points after some time
 *   #                   why
 *
 * When the protocol changes on purpose, ARMATURE_TRANSCRIPT=FILE writes what it would be; each line
 * of the difference is to be meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"
#include "transcript.h"
#include "wire/bytes.h"
#include "wire/crc32.h"

enum { LINE = 1000 };

static Rig rig;
static RigStorage storage;
static uint8_t set[4 * RIG_PARAMS];

/* The initial values, but table[0] and those behind it from this one on. */
static void make_set(uint32_t first) {
  for (size_t k = 0; k < RIG_PARAMS; k++)
    wire_put_u32(set + 4 * k, k < 5 ? rig_config.params[k].initial : first + (uint32_t)k - 5);
}

static long long number(void *ctx, const char *word) {
  (void)ctx;
  if (strcmp(word, "token") == 0)
    return rig.device.token;
  if (strcmp(word, "schema") == 0)
    return rig.device.schema_crc;
  if (strcmp(word, "digest") == 0)
    return rig.device.digest;
  if (strcmp(word, "crc") == 0)
    return wire_crc32(0, set, sizeof set);
  char *end;
  const long long value = strtoll(word, &end, 0);
  if (*word == 0 || *end != 0)
    fail_msg("%s: what is that?", word);
  return value;
}

static void request(const char *line) {
  char words[LINE], *rest = words;
  uint8_t payload[WIRE_PAYLOAD_MAX];
  strcpy(words, line + 1);
  const uint16_t type = transcript_type(strtok_r(rest, " \n", &rest));
  const bool is_set = strstr(rest, " set") != NULL || strncmp(rest, "set", 3) == 0;
  if (is_set)
    *strstr(rest, "set") = 0;
  size_t n = transcript_payload(type, rest, number, NULL, payload);
  if (is_set) {
    memcpy(payload + n, set, sizeof set);
    n += sizeof set;
  }
  (void)rig_request(&rig, type, payload, n);
  rig.token = rig.device.token; /* for what keeps the lease */
}

static void print_points(FILE *out) {
  fprintf(out, "= drives=%d", rig.drives_on);
  for (size_t j = 0; rig.drives_on && j < RIG_JOINTS; j++)
    fprintf(out, " %d@%d", rig.points[j], rig.points_qd[j]);
  fputc('\n', out);
}

static void run(FILE *out, uint32_t ms, bool keeps) {
  rig_run(&rig, ms, keeps);
  print_points(out);
}

static void turn_on(const long long *v) {
  rig_storage_init(&storage);
  rig_init(&rig, v[0] ? &storage : NULL);
}

static void say_hello(uint8_t minor) {
  rig.minor = minor;
  rig_hello(&rig);
}

/* name, numbers expected, what it does */
#define THINGS(T)                                                                                  \
  T(start, 1, turn_on(v))                                                                          \
  T(hello, 1, say_hello((uint8_t)v[0]))                                                            \
  T(session, 1, rig.session_token += (uint32_t)v[0])                                               \
  T(arming, 1, rig.token += (uint32_t)v[0])                                                        \
  T(wraps, 1, rig.wraps = (uint16_t)(rig.wraps + v[0]))                                            \
  T(ahead, 1, rig.seq = (uint16_t)(rig.seq + v[0]))                                                \
  T(reboot, 0, rig_reboot(&rig))                                                                   \
  T(run, 1, run(out, (uint32_t)v[0], false))                                                       \
  T(keep, 1, run(out, (uint32_t)v[0], true))                                                       \
  T(clock, 1, rig.now_us += (uint64_t)v[0])                                                        \
  T(break, 0, wire_device_line_break(&rig.device))                                                 \
  T(estop, 1, rig.reading.is_estop_closed = v[0] == 0)                                             \
  T(supply, 1, rig.reading.supply_mv = (uint32_t)v[0])                                             \
  T(heat, 2, rig.reading.motor_temperature[v[0] - 1] = (int16_t)v[1])                              \
  T(current, 2, rig.reading.current[v[0] - 1] = (int16_t)v[1])                                     \
  T(position, 2, rig.reading.q[v[0] - 1] = (int32_t)v[1])                                          \
  T(flags, 2, rig.reading.flags[v[0] - 1] = (uint16_t)v[1])                                        \
  T(faults, 1, rig.reading.faults = (uint32_t)v[0])                                                \
  T(stall, 1, rig.is_stalled = v[0] != 0)                                                          \
  T(disobey, 1, rig.drives_fail = v[0] != 0)                                                       \
  T(mute, 1, rig.is_line_full = v[0] != 0)                                                         \
  T(unwritable, 1, storage.is_failing = v[0] != 0)                                                 \
  T(set, 1, make_set((uint32_t)v[0]))

static void happen(FILE *out, const char *line) {
  char words[LINE], *rest = words;
  long long v[4] = {0};
  int n = 0;
  strcpy(words, line + 1);
  const char *name = strtok_r(rest, " \n", &rest);
  for (char *word; n < 4 && (word = strtok_r(rest, " \n", &rest));)
    v[n++] = number(NULL, word);
#define THING(thing, numbers, does)                                                                \
  if (strcmp(name, #thing) == 0 && n == (numbers)) {                                               \
    does;                                                                                          \
    return;                                                                                        \
  }
  THINGS(THING)
  fail_msg("%s: no such thing, or not with %d numbers", name, n);
}

/* A line of the script, and behind it what came of it. */
static void play(FILE *out, const char *line) {
  const size_t before = *line == '!' && strncmp(line, "! start", 7) == 0 ? 0 : rig.n_frames;
  fputs(line, out);
  if (*line == '>')
    request(line);
  else if (*line == '!')
    happen(out, line);
  for (size_t k = before; k < rig.n_frames; k++)
    transcript_print(out, &rig.frames[k]);
}

static char *all_of(FILE *file, size_t *n) {
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  rewind(file);
  *n = fread(text, 1, (1 << 20) - 1, file);
  return text;
}

static void print_difference(const char *is, const char *was) {
  size_t line = 1;
  const char *a = is, *b = was;
  for (; *a && *a == *b; a++, b++)
    line += *a == '\n';
  while (a > is && a[-1] != '\n')
    a--, b--;
  print_message("# line %zu: expected\n# %.*s\n# found\n# %.*s\n", line, (int)strcspn(b, "\n"), b,
                (int)strcspn(a, "\n"), a);
}

static void test_transcript(void **state) {
  (void)state;
  const char *update = getenv("ARMATURE_TRANSCRIPT");
  FILE *script = fopen(test_source_path("tests/golden/device_transcript.txt"), "r");
  FILE *out = update ? fopen(update, "w+") : tmpfile();
  char line[LINE];
  size_t n, m;
  assert_true(script && out);
  while (fgets(line, sizeof line, script))
    if (*line != '<' && *line != '=')
      play(out, line);
  char *was = all_of(script, &n), *is = all_of(out, &m);
  if (strcmp(is, was) != 0 && !update) {
    print_difference(is, was);
    fail();
  }
  assert_true(rig.telem.lost == 0);
  free(was);
  free(is);
  fclose(script);
  fclose(out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_transcript)};
  return cmocka_run_group_tests_name("device_transcript", tests, NULL, NULL);
}
