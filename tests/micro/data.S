/* The model and the values of its inputs, one after the other: model.tflite and inputs.bin in the folder of the
 * build. */
    .section .model, "a"
    .globl data_model, data_model_end, data_inputs, data_inputs_end
    .balign 16
data_model:
    .incbin "model.tflite"
data_model_end:
    .balign 16
data_inputs:
    .incbin "inputs.bin"
data_inputs_end:
    .section .note.GNU-stack, "", %progbits
