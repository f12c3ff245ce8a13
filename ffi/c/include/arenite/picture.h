/*
 * arenite/picture.h: tensors filled from pictures, as `arenite run --image` fills them.
 *
 * Ownership  what is passed in is copied
 * Threads    those of the tensor's interpreter: one at a time
 * Errors     AR_ERROR_UNSUPPORTED in a library without the feature `image`, which the default one is; AR_ERROR_ARGUMENT for what is no
 *            picture, and for a tensor that cannot hold one
 *
 * The tensor has the shape [1,H,W,C] with C of 1 (grey), 3 (RGB) or 4 (RGBA). The picture is turned upright and resized with bilinear
 * interpolation, antialiased when it shrinks. A pixel p in 0..=255 becomes
 *   floats                                  p / 127.5 - 1
 *   quantized, real range covers 0..255     p
 *   quantized, about -1..1                  p / 127.5 - 1   (UINT8: p is stored as it is)
 *   quantized, about 0..1                   p / 255         (UINT8: p is stored as it is)
 *   integers that are not quantized         p
 * and quantized tensors store round(real / scale) + zero_point. With a normalization a pixel becomes (p - mean) / std instead.
 */
#ifndef ARENITE_PICTURE_H
#define ARENITE_PICTURE_H

#include <arenite/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Mean and standard deviation of the pixels, `count` of each: one for all channels, or one for each. */
typedef struct ArNormalization {
  const float *mean;
  const float *std;
  size_t count;
} ArNormalization;

/* Fills a tensor from a png, jpeg or bmp file; from the bytes of one; from pixels of 8 bits, row by row, channels innermost.
 *   normalization  null: the rule above */
ARENITE_API ArError *ar_tensor_set_picture_file(ArTensor *tensor, const char *path, const ArNormalization *normalization);
ARENITE_API ArError *ar_tensor_set_picture(ArTensor *tensor, const void *data, size_t size,
                                           const ArNormalization *normalization);
ARENITE_API ArError *ar_tensor_set_pixels(ArTensor *tensor, const uint8_t *pixels, uint32_t width, uint32_t height,
                                          uint32_t channels, const ArNormalization *normalization);

#ifdef __cplusplus
}
#endif

#endif /* ARENITE_PICTURE_H */
