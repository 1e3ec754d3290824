/* SPDX-License-Identifier: MIT */
/* Stands in for libFuzzer where there is none: feeds every file of the given folders, whole and
 * cut short at 64 places, to the target. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly `size` bytes, so that reading past the end is seen by the sanitizers. */
static void feed(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size == 0 ? 1 : size);
  if (copy == NULL)
    abort();
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(1 << 20);
  if (file == NULL || data == NULL) {
    fprintf(stderr, "cannot read %s\n", path);
    free(data);
    if (file != NULL)
      fclose(file);
    return 1;
  }
  size_t size = fread(data, 1, 1 << 20, file);
  fclose(file);
  feed(data, size);
  for (size_t part = 0; part < 64; part++)
    feed(data, size * part / 64);
  free(data);
  return 0;
}

static int replay_folder(const char *folder, size_t *files) {
  DIR *open_folder = opendir(folder);
  if (open_folder == NULL) {
    fprintf(stderr, "cannot open %s\n", folder);
    return 1;
  }
  int bad = 0;
  for (struct dirent *entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
    char path[4096];
    if (entry->d_name[0] == '.')
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    bad |= replay_file(path);
    ++*files;
  }
  closedir(open_folder);
  return bad;
}

int main(int argc, char **argv) {
  size_t files = 0;
  int bad = 0;
  for (int i = 1; i < argc; i++)
    bad |= replay_folder(argv[i], &files);
  printf("%zu seeds replayed\n", files);
  return bad != 0 || files == 0;
}
