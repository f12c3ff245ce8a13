//! Fourier transforms.

use crate::family;
use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<Fourier>:
    /// Fft: the Fourier transform along the innermost axis. Complex numbers.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Fft "FlexFFT" = Member { axes: 1, kind: Kind::Complex, backwards: false };

    /// Fft2D: the Fourier transform along the two innermost axes. Complex numbers.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Fft2D "FlexFFT2D" = Member { axes: 2, kind: Kind::Complex, backwards: false };

    /// Fft3D: the Fourier transform along the three innermost axes. Complex numbers.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Fft3D "FlexFFT3D" = Member { axes: 3, kind: Kind::Complex, backwards: false };

    /// Ifft: the inverse Fourier transform along the innermost axis. Complex numbers.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Ifft "FlexIFFT" = Member { axes: 1, kind: Kind::Complex, backwards: true };

    /// Ifft2D: the inverse Fourier transform along the two innermost axes. Complex numbers.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Ifft2D "FlexIFFT2D" = Member { axes: 2, kind: Kind::Complex, backwards: true };

    /// Ifft3D: the inverse Fourier transform along the three innermost axes. Complex numbers.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Ifft3D "FlexIFFT3D" = Member { axes: 3, kind: Kind::Complex, backwards: true };

    /// Irfft: the inverse Fourier transform along the innermost axis, from a half spectrum to reals.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Irfft "FlexIRFFT" = Member { axes: 1, kind: Kind::FromHalf, backwards: true };

    /// Irfft2D: the inverse Fourier transform along the two innermost axes, from a half spectrum to reals.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Irfft2D "FlexIRFFT2D" = Member { axes: 2, kind: Kind::FromHalf, backwards: true };

    /// Irfft3D: the inverse Fourier transform along the three innermost axes, from a half spectrum to reals.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Irfft3D "FlexIRFFT3D" = Member { axes: 3, kind: Kind::FromHalf, backwards: true };

    /// Rfft: the Fourier transform along the innermost axis, from reals to the non-redundant half of the spectrum.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Rfft "FlexRFFT" = Member { axes: 1, kind: Kind::ToHalf, backwards: false };

    /// Rfft2D: the Fourier transform along the two innermost axes, from reals to the non-redundant half of the
    /// spectrum.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Rfft2D "FlexRFFT2D" = Member { axes: 2, kind: Kind::ToHalf, backwards: false };

    /// Rfft3D: the Fourier transform along the three innermost axes, from reals to the non-redundant half of the
    /// spectrum.
    /// Defined by: tensorflow/core/kernels/fft_ops.cc.
    Rfft3D "FlexRFFT3D" = Member { axes: 3, kind: Kind::ToHalf, backwards: false };
}
