// What programs for the model checker GenMC expect of their header, for those who check them here. Threads and locks are those of the system's headers.
#ifndef SELVEDGE_GENMC_H
#define SELVEDGE_GENMC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#define selvedge_value auto
#else
#define selvedge_value __auto_type
#endif

// So that what happens here is told of the line that asks for it.
#define selvedge_inline static inline __attribute__((always_inline, nodebug))

void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

typedef pthread_t __VERIFIER_thread_t;

selvedge_inline __VERIFIER_thread_t __VERIFIER_spawn(void *(*start)(void *), void *argument) {
    pthread_t thread;
    pthread_create(&thread, 0, start, argument);
    return thread;
}

selvedge_inline void *__VERIFIER_join(__VERIFIER_thread_t thread) {
    void *result = 0;
    pthread_join(thread, &result);
    return result;
}

// That threads are alike is made no use of.
#define __VERIFIER_spawn_symmetric(start, argument, like) ((void)(like), __VERIFIER_spawn(start, argument))
#define __VERIFIER_join_symmetric(thread) ((void)__VERIFIER_join(thread))

// Loops that wait are found without marks, and what is marked is done as it is written.
#define __VERIFIER_loop_begin() ((void)0)
#define __VERIFIER_loop_bound(rounds) ((void)0)
#define __VERIFIER_spin_start() ((void)0)
#define __VERIFIER_spin_end(...) ((void)(0, ##__VA_ARGS__))
#define __VERIFIER_local_write(write) do { write; } while (0)
#define __VERIFIER_final_write(write) do { write; } while (0)
#define __VERIFIER_helped_CAS(exchange) do { exchange; } while (0)
#define __VERIFIER_helping_CAS(exchange) do { exchange; } while (0)
#define __VERIFIER_optional(statement) do { statement; } while (0)
#define selvedge_value_of(expression) ({ selvedge_value selvedge_result = expression; selvedge_result; })
#define __VERIFIER_speculative_read(read) selvedge_value_of(read)
#define __VERIFIER_confirming_read(read) selvedge_value_of(read)
#define __VERIFIER_confirming_CAS(exchange) selvedge_value_of(exchange)
#define __VERIFIER_final_CAS(exchange) selvedge_value_of(exchange)

// Hazard pointers: a block that was retired is freed as soon as none of them protects it.
typedef struct selvedge_hazard {
    void *block;
    struct selvedge_hazard *next;
} __VERIFIER_hp_t;

struct selvedge_retired {
    void *block;
    struct selvedge_retired *next;
};

static __VERIFIER_hp_t *selvedge_hazards;
static struct selvedge_retired *selvedge_retired;

selvedge_inline bool selvedge_is_protected(void *block) {
    for (__VERIFIER_hp_t *hazard = selvedge_hazards; hazard; hazard = hazard->next)
        if (hazard->block == block) return true;
    return false;
}

selvedge_inline void selvedge_reclaim(void) {
    struct selvedge_retired **link = &selvedge_retired;
    while (*link) {
        struct selvedge_retired *retired = *link;
        if (selvedge_is_protected(retired->block)) {
            link = &retired->next;
        } else {
            *link = retired->next;
            free(retired->block);
            free(retired);
        }
    }
}

selvedge_inline __VERIFIER_hp_t *__VERIFIER_hp_alloc(void) {
    __VERIFIER_hp_t *hazard = (__VERIFIER_hp_t *)malloc(sizeof(__VERIFIER_hp_t));
    hazard->block = 0;
    __VERIFIER_atomic_begin();
    hazard->next = selvedge_hazards;
    selvedge_hazards = hazard;
    __VERIFIER_atomic_end();
    return hazard;
}

selvedge_inline void *selvedge_protect(__VERIFIER_hp_t *hazard, void **pointer) {
    __VERIFIER_atomic_begin();
    void *block = __atomic_load_n(pointer, __ATOMIC_ACQUIRE);
    hazard->block = block;
    selvedge_reclaim();
    __VERIFIER_atomic_end();
    return block;
}

#define __VERIFIER_hp_protect(hazard, pointer) selvedge_protect(hazard, (void **)(pointer))

selvedge_inline void __VERIFIER_hp_clear(__VERIFIER_hp_t *hazard) {
    __VERIFIER_atomic_begin();
    hazard->block = 0;
    selvedge_reclaim();
    __VERIFIER_atomic_end();
}

selvedge_inline void __VERIFIER_hp_free(__VERIFIER_hp_t *hazard) {
    __VERIFIER_atomic_begin();
    __VERIFIER_hp_t **link = &selvedge_hazards;
    while (*link && *link != hazard) link = &(*link)->next;
    if (*link) *link = hazard->next;
    selvedge_reclaim();
    free(hazard);
    __VERIFIER_atomic_end();
}

selvedge_inline void __VERIFIER_hp_retire(void *block) {
    struct selvedge_retired *retired = (struct selvedge_retired *)malloc(sizeof(struct selvedge_retired));
    retired->block = block;
    __VERIFIER_atomic_begin();
    retired->next = selvedge_retired;
    selvedge_retired = retired;
    selvedge_reclaim();
    __VERIFIER_atomic_end();
}

#ifdef __cplusplus
}
#endif

#endif
