// The yardstick of speed: duels of two Sherman LPs, front to front at 14 inches, at most 12 turns, written by hand.
//
// Every number of the sheet is a constant of the program and only the four outcomes are counted. Usage:
// duel_yardstick FIGHTS SEED; prints a wins, b wins, both destroyed, neither, exchanges, wall seconds, CPU seconds.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE(first, last) (((1u << ((last) - (first) + 1)) - 1) << ((first) - 1))

enum {
    RIGHT_TREAD = LINE(1, 2),
    LEFT_TREAD = LINE(3, 4),
    PINTLE_MG = LINE(5, 5),
    PINTLE_BIN = LINE(6, 6),
    COAXIAL = LINE(7, 8),
    CANNON = LINE(9, 11),
    PERISCOPE = LINE(14, 15),
    FUEL = LINE(16, 18),
    ENGINE = LINE(19, 19),
    CREW = LINE(20, 20),
    ALL_LINES = LINE(1, 20),
    ARMOR = 6,
    SHOCK_THRESHOLD = 3,
    PENETRATION_FACTOR = 1,
    DEAD_FROM = 8,
    TURNS = 12
};

static const uint32_t EXPLOSIVE[] = {FUEL, CANNON, COAXIAL, PINTLE_BIN};
static const int LINES_OF_POINTS[DEAD_FROM] = {0, 1, 3, 4, 5, 6, 8, 9};
// Damage, shock and penetration of cannon and coaxial machine gun, at tails and at heads.
static const int CANNON_DSP[2][3] = {{3, 2, 1}, {5, 4, 3}}, COAXIAL_DSP[2][3] = {{1, 1, 0}, {2, 2, 0}};

typedef struct {
    uint32_t crossed;
    int armor, destroyed;
} Tank;

static uint64_t state[4];
static uint64_t exchanges;

static inline uint64_t rotated(uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }

// xoshiro256++
static inline uint64_t next_word(void) {
    const uint64_t word = rotated(state[0] + state[3], 23) + state[0], shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotated(state[3], 45);
    return word;
}

static void seed_words(uint64_t seed) {
    for (int place = 0; place < 4; place++) {
        uint64_t word = seed += 0x9E3779B97F4A7C15u;
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
        state[place] = word ^ (word >> 31);
    }
}

static inline int die(int faces) { return 1 + (int)(((next_word() >> 32) * (uint64_t)faces) >> 32); }

static inline int to_hit_total(int sighted) {
    if (!sighted) return die(6);
    int total = 0, roll;
    do {
        roll = die(6) + die(6);
        total += roll;
    } while (roll == 12);
    return total;
}

static inline int cannot_go_on(uint32_t crossed) {
    const int unarmed = (crossed & CANNON) && (crossed & COAXIAL) && (crossed & PINTLE_MG);
    const int stuck = (crossed & ENGINE) || ((crossed & LEFT_TREAD) && (crossed & RIGHT_TREAD));
    return (crossed & CREW) || unarmed || stuck;
}

static inline void cross_off(Tank *target, int count) {
    const uint32_t before = target->crossed;
    uint32_t open = ~before & (ALL_LINES << (die(20) - 1)) & ALL_LINES, taken = 0;
    for (; count && open; count--) {
        taken |= open & -open;
        open &= open - 1;
    }
    target->crossed = before | taken;
    for (int item = 0; item < 4; item++)
        if ((taken & EXPLOSIVE[item]) && !(before & EXPLOSIVE[item])) {
            const int attacker = die(20), defender = die(20);
            if (attacker > defender) {
                target->destroyed = 1;
                return;
            }
        }
    if (cannot_go_on(target->crossed)) target->destroyed = 1;
}

// The shooter counts as it was at the start of the turn.
static inline void fire(uint32_t shooter_crossed, Tank *target) {
    exchanges++;
    const int total = to_hit_total(!(shooter_crossed & PERISCOPE));
    const int cannon = total >= 8 && !(shooter_crossed & CANNON);
    const int coaxial = total >= 13 && !(shooter_crossed & COAXIAL);
    if (!cannon && !coaxial) return;
    const int heads = (int)(next_word() >> 63);
    int dsp[3] = {0, 0, 0};
    for (int part = 0; part < 3; part++) {
        if (cannon) dsp[part] += CANNON_DSP[heads][part];
        if (coaxial) dsp[part] += COAXIAL_DSP[heads][part];
    }
    const int worn = dsp[0] < target->armor ? dsp[0] : target->armor;
    target->armor -= worn;
    int points = dsp[0] - worn;
    if (dsp[1] > SHOCK_THRESHOLD) points += dsp[1] - SHOCK_THRESHOLD;
    if (dsp[2] > PENETRATION_FACTOR) points += dsp[2] - PENETRATION_FACTOR;
    if (points >= DEAD_FROM)
        target->destroyed = 1;
    else if (points)
        cross_off(target, LINES_OF_POINTS[points]);
}

// A tank whose cannon and coaxial are gone but not its pintle gun stands, and nobody mans the pintle: it does not fire.
static inline int can_fire(uint32_t crossed) { return !((crossed & CANNON) && (crossed & COAXIAL)); }

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **words) {
    const long fights = count > 1 ? atol(words[1]) : 1000000;
    seed_words(count > 2 ? strtoull(words[2], NULL, 10) : 1);
    long outcomes[4] = {0, 0, 0, 0};
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (long fight = 0; fight < fights; fight++) {
        Tank a = {0, ARMOR, 0}, b = {0, ARMOR, 0};
        for (int turn = 0; turn < TURNS && !a.destroyed && !b.destroyed; turn++) {
            const uint32_t a_before = a.crossed, b_before = b.crossed;
            if (can_fire(a_before)) fire(a_before, &b);
            if (can_fire(b_before)) fire(b_before, &a);
        }
        outcomes[b.destroyed ? (a.destroyed ? 2 : 0) : (a.destroyed ? 1 : 3)]++;
    }
    printf("%ld %ld %ld %ld %llu %.9f %.9f\n", outcomes[0], outcomes[1], outcomes[2], outcomes[3],
           (unsigned long long)exchanges, seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}
