/*
 * arenite/picture.h: fills tensors from pictures, like `arenite run --image`.
 *
 * Ownership  arguments are copied
 * Threads    one thread at a time may use the tensor's interpreter
 * Errors     AR_ERROR_UNSUPPORTED in a library without the feature `image`, such as the default one; AR_ERROR_ARGUMENT
 *            if the data is not a picture, or the tensor cannot hold one
 *
 * The tensor has the shape [1,H,W,C] or [H,W,C] where C is 1 (gray), 3 (RGB) or 4 (RGBA), or [1,H,W] (gray) with sides
 * of at least 8. The picture is rotated upright and resized with bilinear interpolation, with antialiasing when it
 * shrinks. A pixel p in 0..=255 becomes
 *   floats                                       p / 127.5 - 1
 *   quantized, real range covers 0..255          p
 *   quantized, real range is about -1..1         p / 127.5 - 1   (UINT8: p is stored unchanged)
 *   quantized, real range is about 0..1          p / 255         (UINT8: p is stored unchanged)
 *   integers that are not quantized              p
 * and quantized tensors store round(real / scale) + zero_point. With a normalization, a pixel becomes (p - mean) / std
 * instead.
 */
#ifndef ARENITE_PICTURE_H
#define ARENITE_PICTURE_H

#include <arenite/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Mean and standard deviation of the pixels, `count` of each: one for all channels, or one per channel. */
typedef struct ArNormalization {
  const float *mean;
  const float *std;
  size_t count;
} ArNormalization;

/* Fills a tensor from a png, jpeg or bmp file; from the bytes of such a file; from 8-bit pixels, row by row,
 * channels innermost.
 *   normalization  null means the rule above */
ARENITE_API ArError *ar_tensor_set_picture_file(ArTensor *tensor, const char *path, const ArNormalization *normalization);
ARENITE_API ArError *ar_tensor_set_picture(ArTensor *tensor, const void *data, size_t size,
                                           const ArNormalization *normalization);
ARENITE_API ArError *ar_tensor_set_pixels(ArTensor *tensor, const uint8_t *pixels, uint32_t width, uint32_t height,
                                          uint32_t channels, const ArNormalization *normalization);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PICTURE_H */
