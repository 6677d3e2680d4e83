/* A small chess engine for tests of building and testing engines: UCI, one ply deep, and honest about its material.
 *
 * PRUDENT makes it take what is worth most and look whether the mover is taken back; without it, it plays the first move it
 * finds. It never castles and never takes en passant, but understands when others do. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRUDENT 1

typedef struct { char square[64]; int white; } Board; /* square: FEN letters, '.' where empty */
typedef struct { int from, to; char promotion; } Move;

static const char *START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";

static void set(Board *b, const char *fen) {
    int at = 0;
    memset(b->square, '.', 64);
    for (; *fen && *fen != ' '; fen++) {
        if (isdigit((unsigned char)*fen)) at += *fen - '0';
        else if (*fen != '/' && at < 64) b->square[at++] = *fen;
    }
    b->white = *fen == 0 || fen[1] != 'b';
}

static int is_mine(const Board *b, int at, int white) {
    char c = b->square[at];
    return c != '.' && (isupper((unsigned char)c) != 0) == white;
}

/* Index of the square so many files and ranks away, -1 off the board. */
static int step(int at, int files, int ranks) {
    int file = at % 8 + files, rank = at / 8 + ranks;
    return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : rank * 8 + file;
}

static const int RAYS[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
static const int LEAPS[8][2] = {{1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};

static int is_attacked(const Board *b, int at, int by_white) {
    for (int k = 0; k < 8; k++) {
        int to = step(at, LEAPS[k][0], LEAPS[k][1]);
        if (to >= 0 && is_mine(b, to, by_white) && tolower(b->square[to]) == 'n') return 1;
        to = at;
        for (int far = 1; (to = step(to, RAYS[k][0], RAYS[k][1])) >= 0; far++) {
            char c = (char)tolower(b->square[to]);
            if (c == '.') continue;
            if (!is_mine(b, to, by_white)) break;
            if (c == 'q' || (k < 4 && c == 'r') || (k >= 4 && c == 'b') || (far == 1 && c == 'k')) return 1;
            /* White pawns take upwards, so they attack from below. */
            if (far == 1 && k >= 4 && c == 'p' && RAYS[k][1] == (by_white ? 1 : -1)) return 1;
            break;
        }
    }
    return 0;
}

static void play(Board *b, Move m) {
    char piece = b->square[m.from], kind = (char)tolower(piece);
    if (kind == 'p' && m.from % 8 != m.to % 8 && b->square[m.to] == '.') b->square[m.from / 8 * 8 + m.to % 8] = '.';
    if (kind == 'k' && abs(m.from % 8 - m.to % 8) == 2) {
        int rook = m.to > m.from ? m.from + 3 : m.from - 4, beside = (m.from + m.to) / 2;
        b->square[beside] = b->square[rook];
        b->square[rook] = '.';
    }
    b->square[m.to] = m.promotion ? (char)(b->white ? toupper(m.promotion) : m.promotion) : piece;
    b->square[m.from] = '.';
    b->white = !b->white;
}

static int is_legal(const Board *b, Move m) {
    Board next = *b;
    play(&next, m);
    for (int at = 0; at < 64; at++)
        if (is_mine(&next, at, b->white) && tolower(next.square[at]) == 'k') return !is_attacked(&next, at, !b->white);
    return 0;
}

static int add(const Board *b, Move *moves, int count, int from, int to) {
    Move m = {from, to, 0};
    if (tolower(b->square[from]) == 'p' && (to / 8 == 0 || to / 8 == 7)) m.promotion = 'q';
    if (is_legal(b, m)) moves[count++] = m;
    return count;
}

static int legal(const Board *b, Move *moves) {
    int count = 0;
    for (int from = 0; from < 64; from++) {
        if (!is_mine(b, from, b->white)) continue;
        char kind = (char)tolower(b->square[from]);
        if (kind == 'p') {
            int up = b->white ? -1 : 1, to = step(from, 0, up);
            for (int side = -1; side <= 1; side += 2) {
                int take = step(from, side, up);
                if (take >= 0 && is_mine(b, take, !b->white)) count = add(b, moves, count, from, take);
            }
            if (to < 0 || b->square[to] != '.') continue;
            count = add(b, moves, count, from, to);
            int twice = step(to, 0, up);
            if (from / 8 == (b->white ? 6 : 1) && b->square[twice] == '.') count = add(b, moves, count, from, twice);
            continue;
        }
        for (int k = 0; k < 8; k++) {
            if ((kind == 'r' && k >= 4) || (kind == 'b' && k < 4)) continue;
            const int *by = kind == 'n' ? LEAPS[k] : RAYS[k];
            for (int to = step(from, by[0], by[1]); to >= 0; to = step(to, by[0], by[1])) {
                if (!is_mine(b, to, b->white)) count = add(b, moves, count, from, to);
                if (b->square[to] != '.' || kind == 'n' || kind == 'k') break;
            }
        }
    }
    return count;
}

static int value(char piece) {
    switch (tolower(piece)) {
        case 'p': return 100;
        case 'n': case 'b': return 300;
        case 'r': return 500;
        case 'q': return 900;
        default: return 0;
    }
}

/* Material from the mover's view, in centipawns. */
static int material(const Board *b) {
    int sum = 0;
    for (int at = 0; at < 64; at++) sum += value(b->square[at]) * (is_mine(b, at, b->white) ? 1 : -1);
    return sum;
}

static long nodes = 0;

static Move choose(const Board *b) {
    Move moves[256], best = {0, 0, 0};
    int count = legal(b, moves), most = -100000;
    for (int i = 0; i < count; i++) {
        Board next = *b;
        play(&next, moves[i]);
        nodes++;
        int worth = -i;
        if (PRUDENT) {
            worth = -10 * material(&next) - i;
            if (is_attacked(&next, moves[i].to, next.white)) worth -= 10 * value(next.square[moves[i].to]);
            Move replies[256];
            if (legal(&next, replies) == 0) worth += 50000;
        }
        if (worth > most) most = worth, best = moves[i];
    }
    return best;
}

static Move read_move(const char *text) {
    Move m = {(text[0] - 'a') + 8 * ('8' - text[1]), (text[2] - 'a') + 8 * ('8' - text[3]), 0};
    if (isalpha((unsigned char)text[4])) m.promotion = text[4];
    return m;
}

static void show(Move m) {
    printf("%c%c%c%c", 'a' + m.from % 8, '8' - m.from / 8, 'a' + m.to % 8, '8' - m.to / 8);
    if (m.promotion) putchar(m.promotion);
}

static void position(Board *b, char *line) {
    char *fen = strstr(line, "fen "), *moves = strstr(line, "moves ");
    set(b, fen ? fen + 4 : START);
    if (!moves) return;
    for (char *word = strtok(moves + 6, " \n"); word; word = strtok(NULL, " \n")) play(b, read_move(word));
}

static int bench(void) {
    Board b;
    Move any[256];
    set(&b, START);
    for (int ply = 0; ply < 40 && legal(&b, any) > 0; ply++) play(&b, choose(&b));
    printf("warming up\n%ld nodes\n", nodes);
    return 0;
}

int main(int count, char **words) {
    Board b;
    static char line[1 << 16];
    if (count > 1 && strcmp(words[1], "bench") == 0) return bench();
    set(&b, START);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "uci", 3) == 0 && isspace((unsigned char)line[3])) printf("id name fixture\nuciok\n");
        else if (strncmp(line, "isready", 7) == 0) printf("readyok\n");
        else if (strncmp(line, "position", 8) == 0) position(&b, line);
        else if (strncmp(line, "go", 2) == 0) {
            printf("info depth 1 score cp %d nodes %ld\nbestmove ", material(&b), nodes);
            show(choose(&b));
            printf("\n");
        } else if (strncmp(line, "quit", 4) == 0) return 0;
    }
    return 0;
}
