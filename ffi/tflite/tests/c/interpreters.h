/* Creates interpreters of models in the test's folder. Include it after cases.h and the declarations of TensorFlow
 * Lite. */
#ifndef ARENITE_TESTS_INTERPRETERS_H
#define ARENITE_TESTS_INTERPRETERS_H

/* An interpreter whose tensors are not allocated. */
static TfLiteInterpreter *made(const char *name) {
  TfLiteModel *model = TfLiteModelCreateFromFile(in_folder(name));
  TfLiteInterpreter *interpreter = TfLiteInterpreterCreate(model, NULL);
  TfLiteModelDelete(model);
  return interpreter;
}

/* An interpreter whose tensors are allocated. */
static TfLiteInterpreter *allocated(const char *name) {
  TfLiteInterpreter *interpreter = made(name);
  SAY("%d", TfLiteInterpreterAllocateTensors(interpreter));
  return interpreter;
}

#endif /* ARENITE_TESTS_INTERPRETERS_H */
