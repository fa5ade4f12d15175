/* own_program.h: where this process's program lies. Any thread. */
#ifndef STN_TRANSPORT_OWN_PROGRAM_H
#define STN_TRANSPORT_OWN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * stn_own_program: writes the path of the program to @path, which has room for
 * @room bytes. Returns false, with an empty path, if /proc doesn't tell it or it
 * is too long. If the file was removed, the path ends with " (deleted)".
 */
bool stn_own_program(char *path, size_t room);

/*
 * stn_own_place: writes the path of a directory that was installed with the
 * program. @directory is absolute, or relative to the program's directory, so
 * that it is also found in a build tree and in an installation that was moved.
 * Returns false, with an empty path, if the path is too long or /proc doesn't
 * tell the program's directory.
 */
bool stn_own_place(const char *directory, char *path, size_t room);

/*
 * stn_own_find: likewise the path of @file in the first of these directories
 * that has it. Returns false, with the path in the last one, if none has it.
 * @directories  end with NULL
 */
bool stn_own_find(const char *const *directories, const char *file, char *path,
		  size_t room);

#endif
