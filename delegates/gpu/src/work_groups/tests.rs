use super::best::{Procedure, fastest};
use super::*;
use crate::Adreno;

/// Devices and grids with sizes from an independent implementation of TensorFlow Lite's formulas.
const RECORDED: &str = include_str!("recorded.txt");

fn device(vendor: &str, axes: Extent, total: u32) -> GpuInfo {
    GpuInfo { vendor: Vendor::of(vendor), axes, total }
}

/// A kernel with this limit and an unknown wave.
fn any(most: u32) -> KernelLimits {
    KernelLimits { most, wave: 1 }
}

fn extent(text: &str) -> Extent {
    let numbers: Vec<u32> = text.split('x').map(|n| n.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// A list in recorded form: its length, and all or the first and last four.
fn shown(sizes: &[Extent]) -> String {
    let name = |&[x, y, z]: &Extent| format!("{x}x{y}x{z}");
    let names: Vec<String> = sizes.iter().map(name).collect();
    match names.len() {
        0..=12 => format!("{}: {}", names.len(), names.join(" ")),
        n => format!("{n}: {} … {}", names[..4].join(" "), names[n - 4..].join(" ")),
    }
}

#[test]
fn sizes_match_the_formulas() {
    let mut info = device("", [1; 3], 1);
    let mut grids = 0;
    for line in RECORDED.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(line) = line.strip_prefix("device ") {
            let (name, limits) = line.split_once(": ").unwrap();
            let (axes, total) = limits.split_once(", ").unwrap();
            info = device(name, extent(axes), total.parse().unwrap());
            continue;
        }
        let mut words = line.splitn(4, ' ');
        let mut next = || words.next().unwrap();
        let (grid, fast, convolution, search) = (extent(next()), next(), next(), next());
        let sizes = |tuning, kind| candidates(tuning, kind, &info, any(u32::MAX), grid);
        let one = |name: &str| format!("1: {name}");
        assert_eq!(shown(&sizes(Tuning::Fast, Kind::Other)), one(fast), "{info:?} {line}");
        // The same for grids of slices × columns × rows, where TensorFlow Lite has columns × rows × slices.
        let turned = |[x, y, z]: Extent| [z, x, y];
        let ours = GpuInfo { axes: turned(info.axes), ..info.clone() };
        for (kind, want) in [(Kind::Slices, fast), (Kind::Convolution, convolution)] {
            let size = candidates(Tuning::Fast, kind, &ours, any(u32::MAX), turned(grid));
            assert_eq!(size, [turned(extent(want))], "{kind:?} {info:?} {line}");
        }
        assert_eq!(shown(&sizes(Tuning::Exhaustive, Kind::Other)), search, "{info:?} {line}");
        grids += 1;
    }
    assert_eq!(grids, 7 * 16);
}

#[test]
fn sizes_along_an_axis() {
    for (number, precise, near) in [
        (0, &[][..], &[1, 2, 3, 4, 5][..]),
        (1, &[1], &[1, 2, 3, 4, 5, 6]),
        (5, &[1, 5], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        (12, &[1, 12, 2, 6, 3, 4], &[1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 17]),
        (32, &[1, 32, 2, 16, 4, 8], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 17, 18, 32, 33, 34, 35, 36, 37]),
    ] {
        assert_eq!(possible_sizes(number, Alignment::Precise), precise, "{number}");
        assert_eq!(possible_sizes(number, Alignment::None), near, "{number}");
    }
    assert_eq!(possible_sizes(u32::MAX, Alignment::Precise).len(), 32);
    assert!(possible_sizes(u32::MAX, Alignment::None).contains(&u32::MAX));
}

#[test]
fn unaligned_groups_may_exceed_the_grid() {
    let bounds = Bounds { axes: [8, 8, 8], total: 64 };
    let sizes = generate([7, 1, 1], 1, &bounds, [Alignment::None, Alignment::Precise, Alignment::Precise]);
    assert_eq!(
        sizes,
        [[1, 1, 1], [2, 1, 1], [3, 1, 1], [4, 1, 1], [5, 1, 1], [6, 1, 1], [7, 1, 1], [8, 1, 1]]
    );
}

/// TensorFlow Lite divides by zero, overflows, or exceeds the limit of an axis here.
#[test]
fn every_size_is_within_the_limits() {
    let vendors = ["", "Adreno 330", "Adreno 640", "Mali-T628", "Mali-G78"];
    let numbers = [0, 1, 2, 3, 7, 8, 64, 65_535, u32::MAX];
    let limits = [[0; 3], [1; 3], [1, 1, 64], [2, 3, 5], [1024, 1024, 1], [u32::MAX; 3]];
    for vendor in vendors {
        for (axes, total) in limits.iter().flat_map(|&axes| [0, 1, 3, 256, u32::MAX].map(|n| (axes, n))) {
            let (info, kernel) = (device(vendor, axes, total), total.saturating_sub(1));
            let bounds = Bounds::of(&info, kernel);
            for (i, &x) in numbers.iter().enumerate() {
                let grid = [x, numbers[(i * 5 + 3) % 9], numbers[(i * 7 + 1) % 9]];
                for tuning in [Tuning::Fast, Tuning::Fixed(FIXED), Tuning::Fixed([0, u32::MAX, 64])] {
                    for kind in [Kind::Convolution, Kind::Slices, Kind::Other] {
                        let sizes = candidates(tuning, kind, &info, any(kernel), grid);
                        assert_eq!(sizes.len(), 1);
                        assert!(bounds.allow(sizes[0]), "{sizes:?} for {grid:?} on {info:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn searches_respect_limits_and_have_no_duplicates() {
    for axes in [[1; 3], [2, 3, 5], [1024, 1024, 1], [u32::MAX; 3]] {
        for (total, grid) in [(1, [4, 4, 4]), (256, [0, 3, 65_536]), (u32::MAX, [u32::MAX, 65_535, 2])] {
            let info = device("", axes, total);
            let sizes = candidates(Tuning::Exhaustive, Kind::Other, &info, any(total), grid);
            let bounds = Bounds::of(&info, total);
            assert!(!sizes.is_empty(), "{grid:?} on {info:?}");
            assert!(sizes.iter().all(|&size| bounds.allow(size)), "{grid:?} on {info:?}");
            let once: std::collections::HashSet<_> = sizes.iter().collect();
            assert_eq!(once.len(), sizes.len(), "{grid:?} on {info:?}");
        }
    }
}

/// 7 × 6 × 16 has sizes of whole waves of 32 and of 16 work-items, none of 64: 672 is 2⁵ × 21.
#[test]
fn searches_prefer_whole_waves() {
    let info = device("", [1024; 3], 256);
    let of = |wave| {
        candidates(Tuning::Exhaustive, Kind::Other, &info, KernelLimits { most: 256, wave }, [7, 6, 16])
    };
    let all = of(1);
    for wave in [16, 32] {
        let whole: Vec<Extent> =
            all.iter().copied().filter(|&size| volume(size).is_multiple_of(wave.into())).collect();
        assert!(whole.len() < all.len() && !whole.is_empty());
        assert_eq!(of(wave), whole, "{wave}");
    }
    assert_eq!(of(0), all);
    assert!(
        of(64).starts_with(&all) && of(64)[all.len()..].iter().all(|&size| volume(size).is_multiple_of(64))
    );
}

/// Groups of 31 and of 124 work-items start 128 lanes each for 31 × 4: no size that divides it is of whole waves.
#[test]
fn whole_waves_that_exceed_the_grid_are_timed_if_no_others_exist() {
    let info = device("", [1024; 3], 256);
    let of = |wave| {
        candidates(Tuning::Exhaustive, Kind::Other, &info, KernelLimits { most: 256, wave }, [31, 4, 1])
    };
    let divide =
        [[1, 4, 1], [31, 1, 1], [31, 2, 1], [31, 4, 1]].into_iter().filter(|&size| volume(size) >= 32);
    let divide: Vec<Extent> = divide.collect();
    let beyond = [[8, 4, 1], [16, 2, 1], [16, 4, 1], [32, 1, 1], [32, 2, 1], [32, 4, 1]];
    let sorted = |mut sizes: Vec<Extent>| {
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sorted(of(1)), divide);
    assert_eq!(sorted(of(32)), sorted([&divide[..], &beyond].concat()));
}

#[test]
fn fixed_sizes_are_reduced_to_the_limits() {
    let fixed = |axes, total| {
        candidates(Tuning::Fixed(FIXED), Kind::Other, &device("", axes, total), any(1024), [9; 3])
    };
    assert_eq!(fixed([1024; 3], 1024), [[8, 4, 1]]);
    assert_eq!(fixed([4; 3], 1024), [[4, 4, 1]]);
    assert_eq!(fixed([1024; 3], 16), [[4, 4, 1]]);
    assert_eq!(fixed([1024; 3], 1), [[1, 1, 1]]);
}

#[test]
fn old_mali_uses_the_formula() {
    let on = |vendor: &str, asked: Tuning| asked.on(&device(vendor, [256; 3], 256));
    assert_eq!(on("Mali-T628", Tuning::Exhaustive), Tuning::Fast);
    assert_eq!(on("Mali-T628", Tuning::Fixed(FIXED)), Tuning::Fixed(FIXED));
    assert_eq!(on("Mali-T760", Tuning::Exhaustive), Tuning::Exhaustive);
    assert_eq!(on("Adreno 330", Tuning::Exhaustive), Tuning::Exhaustive);
}

#[test]
fn the_first_shortest_time_wins() {
    let second = 1_000_000_000;
    let own = |times: &[&[u64]]| times.iter().map(|times| times.to_vec()).collect::<Vec<_>>();
    for (what, times, want) in [
        ("any", own(&[&[30], &[20], &[20], &[25]]), Some(1)),
        ("the shortest sample of each counts", own(&[&[30, 19], &[50, 18], &[20, 20]]), Some(1)),
        ("nothing was timed", own(&[]), None),
        ("no sample of a size", own(&[&[], &[5]]), Some(1)),
        ("no time is to be believed", own(&[&[200 * second], &[u64::MAX]]), None),
    ] {
        for vendor in ["NVIDIA", "Mali-G78", "Adreno 640", "Adreno 330"] {
            assert_eq!(fastest(&device(vendor, [256; 3], 256), &times), want, "{what}, {vendor}");
        }
    }
    // The mean is 40, so times below 4 are not credible on an Adreno 3xx.
    let times = own(&[&[60], &[3], &[57], &[300 * second]]);
    assert_eq!(fastest(&device("Adreno 330", [256; 3], 256), &times), Some(2));
    assert_eq!(fastest(&device("Adreno 530", [256; 3], 256), &times), Some(1));
}

#[test]
fn timing_procedures_by_device() {
    let on = |vendor: &str| Procedure::on(&device(vendor, [256; 3], 256));
    assert!(on("Adreno 330").one_by_one && !on("Adreno 640").one_by_one && !on("Mali-G78").one_by_one);
    assert_eq!(on("Adreno 330").samples, on("NVIDIA").samples);
    assert_eq!(Vendor::of("Adreno 330"), Vendor::Adreno(Adreno(330)));
}
