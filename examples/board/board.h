/*
 * board.h: the functions that the example needs from its board.
 */
#ifndef BOARD_H
#define BOARD_H

/* Prints a text. */
void board_print(const char *text);

/* Ends the program; 0 means success. */
_Noreturn void board_stop(int status);

int main(void);

#endif
