/* SPDX-License-Identifier: MIT */
/* Most numbers in recordings have few digits: these are exact in the processor's extended or double
 * precision, and one multiplication or division rounds them right (Clinger, PLDI 1990). All others
 * go to the C library in the C locale. */
#include "io/csv/csv_number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
  MAX_FAST_DIGITS = 19, /* what an unsigned 64-bit integer holds whatever the digits */
  MAX_EXPONENT = 100000,
  STACK_TEXT = 128
};

typedef struct {
  bool is_negative, has_all_digits; /* has_all_digits: mantissa is exact */
  guint64 mantissa;
  int exponent; /* value = mantissa 10^exponent */
} Decimal;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *scan_exponent(const char *at, const char *end, Decimal *number) {
  bool is_negative = false;
  int exponent = 0;
  if (at < end && (*at == '+' || *at == '-'))
    is_negative = *at++ == '-';
  if (at == end || !is_digit(*at))
    return NULL;
  for (; at < end && is_digit(*at); at++) {
    if (exponent < MAX_EXPONENT)
      exponent = 10 * exponent + (*at - '0');
  }
  number->exponent += is_negative ? -exponent : exponent;
  return at;
}

/* Collects digits; those beyond MAX_FAST_DIGITS only clear has_all_digits. */
static const char *scan_digits(const char *at, const char *end, int exponent_step, int *digits,
                               Decimal *number) {
  for (; at < end && is_digit(*at); at++) {
    if (*digits > 0 || *at != '0')
      ++*digits;
    if (*digits > MAX_FAST_DIGITS) {
      number->has_all_digits = false;
      continue;
    }
    number->mantissa = 10 * number->mantissa + (guint64)(*at - '0');
    number->exponent += exponent_step;
  }
  return at;
}

static bool scan(const char *text, gsize length, char decimal, Decimal *number) {
  const char *at = text;
  const char *const end = text + length;
  int digits = 0;
  *number = (Decimal){.has_all_digits = true};
  if (at < end && (*at == '+' || *at == '-'))
    number->is_negative = *at++ == '-';
  const char *start = at;
  at = scan_digits(at, end, 0, &digits, number);
  bool has_digit = at > start;
  if (at < end && *at == decimal) {
    start = ++at;
    at = scan_digits(at, end, -1, &digits, number);
    has_digit = has_digit || at > start;
  }
  if (!has_digit)
    return false;
  if (at < end && (*at == 'e' || *at == 'E'))
    at = scan_exponent(at + 1, end, number);
  return at == end;
}

#if LDBL_MANT_DIG == 64
enum { MAX_EXACT_POWER = 27 }; /* 5^27 < 2^64 */

/* The extended product or quotient of two exact numbers is right to half a unit of its 64 bits. It
 * rounds to the right double unless its 11 spare bits lie at the middle between two doubles. */
static bool convert_fast(const Decimal *number, double *out) {
  static const long double power[MAX_EXACT_POWER + 1] = {
      1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
      1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
      1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
  if (!number->has_all_digits || number->exponent < -MAX_EXACT_POWER ||
      number->exponent > MAX_EXACT_POWER)
    return false;
  const long double exact = (long double)number->mantissa;
  const long double value =
      number->exponent < 0 ? exact / power[-number->exponent] : exact * power[number->exponent];
  guint64 bits;
  memcpy(&bits, &value, sizeof bits);
  const guint64 spare = bits & 0x7ff;
  if (spare >= 0x3ff && spare <= 0x401)
    return false;
  *out = number->is_negative ? -(double)value : (double)value;
  return true;
}
#else
enum { MAX_EXACT_POWER = 22 }; /* 5^22 < 2^53 */

static bool convert_fast(const Decimal *number, double *out) {
  static const double power[MAX_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!number->has_all_digits || number->mantissa > (G_GUINT64_CONSTANT(1) << 53) ||
      number->exponent < -MAX_EXACT_POWER || number->exponent > MAX_EXACT_POWER)
    return false;
  const double exact = (double)number->mantissa;
  const double value =
      number->exponent < 0 ? exact / power[-number->exponent] : exact * power[number->exponent];
  *out = number->is_negative ? -value : value;
  return true;
}
#endif

AioNumberStatus aio_number_parse(const char *text, gsize length, char decimal, double *out) {
  Decimal number;
  if (!scan(text, length, decimal, &number))
    return AIO_NUMBER_NOT_A_NUMBER;
  if (convert_fast(&number, out))
    return AIO_NUMBER_OK;
  char stack[STACK_TEXT];
  char *copy = length < sizeof stack ? stack : g_malloc(length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  if (decimal != '.')
    g_strdelimit(copy, (const char[]){decimal, '\0'}, '.');
  const double value = g_ascii_strtod(copy, NULL);
  if (copy != stack)
    g_free(copy);
  if (!isfinite(value))
    return AIO_NUMBER_TOO_LARGE;
  *out = value;
  return AIO_NUMBER_OK;
}
