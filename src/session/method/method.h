/* SPDX-License-Identifier: MIT */
/* Which methods there are, and what can be done with what each has found. A new method adds its
 * files and one line in method_list.c; nothing else names it. Any thread.
 *
 * Its file goes through comparison, diff and CSV as a set (core/params/set.h) by the list of its
 * kinds alone; what it can do besides stands in its entry, and what it cannot is refused in words.
 */
#ifndef ARMATURE_SESSION_METHOD_H
#define ARMATURE_SESSION_METHOD_H

#include <glib.h>
#include <stdbool.h>

#include "core/params/method.h"
#include "io/export/export_c.h"
#include "io/json/json_read.h"
#include "io/params/params_file.h"
#include "session/method/measuring.h"

typedef struct AseMethod AseMethod;

/* A parameter file, read. */
typedef struct {
  const AseMethod *method;
  ArmParamSet set;
  gpointer whole; /* what its load has made of the rest; NULL: there is none */
} AseFound;

struct AseMethod {
  const ArmMethod *(*finds)(void); /* the kind of its files, and what they hold */

  /* All below may be NULL: a file holds a set and nothing else, says nothing that whoever uses it
   * must hear, has no C code, comes from no session, and is compared without a word. */

  /* As ase_found_load_text, with a model; fills set and whole. */
  bool (*load)(const char *name, const char *text, gsize length, const ArmModel *model,
               AseFound *found, GError **error);
  void (*free_whole)(gpointer whole); /* not NULL where load is not; gets no NULL */
  GPtrArray *(*reminders)(const AseFound *found);
  char *(*export_c)(const AioArm *arm, const AseFound *found, const AioExportC *options,
                    gsize *length, GError **error);
  const AseMeasuring *measuring; /* how a session measures for it; NULL: none does */
  const char *beside_sweeps;     /* N_: what a comparison with a fit of sweeps does not show */
};

extern const AseMethod ase_method_gravity, ase_method_dynamics;

/* NULL at the end. Tests link a list of their own. */
extern const AseMethod *const ase_method_list[];
/* The one that a session measures for; its `measuring` is not NULL. */
extern const AseMethod *const ase_method_of_sessions;

/* "gravity" */
const char *ase_method_key(const AseMethod *method);

/* Whose parameter file this is, whatever else is wrong with it.
 * NULL: what aio_params_kind reports; AIO_ERROR_REFUSED, "expected parameters of kind "gravity" or
 * "dynamics", found "x"". */
const AseMethod *ase_method_of(const AioJsonNode *root, GError **error);

/* A parameter file of any kind.
 *   name   what messages call it
 *   model  of the arm that it is read for; NULL: of any, which joints it has it says itself
 *   found  out; ase_found_clear on success, untouched otherwise
 * false: what ase_method_of and aio_params_load_bytes report. */
bool ase_found_load_text(const char *name, const char *text, gsize length, const ArmModel *model,
                         AseFound *found, GError **error);
void ase_found_clear(AseFound *found);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AseFound, ase_found_clear)

/* Of char *, a sentence each: what whoever uses the numbers is to be told. g_ptr_array_unref. */
GPtrArray *ase_found_reminders(const AseFound *found);

/* aio_export_c of any kind; AIO_ERROR_REFUSED also where the method has no C code. g_free. */
char *ase_found_export_c(const AioArm *arm, const AseFound *found, const AioExportC *options,
                         gsize *length, GError **error);

#endif
