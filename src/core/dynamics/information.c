/* SPDX-License-Identifier: MIT */
/* One triangle of rows a joint and five of their sums, of the columns that are felt: rows of joint
 * j have zeros for the links before it, which would cost twice the time of folding. */
#include "core/dynamics/information.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/lsq.h"

enum { FOUR = 4, EIGHT = 8, NESTED = 5 };

/* Sums of 4, 8, 32, 128 and 512 rows on their way. */
typedef struct {
  double *sum[NESTED], *first; /* width each; first: of the last four */
  size_t rows;                 /* since the last break, modulo 512 */
} Sums;

typedef struct {
  size_t own, first, width;
  ArmLsq *rows, *sums[ARM_SUMS];
  double mass, sum_mass[ARM_SUMS];
  double effort; /* weighted sum of efforts */
  Sums pending;
  double *storage;       /* the sums */
  const double **column; /* width, of the block that is added: those that are felt */
} Joint;

struct ArmInformation {
  size_t n, count, own;
  Joint joint[ARM_MAX_JOINTS];
};

size_t arm_sums_rows(ArmSums which) {
  static const size_t rows[ARM_SUMS] = {2, FOUR, EIGHT, 32, 128, 512};
  return rows[which];
}

/* ---- life ---- */

static ArmStatus joint_init(Joint *joint, size_t own, size_t first, size_t count) {
  const size_t width = own + count - first + 1;
  joint->own = own;
  joint->first = first;
  joint->width = width;
  joint->rows = arm_lsq_new(width);
  joint->storage = calloc((NESTED + 1) * width, sizeof *joint->storage);
  joint->column = calloc(width, sizeof *joint->column);
  bool is_made = joint->rows && joint->storage && joint->column;
  for (int k = 0; k < ARM_SUMS && is_made; k++) {
    joint->sums[k] = arm_lsq_new(width);
    is_made = joint->sums[k] != NULL;
  }
  if (!is_made)
    return ARM_E_MEMORY;
  for (size_t k = 0; k < NESTED; k++)
    joint->pending.sum[k] = joint->storage + k * width;
  joint->pending.first = joint->storage + NESTED * width;
  return ARM_OK;
}

/* Base parameters are in the order of links; joint j feels its own and those beyond. */
static size_t first_of(const ArmBase *base, size_t joint) {
  size_t b = 0;
  while (b < base->count && base->column[base->kept[b]].joint < joint)
    b++;
  return b;
}

static ArmStatus make(const ArmBase *base, size_t own, ArmInformation **information) {
  if (base->with != 0)
    return ARM_E_ARGUMENT;
  ArmInformation *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  made->n = base->n;
  made->count = base->count;
  made->own = own;
  ArmStatus status = ARM_OK;
  for (size_t j = 0; j < made->n && status == ARM_OK; j++)
    status = joint_init(&made->joint[j], own, first_of(base, j), base->count);
  if (status == ARM_OK)
    *information = made;
  else
    arm_information_free(made);
  return status;
}

ArmStatus arm_information_new(const ArmBase *base, ArmInformation **information) {
  return make(base, ARM_DYN_LOCAL, information);
}

ArmStatus arm_information_new_terms(const ArmBase *base, ArmInformation **information) {
  return make(base, ARM_DYN_OWN, information);
}

void arm_information_free(ArmInformation *information) {
  if (!information)
    return;
  for (size_t j = 0; j < information->n; j++) {
    Joint *joint = &information->joint[j];
    arm_lsq_free(joint->rows);
    for (int k = 0; k < ARM_SUMS; k++)
      arm_lsq_free(joint->sums[k]);
    free(joint->storage);
    free(joint->column);
  }
  free(information);
}

/* ---- rows ---- */

static bool is_all_zero(const double *column, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    if (column[r] != 0)
      return false;
  return true;
}

/* Column c of those that are felt among those of the rows as they come. */
static size_t source_of(const Joint *joint, size_t c) {
  return c < joint->own ? c : c + joint->first;
}

/* Of links before the joint. */
static bool are_inboard_zero(const Joint *joint, const double *block, size_t rows, size_t ld) {
  for (size_t c = joint->own; c < joint->own + joint->first; c++)
    if (!is_all_zero(block + c * ld, rows))
      return false;
  return true;
}

static ArmStatus push_sum(Joint *joint, ArmSums which, const double *sum) {
  joint->sum_mass[which] += 1;
  return arm_lsq_push(joint->sums[which], sum);
}

/* Sums of four are full: into their triangle and into the sums above. */
static ArmStatus carry(Joint *joint) {
  ArmStatus status = ARM_OK;
  Sums *pending = &joint->pending;
  for (size_t k = 0; k < NESTED && status == ARM_OK; k++) {
    if (pending->rows % arm_sums_rows((ArmSums)(ARM_SUMS_4 + k)) != 0)
      break;
    status = push_sum(joint, (ArmSums)(ARM_SUMS_4 + k), pending->sum[k]);
    for (size_t c = 0; c < joint->width && k + 1 < NESTED; c++)
      pending->sum[k + 1][c] += pending->sum[k][c];
    memset(pending->sum[k], 0, joint->width * sizeof(double));
  }
  pending->rows %= arm_sums_rows(ARM_SUMS_512);
  return status;
}

/* The second row of eight is in: what the sum of four was before it is the first. */
static ArmStatus push_pair(Joint *joint) {
  double *first = joint->pending.first;
  for (size_t c = 0; c < joint->width; c++)
    first[c] = joint->pending.sum[0][c] - 2 * first[c];
  return push_sum(joint, ARM_SUMS_PAIR, first);
}

static ArmStatus add_to_sums(Joint *joint, size_t rows) {
  ArmStatus status = ARM_OK;
  Sums *pending = &joint->pending;
  for (size_t r = 0; r < rows && status == ARM_OK; r++) {
    for (size_t c = 0; c < joint->width; c++)
      pending->sum[0][c] += joint->column[c][r];
    pending->rows++;
    if (pending->rows % EIGHT == 1)
      memcpy(pending->first, pending->sum[0], joint->width * sizeof(double));
    else if (pending->rows % EIGHT == 2)
      status = push_pair(joint);
    else if (pending->rows % FOUR == 0)
      status = carry(joint);
  }
  return status;
}

ArmStatus arm_information_push(ArmInformation *information, size_t j, const double *block,
                               size_t rows, size_t ld) {
  if (j >= information->n || ld < rows ||
      !are_inboard_zero(&information->joint[j], block, rows, ld))
    return ARM_E_ARGUMENT;
  Joint *joint = &information->joint[j];
  for (size_t c = 0; c < joint->width; c++)
    joint->column[c] = block + source_of(joint, c) * ld;
  const ArmStatus status = arm_lsq_push_columns(joint->rows, joint->column, rows);
  if (status != ARM_OK)
    return status;
  for (size_t r = 0; r < rows; r++)
    joint->effort += joint->column[joint->width - 1][r];
  joint->mass += (double)rows;
  return add_to_sums(joint, rows);
}

void arm_information_break(ArmInformation *information, size_t j) {
  Joint *joint = &information->joint[j];
  memset(joint->pending.sum[0], 0, NESTED * joint->width * sizeof(double));
  joint->pending.rows = 0;
}

/* ---- merging ---- */

static bool is_same_arm(const ArmInformation *a, const ArmInformation *b) {
  bool is_same = a->n == b->n && a->count == b->count && a->own == b->own;
  for (size_t j = 0; j < a->n && is_same; j++)
    is_same = a->joint[j].first == b->joint[j].first;
  return is_same;
}

static ArmStatus merge_joint(Joint *into, Joint *from, double weight) {
  ArmStatus status = arm_lsq_merge(into->rows, from->rows, weight);
  for (int k = 0; k < ARM_SUMS && status == ARM_OK; k++) {
    status = arm_lsq_merge(into->sums[k], from->sums[k], weight);
    into->sum_mass[k] += weight * weight * from->sum_mass[k];
  }
  into->mass += weight * weight * from->mass;
  into->effort += weight * weight * from->effort;
  return status;
}

ArmStatus arm_information_merge(ArmInformation *into, ArmInformation *from, double weight) {
  if (into == from || !is_same_arm(into, from))
    return ARM_E_ARGUMENT;
  ArmStatus status = ARM_OK;
  for (size_t j = 0; j < into->n && status == ARM_OK; j++) {
    arm_information_break(into, j);
    status = merge_joint(&into->joint[j], &from->joint[j], weight);
  }
  return status;
}

/* ---- what there is ---- */

size_t arm_information_joints(const ArmInformation *information) {
  return information->n;
}

size_t arm_information_count(const ArmInformation *information) {
  return information->count;
}

size_t arm_information_own(const ArmInformation *information) {
  return information->own;
}

size_t arm_information_first(const ArmInformation *information, size_t joint) {
  return information->joint[joint].first;
}

size_t arm_information_width(const ArmInformation *information, size_t joint) {
  return information->joint[joint].width;
}

size_t arm_information_rows(const ArmInformation *information, size_t joint) {
  return arm_lsq_rows(information->joint[joint].rows);
}

double arm_information_mass(const ArmInformation *information, size_t joint) {
  return information->joint[joint].mass;
}

double arm_information_mean(const ArmInformation *information, size_t joint) {
  const Joint *of = &information->joint[joint];
  return of->mass > 0 ? of->effort / of->mass : (double)NAN;
}

void arm_information_triangle(ArmInformation *information, size_t joint, double *r) {
  arm_lsq_triangle(information->joint[joint].rows, r);
}

double arm_information_sums(ArmInformation *information, size_t joint, ArmSums which, double *r) {
  arm_lsq_triangle(information->joint[joint].sums[which], r);
  return information->joint[joint].sum_mass[which];
}
