"""Classifies pictures on Spark, with a function of columns that any DataFrame can use.

    classify = classifier("classifier.tflite", shape=(16, 16, 1))
    pictures.select("id", classify("image").alias("answer")).select("id", "answer.*")
"""

import arenite


def classifier(path, shape, batch_size=32):
    """A function from a column of pictures to a struct of `label`, `score` and `error`.

    Args:
        path: A .tflite file that every worker can read, with one input and one score per class.
        shape: The shape of the input without the dimension of the batch. Spark flattens arrays of more dimensions.
        batch_size: Rows that the model runs at once.
    """
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql.types import FloatType, StringType, StructField, StructType

    # Only the description travels to the workers; each loads the model once.
    predictor = arenite.Predictor(path, column="image", top=1, batch_size=batch_size)

    def make():
        import numpy

        def predict(images):
            answer = predictor({"image": images})
            scores = [0.0 if score is None else score for score in answer["score"]]
            return {
                "label": answer["label"],
                "score": numpy.array(scores, numpy.float32),
                "error": answer[arenite.predictor.ERROR],
            }

        return predict

    fields = [StructField("label", StringType()), StructField("score", FloatType()), StructField("error", StringType())]
    return predict_batch_udf(
        make, return_type=StructType(fields), batch_size=8 * batch_size, input_tensor_shapes=[list(shape)]
    )
