/* SPDX-License-Identifier: MIT */
/* Results to standard output or into a file, as a whole or row by row, and what a signal or a full
 * disk in between must not leave behind. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "io/base/file.h"
#include "io/base/safe_text.h"
#include "io/store/store.h"

/* A signal ends the program at once, except while a temporary file exists: then as soon as it has
 * been renamed or removed. */
static volatile sig_atomic_t is_writing, pending;

/* Of a search that has a result at any time: the first signal ends the search, not the program. */
static volatile sig_atomic_t is_deferred, deferred;

static void on_signal(int number) {
  if (is_deferred && !deferred)
    deferred = number;
  else if (is_writing)
    pending = number;
  else
    _exit(128 + number);
}

/* What is kept of strokes lies in mapped temporary files (io/recording/shelf), and SQLite maps the
 * index of a session's log: where these cannot be read that is told by a signal, as no call is made
 * that could fail, and it does not say which. */
static char lost[PATH_MAX + 128];

static void on_lost(int number) {
  (void)!write(STDERR_FILENO, lost, strlen(lost));
  raise(number); /* as if it had not been caught */
}

static void catch_lost(void) {
  struct sigaction action = {.sa_handler = on_lost, .sa_flags = (int)SA_RESETHAND};
  g_snprintf(lost, sizeof lost,
             "armature-cli: error: a file in use cannot be read back, a temporary one in %s or the "
             "FILE-shm of a session: the disk fails, or somebody has cut it short; what a session "
             "had on the disk is kept, open it again\n",
             g_get_tmp_dir());
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
}

void cli_catch_signals(void) {
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++) {
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[k], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[k], &action, NULL);
  }
  catch_lost();
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its own */
}

void cli_defer_signals(void) {
  is_deferred = 1;
}

int cli_deferred_signal(void) {
  return deferred;
}

bool cli_may_write(const char *path, bool force) {
  return cli_may_write_with(NULL, path, force);
}

bool cli_may_write_with(const char *session, const char *path, bool force) {
  GError *error = NULL;
  if (!path ||
      (aio_store_check_output(path, session, &error) && aio_file_may_write(path, force, &error)))
    return true;
  cli_fail(error);
  return false;
}

/* why standard output failed when something else flushed it; 0: it did not */
static int flush_error;

void cli_flush(void) {
  errno = 0;
  if (fflush(stdout) != 0 && flush_error == 0)
    flush_error = errno;
}

static int fail_stdout(int saved) {
  saved = saved ? saved : flush_error;
  cli_error("standard output: cannot write: %s", saved ? g_strerror(saved) : "the output failed");
  clearerr(stdout);
  return CLI_BAD_INPUT;
}

bool cli_may_print(void) {
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  const bool is_open = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
  if (!is_open)
    fail_stdout(EBADF);
  return is_open;
}

static int write_stdout(const char *bytes, gsize length) {
  if (aio_text_has_orders(bytes, length)) { /* in JSON the same characters, for a terminal none */
    g_autofree char *visible = aio_text_visible(bytes, true);
    return write_stdout(visible, strlen(visible));
  }
  errno = 0;
  bool is_written = fwrite(bytes, 1, length, stdout) == length && fflush(stdout) == 0;
  return is_written ? CLI_OK : fail_stdout(errno);
}

int cli_write(const char *path, const char *bytes, gsize length, bool force) {
  GError *error = NULL;
  if (!path)
    return write_stdout(bytes, length);
  if (!aio_store_check_output(path, NULL, &error))
    return cli_fail(error);
  is_writing = 1;
  bool is_written = aio_file_write_atomic(path, bytes, length, force, &error);
  is_writing = 0;
  if (pending)
    _exit(128 + pending);
  return is_written ? CLI_OK : cli_fail(error);
}

/* ---- a result that comes row by row ---- */

enum { HAND_OVER = 1 << 20 };

struct CliOutput {
  GString *text;
  AioFileWriter *writer; /* NULL: stdout */
};

CliOutput *cli_output_new(const char *path, bool force) {
  GError *error = NULL;
  AioFileWriter *writer = NULL;
  is_writing = path != NULL;
  if (path && !(aio_store_check_output(path, NULL, &error) &&
                (writer = aio_file_writer_new(path, force, &error)))) {
    is_writing = 0;
    cli_fail(error);
    return NULL;
  }
  CliOutput *output = g_new0(CliOutput, 1);
  output->writer = writer;
  output->text = g_string_sized_new(HAND_OVER + HAND_OVER / 4);
  return output;
}

GString *cli_output_text(CliOutput *output) {
  return output->text;
}

static void drop_when_interrupted(CliOutput *output) {
  if (!pending || !output->writer)
    return;
  aio_file_writer_drop(output->writer);
  _exit(128 + pending);
}

static int hand_over(CliOutput *output) {
  GError *error = NULL;
  int code = CLI_OK;
  if (!output->writer)
    code = write_stdout(output->text->str, output->text->len);
  else if (!aio_file_writer_add(output->writer, output->text->str, output->text->len, &error))
    code = cli_fail(error);
  g_string_truncate(output->text, 0);
  drop_when_interrupted(output);
  return code;
}

int cli_output_row(CliOutput *output) {
  return output->text->len > HAND_OVER ? hand_over(output) : CLI_OK;
}

int cli_output_end(CliOutput *output, int code) {
  GError *error = NULL;
  if (code == CLI_OK)
    code = hand_over(output);
  if (output->writer && code != CLI_OK)
    aio_file_writer_drop(output->writer);
  else if (output->writer && !aio_file_writer_close(output->writer, &error))
    code = cli_fail(error);
  is_writing = 0;
  if (pending)
    _exit(128 + pending);
  g_string_free(output->text, TRUE);
  g_free(output);
  return code;
}

int cli_finish(int code) {
  if (code == CLI_INTERRUPTED) /* perhaps because nobody reads it any more */
    return code;
  bool had_error = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !had_error)
    return code;
  return fail_stdout(errno);
}
