/* SPDX-License-Identifier: MIT */
#include "transcript.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/bytes.h"

typedef enum { KIND_u8, KIND_u16, KIND_u32, KIND_i16, KIND_i32, KIND_text8, KIND_text24 } Kind;

typedef struct {
  Kind kind;
  const char *name;
} Field;

enum { FIELDS = 20 };

typedef struct {
  const char *name;
  uint16_t type;
  Field fields[FIELDS + 1];
} Layout;

#define FIELD(kind, name)                            {KIND_##kind, #name},
#define MESSAGE(NAME, Type, function, number, bytes) {#NAME, number, {WIRE_LAYOUT_##NAME(FIELD)}},
#define EMPTY(NAME, number)                          {#NAME, number, {{KIND_u8, NULL}}},
#define RECORD(NAME, Type, function, bytes)          {#NAME, 0, {WIRE_LAYOUT_##NAME(FIELD)}},

static const Layout layouts[] = {WIRE_MESSAGES(MESSAGE) WIRE_EMPTY_MESSAGES(EMPTY)
                                     WIRE_RECORDS(RECORD)};

static const size_t sizes[] = {1, 2, 4, 2, 4, 8, 24};

static const Layout *by_name(const char *name) {
  for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
    if (strcmp(layouts[k].name, name) == 0)
      return &layouts[k];
  return NULL;
}

static const Layout *by_type(uint16_t type) {
  for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
    if (layouts[k].type && layouts[k].type == type)
      return &layouts[k];
  return NULL;
}

/* What is repeated behind the fields, NULL: nothing. */
static const Layout *repeated(uint16_t type) {
  switch (type) {
  case WIRE_TYPE_MOVE:
    return by_name("MOVE_JOINT");
  case WIRE_TYPE_TRAJ_SEGMENT:
    return by_name("KNOT");
  case WIRE_TYPE_TELEM:
    return by_name("TELEM_JOINT");
  case WIRE_TYPE_HEALTH:
    return by_name("HEALTH_JOINT");
  case WIRE_TYPE_REFUSED:
    return by_name("REQUEST_CRC");
  default:
    return NULL;
  }
}

uint16_t transcript_type(const char *name) {
  const Layout *layout = by_name(name);
  return layout ? layout->type : (uint16_t)strtoul(name, NULL, 0);
}

/* ---- from words ---- */

static uint8_t *put(uint8_t *at, Kind kind, long long value) {
  switch (sizes[kind]) {
  case 1:
    *at = (uint8_t)value;
    break;
  case 2:
    wire_put_u16(at, (uint16_t)value);
    break;
  default:
    wire_put_u32(at, (uint32_t)value);
    break;
  }
  return at + sizes[kind];
}

size_t transcript_payload(uint16_t type, char *words, TranscriptNumber number, void *ctx,
                          uint8_t *payload) {
  static const Layout none = {.name = NULL}, bytes = {.fields = {{KIND_u8, ""}}},
                      wide = {.fields = {{KIND_u32, ""}}};
  const Layout *layout = by_type(type), *more = repeated(type);
  const Field *field = layout ? layout->fields : none.fields;
  uint8_t *end = payload;
  if (!more)
    more = type == WIRE_TYPE_UPLOAD_DATA ? &wide : &bytes;
  for (char *rest = words, *word; (word = strtok_r(rest, " \n", &rest));) {
    if (!field->name)
      field = more->fields;
    end = put(end, field++->kind, number(ctx, word));
    assert_true(end - payload <= WIRE_PAYLOAD_MAX);
  }
  return (size_t)(end - payload);
}

/* ---- to text ---- */

static void print_field(FILE *out, const Field *field, const uint8_t *at) {
  switch (field->kind) {
  case KIND_u8:
    fprintf(out, " %s=%u", field->name, *at);
    break;
  case KIND_u16:
    fprintf(out, " %s=%u", field->name, wire_get_u16(at));
    break;
  case KIND_u32:
    fprintf(out, " %s=%u", field->name, wire_get_u32(at));
    break;
  case KIND_i16:
    fprintf(out, " %s=%d", field->name, (int16_t)wire_get_u16(at));
    break;
  case KIND_i32:
    fprintf(out, " %s=%d", field->name, (int32_t)wire_get_u32(at));
    break;
  case KIND_text8:
  case KIND_text24:
    fprintf(out, " %s=\"%.*s\"", field->name, (int)sizes[field->kind], (const char *)at);
    break;
  }
}

static const uint8_t *print_fields(FILE *out, const Layout *layout, const uint8_t *at,
                                   const uint8_t *end) {
  for (const Field *field = layout->fields; field->name; field++) {
    assert_true(at + sizes[field->kind] <= end);
    print_field(out, field, at);
    at += sizes[field->kind];
  }
  return at;
}

void transcript_print(FILE *out, const RigFrame *frame) {
  const Layout *layout = by_type(frame->header.type), *more = repeated(frame->header.type);
  const uint8_t *at = frame->payload, *end = frame->payload + frame->length;
  assert_non_null(layout);
  fprintf(out, "< #%u t=%u %s", frame->header.seq, frame->header.t_us, layout->name);
  at = print_fields(out, layout, at, end);
  while (more && at < end) {
    fputs(" |", out);
    at = print_fields(out, more, at, end);
  }
  for (; at < end; at++)
    fprintf(out, " %02x", *at);
  fputc('\n', out);
}
