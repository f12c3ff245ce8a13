//! Compares each member of the table with plain sums, for random shapes and edges.

use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::fixed_point::Factor;
use crate::random::Random;
use crate::requantize::{Channel, Channels};
use crate::rescale::{RealChannel, RealChannels, rescaled};
use crate::simd::interleaved;

/// Compares one row of results of a filter with four rows and `taps` columns, without padding and with stride 1, as
/// bytes and as reals.
fn check(member: &DwConv, width: &Width, taps: usize, count: usize, used: usize, seed: u64, general: bool) {
    let mut random = Random::new(seed);
    let pixels = count + taps - 1;
    let row = |random: &mut Random| (0..pixels * used).map(|_| random.next() as u8).collect::<Vec<u8>>();
    let rows: [Vec<u8>; 4] = std::array::from_fn(|_| row(&mut random));
    let weights: Vec<[i8; 4]> =
        (0..taps * used).map(|_| std::array::from_fn(|_| random.next() as i8)).collect();
    let channels: Vec<Channel> = (0..used).map(|_| random.channel(9, general)).collect();
    let bytes = Bytes { zero_point: (random.next() % 256) as i32, low: 3, high: 250, flip: random.flip() };

    // The channel of a lane, if there is one.
    let of = |q: usize, d: usize| Some(interleaved(q, d) % width.channels).filter(|&c| c < used);
    let none = Channel { bias: 0, factor: Factor::ZERO };
    let lanes: Vec<(usize, usize)> = (0..4).flat_map(|q| (0..member.lanes).map(move |d| (q, d))).collect();
    // Compensates for the number that is subtracted from the bytes in planes: here in biases, and below in zero points.
    let sum_of = |c: usize| (0..taps).flat_map(|tap| weights[tap * used + c]).map(i32::from).sum::<i32>();
    let channel =
        |c: usize| Channel { bias: channels[c].bias + i32::from(member.offset) * sum_of(c), ..channels[c] };
    let order: Vec<Channel> = lanes.iter().map(|&(q, d)| of(q, d).map_or(none, channel)).collect();
    let table = Channels::new(member.lanes, &order, bytes);
    let mut packed = vec![0; taps * 4 * member.weights];
    for (tap, packed) in packed.chunks_exact_mut(4 * member.weights).enumerate() {
        for &(q, d) in &lanes {
            let four = of(q, d).map_or([0; 4], |c| weights[tap * used + c]);
            place(&mut packed[q * member.weights..][..member.weights], member.lanes, d, four);
        }
    }

    let plane = (pixels + 2 * width.pixels) * width.channels;
    let mut planes = vec![0u8; 4 * plane];
    let from = [0, 1, 2, 3].map(|i| rows[i].as_ptr());
    let rows_of =
        PixelRows { from, steps: [used; 4], count: pixels, channels: used, to: planes.as_mut_ptr(), plane };
    let offsets: Vec<usize> = (0..taps).map(|tap| tap * width.channels).collect();
    let (step, mut c) = (used + 3, vec![0xAA; count * (used + 3)]);
    let outputs = Outputs {
        planes: planes.as_ptr(),
        plane,
        offsets: offsets.as_ptr(),
        taps,
        weights: packed.as_ptr(),
        results: Results::Bytes { table: table.block(0), is_far: table.is_far, bytes },
        count,
        channels: used,
        c: c.as_mut_ptr(),
        step,
    };
    // SAFETY: the machine can run the member; all lengths match the vectors above.
    unsafe {
        (width.interleave)(&rows_of);
        (width.convolve)(&outputs);
    }
    let sum = |p: usize, ch: usize, start: i32| {
        (0..taps).fold(start, |sum, tap| {
            let w = weights[tap * used + ch];
            (0..4).fold(sum, |sum, i| sum + i32::from(rows[i][(p + tap) * used + ch]) * i32::from(w[i]))
        })
    };
    for p in 0..count {
        for ch in 0..used {
            let scaled = channels[ch].factor.apply(sum(p, ch, channels[ch].bias));
            let want = scaled.saturating_add(bytes.zero_point).clamp(3, 250) as u8 ^ bytes.flip;
            assert_eq!(c[p * step + ch], want, "{} {} pixel {p} channel {ch}", member.name, width.channels);
        }
        assert!(c[p * step + used..(p + 1) * step].iter().all(|&x| x == 0xAA), "{}", member.name);
    }

    check_pixels(member, width, &rows, &outputs, &c);
    let reals: Vec<RealChannel> =
        (0..used).map(|c| RealChannel { sum: sum_of(c), ..random.real_channel() }).collect();
    let order: Vec<RealChannel> =
        lanes.iter().map(|&(q, d)| of(q, d).map_or(RealChannel::NONE, |c| reals[c])).collect();
    let (table, image) = (RealChannels::new(member.lanes, &order), random.quantized_row());
    let limits = Clamp { low: -50.0, high: 50.0 };
    let mut c = vec![f32::NAN; count * step];
    let outputs = Outputs {
        results: Results::Reals {
            table: table.block(0),
            image: QuantizedRow { zero_point: image.zero_point - i32::from(member.offset), ..image },
            limits,
        },
        c: c.as_mut_ptr().cast(),
        step: step * size_of::<f32>(),
        ..outputs
    };
    // SAFETY: only `c` and the results differ from the previous call: `c` has `count · step` floats, and the table a
    // block per vector.
    unsafe { (width.convolve)(&outputs) };
    for p in 0..count {
        for ch in 0..used {
            let want = rescaled(sum(p, ch, 0), reals[ch], image, limits);
            assert_eq!(c[p * step + ch], want, "{} {} pixel {p} channel {ch}", member.name, width.channels);
        }
        assert!(c[p * step + used..(p + 1) * step].iter().all(|x| x.is_nan()), "{}", member.name);
    }
}

/// Compares the kernel for one pixel with the results `c`.
fn check_pixels(member: &DwConv, width: &Width, rows: &[Vec<u8>; 4], o: &Outputs, c: &[u8]) {
    let is_far = matches!(o.results, Results::Bytes { is_far: true, .. });
    let Some(kernel) = member.pixel.filter(|_| is_far && width.channels == member.widths[0].channels) else {
        return;
    };
    for p in 0..o.count {
        let tap = |tap: usize| [0, 1, 2, 3].map(|i| rows[i][(p + tap) * o.channels..].as_ptr());
        let pointers: Vec<*const u8> = (0..o.taps).flat_map(tap).collect();
        let mut pixel = vec![0xAA; o.step];
        let outputs = Outputs { count: 1, c: pixel.as_mut_ptr(), ..*o };
        // SAFETY: the machine can run the member; each tap has pointers to pixels of four rows, and the others are the
        // arguments of `convolve`, with room for one pixel.
        unsafe { kernel(&outputs, pointers.as_ptr()) };
        assert_eq!(pixel, c[p * o.step..][..o.step], "{} pixel {p}", member.name);
    }
}

proptest! {
    #[test]
    fn every_member_agrees_with_plain_sums(
        taps in 1usize..5, count in 1usize..30, missing in 0usize..16, seed: u64, general: bool,
    ) {
        for member in available(TABLE) {
            for width in member.widths.iter().filter(|width| width.pixels < count + taps) {
                check(member, width, taps, count, width.channels - missing, seed, general);
            }
        }
    }
}
