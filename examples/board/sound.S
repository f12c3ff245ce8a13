/* A second of sound, 16,000 samples of 16 bits behind a header of 44 bytes. */
    .section .rodata
    .globl sound
    .balign 4
sound:
    .incbin "sound.wav"
    .section .note.GNU-stack, "", %progbits
