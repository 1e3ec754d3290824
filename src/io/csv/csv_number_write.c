/* SPDX-License-Identifier: MIT */
/* 17 digits of M 2^e are M 5^k 2^(e+k), k = 16 - floor(log10): 116 bits at most for 1e-11 <= |x| <
 * 1e17, so that integers hold all of it. They always read back the same; 15 or 16 do when they are
 * off by less than half of 5^k 2^(e+k), which is the distance to the next double. Any text of fewer
 * digits is one of 15. Everything else goes to the C library. */
#include "io/csv/csv_number_write.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
  DIGITS = 17,
  MAX_POWER = 27, /* 5^27 < 2^63 */
  BIAS = 1023,
  FRACTION = 52,
  LEAST_FIXED = -4 /* %g: from this decimal exponent on without an exponent */
};
#define TEN_16 G_GUINT64_CONSTANT(10000000000000000)

__extension__ typedef unsigned __int128 Wide;

static const guint64 five[MAX_POWER + 1] = {1,
                                            5,
                                            25,
                                            125,
                                            625,
                                            3125,
                                            15625,
                                            78125,
                                            390625,
                                            1953125,
                                            9765625,
                                            48828125,
                                            244140625,
                                            1220703125,
                                            G_GUINT64_CONSTANT(6103515625),
                                            G_GUINT64_CONSTANT(30517578125),
                                            G_GUINT64_CONSTANT(152587890625),
                                            G_GUINT64_CONSTANT(762939453125),
                                            G_GUINT64_CONSTANT(3814697265625),
                                            G_GUINT64_CONSTANT(19073486328125),
                                            G_GUINT64_CONSTANT(95367431640625),
                                            G_GUINT64_CONSTANT(476837158203125),
                                            G_GUINT64_CONSTANT(2384185791015625),
                                            G_GUINT64_CONSTANT(11920928955078125),
                                            G_GUINT64_CONSTANT(59604644775390625),
                                            G_GUINT64_CONSTANT(298023223876953125),
                                            G_GUINT64_CONSTANT(1490116119384765625),
                                            G_GUINT64_CONSTANT(7450580596923828125)};

/* M 5^k 2^(e+k): `product` over 2^shift. */
typedef struct {
  Wide product, ulp; /* ulp: of M alone */
  int shift;
  bool is_even,
      is_lowest; /* M: is it even; the next double below is half as far as the one above */
} Scaled;

static Scaled scale(guint64 mantissa, int exponent, int power) {
  const int shift = -(exponent + power), left = shift < 0 ? -shift : 0;
  return (Scaled){.product = (Wide)mantissa * five[power] << left,
                  .ulp = (Wide)five[power] << left,
                  .shift = shift + left,
                  .is_even = mantissa % 2 == 0,
                  .is_lowest = mantissa == G_GUINT64_CONSTANT(1) << FRACTION};
}

/* Half to even. */
static guint64 round_scaled(const Scaled *x) {
  const guint64 whole = (guint64)(x->product >> x->shift);
  const Wide twice = (x->product - ((Wide)whole << x->shift)) << 1, one = (Wide)1 << x->shift;
  return whole + (twice > one || (twice == one && whole % 2 == 1));
}

/* Would these digits read back as x? Amid two doubles the even one is read. */
static bool reads_back(const Scaled *x, guint64 digits) {
  const Wide other = (Wide)digits << x->shift;
  const bool is_below = other < x->product;
  const Wide twice = (is_below ? x->product - other : other - x->product) << 1;
  const Wide room = is_below && x->is_lowest ? x->ulp >> 1 : x->ulp;
  return twice < room || (twice == room && x->is_even && !(is_below && x->is_lowest));
}

/* The nearest multiple of `unit`; amid two the even one. */
static guint64 round_to(const Scaled *x, guint64 digits, guint64 unit) {
  const guint64 low = digits - digits % unit;
  const Wide twice = x->product << 1, middle = (Wide)(2 * low + unit) << x->shift;
  return twice > middle || (twice == middle && low / unit % 2 == 1) ? low + unit : low;
}

/* The nearest digits with zeros at the end where these read back, else all 17. */
static guint64 shorten(const Scaled *x, guint64 digits) {
  for (guint64 unit = 100; unit > 1; unit /= 10) {
    const guint64 near = round_to(x, digits, unit);
    if (reads_back(x, near))
      return near;
  }
  return digits;
}

/* false: not within the range of exact integers. */
static bool decimal_of(guint64 bits, guint64 *digits, int *ten) {
  const int two = (int)(bits >> FRACTION & 0x7ff) - BIAS;
  const guint64 mantissa =
      (bits & ((G_GUINT64_CONSTANT(1) << FRACTION) - 1)) | (G_GUINT64_CONSTANT(1) << FRACTION);
  if (two < -36 || two > 55) /* 2^-36 > 1e-11, 2^56 < 1e17 */
    return false;
  *ten = (two * 1233 + 64 * 4096) / 4096 - 64; /* floor(two log10 2), one too few at times */
  Scaled x = scale(mantissa, two - FRACTION, DIGITS - 1 - *ten);
  *digits = round_scaled(&x);
  if (*digits >= 10 * TEN_16) {
    ++*ten;
    x = scale(mantissa, two - FRACTION, DIGITS - 1 - *ten);
    *digits = round_scaled(&x);
  }
  *digits = shorten(&x, *digits);
  if (*digits == 10 * TEN_16) { /* rounded up */
    ++*ten;
    *digits = TEN_16;
  }
  return true;
}

/* Writes exactly `count` digits. */
static void put_digits(char *out, guint32 number, int count) {
  for (int k = count - 1; k >= 0; k--, number /= 10)
    out[k] = (char)('0' + number % 10);
}

/* Four chains of divisions side by side instead of a long one. */
static void put_all_digits(char *out, guint64 number) {
  const guint32 high = (guint32)(number / 100000000), low = (guint32)(number % 100000000);
  put_digits(out, high / 10000, 5);
  put_digits(out + 5, high % 10000, 4);
  put_digits(out + 9, low / 10000, 4);
  put_digits(out + 13, low % 10000, 4);
}

static gsize put_exponent(char *out, const char *digits, int count, int ten) {
  gsize at = 0;
  out[at++] = digits[0];
  if (count > 1)
    out[at++] = '.';
  memcpy(out + at, digits + 1, (gsize)count - 1);
  at += (gsize)count - 1;
  out[at++] = 'e';
  out[at++] = ten < 0 ? '-' : '+';
  put_digits(out + at, (guint32)(ten < 0 ? -ten : ten), 2);
  return at + 2;
}

static gsize put_fixed(char *out, const char *digits, int count, int ten) {
  gsize at = 0;
  if (ten < 0) {
    static const char zeros[] = {'0', '.', '0', '0', '0'};
    memcpy(out, zeros, sizeof zeros);
    at = (gsize)(1 - ten);
    memcpy(out + at, digits, (gsize)count);
    return at + (gsize)count;
  }
  const int whole = ten + 1;
  memcpy(out, digits, (gsize)whole);
  if (count <= whole)
    return (gsize)whole;
  out[whole] = '.';
  memcpy(out + whole + 1, digits + whole, (gsize)(count - whole));
  return (gsize)count + 1;
}

/* Any text of fewer digits is one of 15, but for doubles that have fewer bits. With less than 17
 * whole numbers below 1e17 would have an exponent, and be longer. */
static gsize write_by_library(double value, char *out) {
  const double size = fabs(value);
  const bool is_whole = size >= 1 && size < 1e17;
  char format[8];
  for (int digits = size < DBL_MIN ? 1 : is_whole ? DIGITS : 15; digits <= DIGITS; digits++) {
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(out, AIO_NUMBER_ROOM, format, value);
    if (g_ascii_strtod(out, NULL) == value)
      break;
  }
  return strlen(out);
}

gsize aio_number_write(double value, char *out) {
  guint64 bits, number;
  int ten;
  memcpy(&bits, &value, sizeof bits);
  const gsize sign = bits >> 63;
  out[0] = '-';
  if (value == 0.0) {
    out[sign] = '0';
    return sign + 1;
  }
  if (!decimal_of(bits, &number, &ten))
    return write_by_library(value, out);
  char digits[DIGITS];
  int count = DIGITS;
  put_all_digits(digits, number);
  while (digits[count - 1] == '0')
    count--;
  return sign + (ten < LEAST_FIXED ? put_exponent(out + sign, digits, count, ten)
                                   : put_fixed(out + sign, digits, count, ten));
}
