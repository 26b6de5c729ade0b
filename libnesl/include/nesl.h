/* NESL inside other programs: functions written in NESL, called with the caller's arrays. docs/c-api.md is the
 * manual.
 *
 * A function that can fail returns NULL on success, and else an error, which the caller must free. It stores its
 * result through its last argument; the caller must free the result. After an error the stored result is NULL.
 *
 * One thread at a time uses a session: a call waits until the call of another thread has ended. Different sessions
 * do not wait for each other. Handles are numbers, not addresses, and no number is used twice, so that a freed
 * handle, or a handle of another session, causes an error and never a crash.
 */
#ifndef NESL_H
#define NESL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NESL_API __attribute__((visibility("default")))
#else
#define NESL_API
#endif

typedef struct nesl_session nesl_session;
typedef struct nesl_function nesl_function;
typedef struct nesl_value nesl_value;
typedef struct nesl_error nesl_error;

/* The version of the library, as in "0.2.0". */
NESL_API const char* nesl_version(void);

/* --- errors ----------------------------------------------------------------------------------------------------- */

typedef enum {
  NESL_NO_ERROR = 0,
  NESL_ERROR_ARGUMENT = 1,  /* invalid argument: NULL, a wrong type, offsets that descend, a freed handle */
  NESL_ERROR_TEXT = 2,      /* error in a NESL text: syntax, types, an unknown name, a file that cannot be read */
  NESL_ERROR_RUN = 3,       /* error of a running program: an index out of range, a division by zero, error("...") */
  NESL_ERROR_RESOURCE = 4,  /* failure of the environment: memory, stack, the vector library */
  NESL_ERROR_CANCELLED = 5, /* nesl_cancel() ended the call */
  NESL_ERROR_INTERNAL = 6   /* a mistake in the library */
} nesl_error_class;

/* The class of an error. The results of all nesl_error_ functions are valid until the error is freed; NULL stands
 * for no error. */
NESL_API nesl_error_class nesl_error_kind(const nesl_error* error);
/* The message, with the values at fault, without the location. */
NESL_API const char* nesl_error_message(const nesl_error* error);
/* The full report, one or several lines, as the nesl command prints it: location, source line with a caret, values,
 * element, callers; for an error in a text, all errors of the text. */
NESL_API const char* nesl_error_report(const nesl_error* error);
/* The location in the NESL text: the name of the text and of the function (each may be ""), and line and column from
 * 1 on; 0 if there is no location. */
NESL_API const char* nesl_error_file(const nesl_error* error);
NESL_API const char* nesl_error_function(const nesl_error* error);
NESL_API int nesl_error_line(const nesl_error* error);
NESL_API int nesl_error_column(const nesl_error* error);
/* The index of the element at fault in each apply-to-each around the location, the outermost first. Returns the
 * number of indices; 0 if the element is unknown. Sets `complete`, unless it is NULL, to whether the first index is
 * that in the outermost apply-to-each. */
NESL_API size_t nesl_error_path(const nesl_error* error, const int64_t** positions, int* complete);
NESL_API void nesl_error_free(nesl_error* error);

/* --- sessions --------------------------------------------------------------------------------------------------- */

/* Options of a session. Initialize with `nesl_options options = NESL_OPTIONS_INIT;`. */
typedef struct {
  size_t size;              /* sizeof(nesl_options) */
  const char* backend;      /* the vector library: "cpu", "cuda", "auto" for the best that works; NULL: "cpu" */
  int threads;              /* number of threads of the vector library; 0: one for each processor */
  size_t memory;            /* most bytes for vectors and stacks; 0: the memory of the machine */
  size_t stack;             /* most bytes for nested calls; 0: a quarter of `memory` */
  uint64_t seed;            /* seed of random numbers, which restart with each call */
  int sandbox;              /* not 0: programs cannot open files, start processes or load other files */
  int optimize;             /* optimization level, 0 to 2 */
  int int_bits;             /* width of NESL's int: 32 or 64 */
  int float_bits;           /* width of NESL's float: 32 or 64 */
  const char* kernel_cache; /* folder for compiled kernels; "off": none; NULL: the user's */
  const char* mpi;     /* "openmpi" or "mpich", which this process has started: the session is one of all ranks of a
                          communicator, which make the same calls; NULL: a session of this process alone */
  int communicator;    /* with `mpi`: the handle of the communicator in Fortran, from MPI_Comm_c2f() */
  const char* devices; /* numbers of the GPUs of a backend that has such, with commas between, as "0,1": vectors are in
                          memory of the first, and pieces of large calls run on the others, too; NULL: the first.
                          With `mpi`, each rank takes one of them, in turns; NULL: of all */
} nesl_options;

#define NESL_OPTIONS_INIT \
  { sizeof(nesl_options), NULL, 0, 0, 0, 0, 0, 2, 32, 64, NULL, NULL, 0, NULL }

/* Opens a session. NULL for `options` stands for NESL_OPTIONS_INIT. */
NESL_API nesl_error* nesl_open(const nesl_options* options, nesl_session** session);
/* Opens a scope: a session with definitions and variables of its own, which shares the vector library, its memory
 * and its threads with `session`, so that only one of them runs at a time. Values can be used in both. Each scope
 * has its own datatypes by name. A scope is closed by nesl_close(), or with the session that nesl_open() has opened. */
NESL_API nesl_error* nesl_open_scope(nesl_session* session, nesl_session** scope);
/* Waits for the running call and ends the session. Afterwards its functions cannot be called and nothing can be
 * loaded; its values can be read until they are freed. Does nothing for NULL. */
NESL_API void nesl_close(nesl_session* session);
/* Cancels the call that another thread runs in the session: that call soon returns NESL_ERROR_CANCELLED. Does
 * nothing if no call runs. Signal handlers must not call this function, since it takes locks. */
NESL_API void nesl_cancel(nesl_session* session);
/* Sets the seed of random numbers for later calls. */
NESL_API nesl_error* nesl_set_seed(nesl_session* session, uint64_t seed);

/* The device whose memory has the vectors of the session, as DLPack and Arrow number it: its type, 1 for the host and 2
 * for CUDA, and its number among those of the type. */
NESL_API nesl_error* nesl_device(nesl_session* session, int* type, int* number);
/* Wait until the work is done that others have issued on a stream of the session's device, or before an event: for
 * CUDA a cudaStream_t, which may be 1 or 2, the default streams, or a cudaEvent_t. */
NESL_API nesl_error* nesl_await_stream(nesl_session* session, uintptr_t stream);
NESL_API nesl_error* nesl_await_event(nesl_session* session, uintptr_t event);
/* Copies bytes from memory of the session's device to the host. */
NESL_API nesl_error* nesl_copy_to_host(nesl_session* session, void* host, const void* device, size_t bytes);
/* In a session of several ranks, for a caller who cannot make an argument: the call of the other ranks that makes it
 * fails. Where that call has failed on all ranks, they all call this, or none. Does nothing otherwise. */
NESL_API nesl_error* nesl_refuse(nesl_session* session);

/* Reads the statements of a text: definitions, and assignments, which are computed at once. `name` names the text in
 * errors. The correct statements of a text with errors take effect, up to the first statement that fails when it
 * runs.
 */
NESL_API nesl_error* nesl_load(nesl_session* session, const char* name, const char* text);
NESL_API nesl_error* nesl_load_file(nesl_session* session, const char* file);
/* Like nesl_load(). The result is the value of the last statement if that is an expression; else NULL, without an
 * error. */
NESL_API nesl_error* nesl_evaluate(nesl_session* session, const char* name, const char* text, nesl_value** value);
/* Like nesl_evaluate(), for one statement: the first that begins at the byte `*position` of the text or later. Sets
 * `*position` to the end of that statement, before its terminator, or of the text if none is left, unless there is an
 * error. Nothing is computed if a statement of the text has an error of syntax. */
NESL_API nesl_error* nesl_evaluate_next(nesl_session* session, const char* name, const char* text, size_t* position,
                                        nesl_value** value);

typedef enum {
  NESL_TYPE = 1,  /* the type, as the nesl command prints it for :type; also of a definition, which takes effect */
  NESL_VCODE = 2, /* the program that computes the expression, in VCODE */
  NESL_FUSION = 3 /* as for nesl_explain() */
} nesl_property;
/* Tells a property of an expression or assignment without computing it. The string is valid as for nesl_profile_end().
 */
NESL_API nesl_error* nesl_examine(nesl_session* session, const char* text, nesl_property property, const char** result);

typedef enum {
  NESL_TEXT_EMPTY = 0,      /* only blanks and comments */
  NESL_TEXT_INCOMPLETE = 1, /* a bracket, string or comment is open, an operator lacks its operand, ... */
  NESL_TEXT_DEFINITION = 2, /* a definition, complete but for its terminator; further text could still belong to it */
  NESL_TEXT_STATEMENT = 3,  /* another statement, complete but for its terminator */
  NESL_TEXT_TERMINATED = 4  /* one or several statements with their terminators */
} nesl_text_state;
/* For a prompt that decides whether to read another line: the state of a text by its tokens alone. */
NESL_API nesl_text_state nesl_state_of_text(const char* text);

/* All names that texts of the session can use, with those of the library and the words of the language, as nesl_names()
 * tells them, in any order. */
NESL_API nesl_error* nesl_vocabulary(nesl_session* session, const char** names);
/* The names that texts of the session have defined, each followed by a line feed, in the order of their first
 * definition. The string is valid as for nesl_profile_end(). */
NESL_API nesl_error* nesl_names(nesl_session* session, const char** names);
/* The number of definitions and assignments that texts of the session have made. While it stays the same, names have
 * the same meaning. */
NESL_API nesl_error* nesl_definitions(nesl_session* session, uint64_t* count);
/* Describes a name that programs of the session can use: its type in NESL's notation, its documentation, and its
 * parts, each followed by a line feed: the parameters of a function that is written in NESL, the fields of a datatype.
 * A description that a name does not have is "". The strings are valid as for nesl_profile_end(). */
NESL_API nesl_error* nesl_describe(nesl_session* session, const char* name, const char** type,
                                   const char** documentation, const char** parts);

/* Starts a profile of the statements, lookups and calls up to nesl_profile_end(), and discards an earlier one that
 * has not ended. Calls take longer while a profile is recorded. */
NESL_API nesl_error* nesl_profile_begin(nesl_session* session);
/* Ends the profile. The text has tables of the lines, functions and operations that ran, the most expensive first, as
 * the nesl command prints them; "" if nothing ran. The string is valid until the same thread calls nesl_names(),
 * nesl_vocabulary(), nesl_describe(), nesl_examine(), nesl_profile_end(), nesl_explain() or nesl_show() for any
 * session. */
NESL_API nesl_error* nesl_profile_end(nesl_session* session, const char** text);
/* Explains fusion for a function and argument types as for nesl_lookup(): the operations on vectors, and below them
 * which of them form kernels, which do not, and why. "" if the function has no operations on vectors. */
NESL_API nesl_error* nesl_explain(nesl_session* session, const char* name, const char* types, const char** text);
/* Runs an expression, which may use what the session has defined, and shows step by step how it is computed on flat
 * vectors: at most `steps` steps and `elements` elements of each vector, 0 for the usual number. `text` is for
 * terminals; `html` is a part of a page, which needs no other file, for the outputs of notebooks. The
 * strings are valid as for nesl_profile_end(). */
NESL_API nesl_error* nesl_show(nesl_session* session, const char* expression, size_t steps, size_t elements,
                               const char** text, const char** html);

/* --- functions -------------------------------------------------------------------------------------------------- */

/* Compiles a function for arguments of these types, written as in NESL with commas between: "[float], int". Repeated
 * lookups compile once. With NULL or "" for types, `name` is a variable, and a call without arguments returns its
 * value. Definitions that are loaded later do not change the result. */
NESL_API nesl_error* nesl_lookup(nesl_session* session, const char* name, const char* types, nesl_function** function);
/* Types in NESL's notation. Valid until the function is freed; NULL if there is no such function or argument. */
NESL_API const char* nesl_function_result_type(const nesl_function* function);
NESL_API const char* nesl_function_argument_type(const nesl_function* function, size_t argument);
NESL_API size_t nesl_function_arguments(const nesl_function* function);
NESL_API void nesl_function_free(nesl_function* function);

/* Calls a function. The caller keeps the arguments and can use them again. */
NESL_API nesl_error* nesl_call(const nesl_function* function, nesl_value* const* arguments, size_t count,
                               nesl_value** result);

/* --- values from the caller's data ------------------------------------------------------------------------------ */

/* Types of the elements of arrays in C, with the type in NESL that they stand for. */
typedef enum {
  NESL_INT32 = 1,   /* int32_t; for ints */
  NESL_INT64 = 2,   /* int64_t; for ints */
  NESL_FLOAT32 = 3, /* float; for floats */
  NESL_FLOAT64 = 4, /* double; for floats */
  NESL_BOOL8 = 5,   /* a byte, false if it is 0; for bools */
  NESL_CHAR8 = 6    /* a byte; for chars */
} nesl_element;

NESL_API nesl_error* nesl_int(nesl_session* session, int64_t number, nesl_value** value);
NESL_API nesl_error* nesl_float(nesl_session* session, double number, nesl_value** value);
NESL_API nesl_error* nesl_bool(nesl_session* session, int truth, nesl_value** value);
NESL_API nesl_error* nesl_char(nesl_session* session, unsigned char character, nesl_value** value);

/* Makes a sequence of `length` scalars by copying them. An int that does not fit the int width of the session is an
 * error; floats are rounded to the float width. */
NESL_API nesl_error* nesl_array(nesl_session* session, nesl_element element, const void* data, size_t length,
                                nesl_value** value);
/* Makes a sequence that refers to the elements of the caller. They must not move or change until `release` (which
 * may be NULL) is called with `owner`: once, on any thread, when no value refers to them. Elements are copied, and
 * `release` is called before this function returns, for ints or floats of another width than the session's, for
 * bools other than 0 and 1, for up to 98 elements, and on a device. After an error `release` is not
 * called. */
NESL_API nesl_error* nesl_borrow(nesl_session* session, nesl_element element, const void* data, size_t length,
                                 void (*release)(void* owner), void* owner, nesl_value** value);
/* As nesl_borrow(), for elements in memory of the session's device (see nesl_device()), which have the width of the
 * session's numbers; bools are 0 or 1. Work that still computes them must be waited for before, for
 * example with nesl_await_stream(). Elements are copied on the device if their address is no multiple of 64, and by
 * the host for up to 98 elements. */
NESL_API nesl_error* nesl_borrow_on_device(nesl_session* session, nesl_element element, const void* data, size_t length,
                                           void (*release)(void* owner), void* owner, nesl_value** value);
/* Divides a sequence into a sequence of `length` sequences; sequence k has the elements from offsets[k] to offsets[k
 * + 1]. There are length + 1 offsets, ascending from 0 to the number of elements. For deeper nesting, call this once
 * for each nesting level, beginning with the innermost. */
NESL_API nesl_error* nesl_nest(const nesl_value* elements, const int64_t* offsets, size_t length, nesl_value** value);
/* The same with the offsets of another value, a sequence of sequences with as many elements. It takes no time for
 * each sequence. */
NESL_API nesl_error* nesl_nest_like(const nesl_value* elements, const nesl_value* like, nesl_value** value);
/* Makes a tuple (a, b, ...) of two or more values. */
NESL_API nesl_error* nesl_tuple(nesl_value* const* parts, size_t count, nesl_value** value);
/* Makes a sequence of tuples [(a, b, ...)] from two or more sequences of the same length. */
NESL_API nesl_error* nesl_zip(nesl_value* const* parts, size_t count, nesl_value** value);
/* Converts a value to another type with the same contents: a tuple to a datatype, "point", a sequence of tuples to
 * "[point]", and the reverse. */
NESL_API nesl_error* nesl_as(const nesl_value* value, const char* type, nesl_value** result);
NESL_API void nesl_value_free(nesl_value* value);

/* --- reading values --------------------------------------------------------------------------------------------- */

typedef enum {
  NESL_KIND_NONE = 0, /* no value */
  NESL_KIND_INT = 1,
  NESL_KIND_FLOAT = 2,
  NESL_KIND_BOOL = 3,
  NESL_KIND_CHAR = 4,
  NESL_KIND_SEQUENCE = 5,
  NESL_KIND_TUPLE = 6,
  NESL_KIND_RECORD = 7, /* of a datatype */
  NESL_KIND_FUNCTION = 8
} nesl_kind;

NESL_API nesl_kind nesl_value_kind(const nesl_value* value);
/* The type in NESL's notation; NULL if there is no such value. Valid, like all pointers that the functions below
 * return, until the value is freed. */
NESL_API const char* nesl_value_type(const nesl_value* value);
/* The value as the nesl command prints it, with at most 100 elements of each sequence. */
NESL_API nesl_error* nesl_value_text(const nesl_value* value, const char** text);

NESL_API nesl_error* nesl_get_int(const nesl_value* value, int64_t* number);
NESL_API nesl_error* nesl_get_float(const nesl_value* value, double* number);
NESL_API nesl_error* nesl_get_bool(const nesl_value* value, int* truth);
NESL_API nesl_error* nesl_get_char(const nesl_value* value, unsigned char* character);

/* The number of elements of a sequence. */
NESL_API nesl_error* nesl_length(const nesl_value* value, size_t* length);
/* The elements of a sequence of scalars, without a copy if they have the type `element`; converted for ints or
 * floats of another width. */
NESL_API nesl_error* nesl_data(const nesl_value* value, nesl_element element, const void** data, size_t* length);
/* The elements of a sequence of scalars in memory of the session's device, complete, whatever stream
 * reads them; they have the width of the session. Nobody may write to them. nesl_value_free() waits for all work on the
 * device before their memory is used again. */
NESL_API nesl_error* nesl_data_on_device(const nesl_value* value, nesl_element element, const void** data,
                                         size_t* length);
/* The offsets, as for nesl_nest(), of a sequence of `length` sequences. */
NESL_API nesl_error* nesl_offsets(const nesl_value* value, const int64_t** offsets, size_t* length);
/* The concatenated inner sequences of a sequence of sequences. */
NESL_API nesl_error* nesl_elements(const nesl_value* value, nesl_value** elements);
/* The part with number `part`, from 0 on, of a tuple or a record; for a sequence of tuples or records, the sequence
 * of these parts. (a, (b, c)) is the same as (a, b, c) and has three parts. A record has one part for each field. */
NESL_API nesl_error* nesl_part(const nesl_value* value, size_t part, nesl_value** result);
/* The number of parts; 0 for a value that is no tuple, record or sequence of these. */
NESL_API size_t nesl_parts(const nesl_value* value);

#ifdef __cplusplus
}
#endif

#endif
