//! Where the elements under a filter lie. An output is reached from several grids of positions,
//! each by a pass; on a grid, the elements under a filter are at fixed distances.

use std::ops::Range;

use gt_core::shape::Shape;
use gt_core::whole::Convolve;

use super::{BLOCK, SLACK};

/// How many numbers the planes of a band may have, so that they stay near the processor.
const BAND: usize = 48 * 1024;

/// A convolution of one image and group, as sums over elements at fixed distances.
pub(super) struct Stencil {
    pub(super) images: usize,
    pub(super) groups: usize,
    /// Channels of a group that are read, and that are computed.
    pub(super) given: usize,
    pub(super) made: usize,
    /// How many elements a filter has for each channel.
    pub(super) taps: usize,
    /// Height and width of what is read, and of what is computed.
    pub(super) input: [usize; 2],
    pub(super) output: [usize; 2],
    pub(super) passes: Vec<Pass>,
    /// The input is taken apart by these steps: one plane for each phase that is read.
    step: [usize; 2],
    phases: Vec<[usize; 2]>,
    /// How far the first row and column of the planes lie before the input.
    before: [isize; 2],
    /// How many positions there are in each direction.
    grid: [usize; 2],
    /// How far beyond a position elements are read.
    reach: [usize; 2],
    /// The rows of a band.
    band: usize,
}

/// One grid of positions.
pub(super) struct Pass {
    pub(super) taps: Vec<Tap>,
    /// The part of all positions that it has.
    rows: Range<usize>,
    columns: Range<usize>,
    /// Where the output of position zero is, and the distance between outputs.
    origin: [isize; 2],
    step: [usize; 2],
}

/// One element under a filter.
#[derive(Clone, Copy)]
pub(super) struct Tap {
    /// Its number in the filter.
    pub(super) element: usize,
    phase: usize,
    at: [usize; 2],
}

/// Rows of positions.
#[derive(Clone, Copy)]
pub(super) struct Band {
    pub(super) first: usize,
    pub(super) rows: usize,
}

impl Stencil {
    /// Results from images; the shapes are those of images, filters and results.
    pub(super) fn forward(
        conv: &Convolve,
        images: &Shape,
        filters: &Shape,
        results: &Shape,
    ) -> Self {
        let (size, spec) = (&filters[2..], &conv.spec);
        let mut phases = Vec::new();
        let (mut taps, mut reach) = (Vec::new(), [0, 0]);
        for element in 0..size[0] * size[1] {
            let under = [element / size[1], element % size[1]];
            let distance = [0, 1].map(|axis| under[axis] * spec.dilation[axis]);
            let phase = [0, 1].map(|axis| distance[axis] % spec.stride[axis]);
            let at = [0, 1].map(|axis| distance[axis] / spec.stride[axis]);
            let known = phases.iter().position(|&known| known == phase).unwrap_or_else(|| {
                phases.push(phase);
                phases.len() - 1
            });
            taps.push(Tap { element, phase: known, at });
            reach = [0, 1].map(|axis| at[axis].max(reach[axis]));
        }
        let grid = [results[2], results[3]];
        let (rows, columns) = (0..grid[0], 0..grid[1]);
        let pass = Pass { taps, rows, columns, origin: [0, 0], step: [1, 1] };
        Stencil {
            images: images[0],
            groups: conv.groups,
            given: images[1] / conv.groups,
            made: results[1] / conv.groups,
            taps: size[0] * size[1],
            input: [images[2], images[3]],
            output: grid,
            passes: vec![pass],
            step: [spec.stride[0], spec.stride[1]],
            phases,
            before: [spec.padding[0] as isize, spec.padding[1] as isize],
            grid,
            reach,
            band: 0,
        }
        .in_bands()
    }

    /// Images from results; the shapes are those of results, filters and images. An image's rows
    /// are reached by other elements of a filter for each phase of the stride.
    pub(super) fn adjoint(
        conv: &Convolve,
        results: &Shape,
        filters: &Shape,
        images: &Shape,
    ) -> Self {
        let (size, spec) = (&filters[2..], &conv.spec);
        let axes = [0, 1].map(|axis| {
            let [stride, dilation] = [spec.stride[axis], spec.dilation[axis]];
            Reached::new(stride, dilation, spec.padding[axis], size[axis], images[2 + axis])
        });
        let mut passes = Vec::new();
        for row in &axes[0].phases {
            for column in &axes[1].phases {
                let taps = row.taps.iter().flat_map(|&(down, top)| {
                    column.taps.iter().map(move |&(right, left)| Tap {
                        element: down * size[1] + right,
                        phase: 0,
                        at: [top, left],
                    })
                });
                passes.push(Pass {
                    taps: taps.collect(),
                    rows: row.positions.clone(),
                    columns: column.positions.clone(),
                    origin: [row.origin, column.origin],
                    step: [spec.stride[0], spec.stride[1]],
                });
            }
        }
        Stencil {
            images: results[0],
            groups: conv.groups,
            given: results[1] / conv.groups,
            made: images[1] / conv.groups,
            taps: size[0] * size[1],
            input: [results[2], results[3]],
            output: [images[2], images[3]],
            passes,
            step: [1, 1],
            phases: vec![[0, 0]],
            before: [axes[0].before, axes[1].before],
            grid: [axes[0].grid, axes[1].grid],
            reach: [axes[0].reach, axes[1].reach],
            band: 0,
        }
        .in_bands()
    }

    fn in_bands(mut self) -> Self {
        let row = self.given * self.phases.len() * self.pitch();
        let fitting = (BAND / row.max(1)).saturating_sub(self.reach[0]);
        let most = fitting.clamp(1, self.grid[0].max(1));
        // Positions are computed some at a time: the band is one after whose last few are left.
        let bands = (most.div_ceil(2)..=most).rev();
        self.band = bands.min_by_key(|&band| self.steps(band)).unwrap_or(most);
        self
    }

    /// How often [`SLACK`] positions are computed in all bands of so many rows.
    fn steps(&self, band: usize) -> usize {
        let [rows, columns] = self.grid;
        let steps = |rows: usize| match rows {
            0 => 0,
            _ => ((rows - 1) * self.pitch() + columns).div_ceil(SLACK),
        };
        rows / band * steps(band) + steps(rows % band)
    }

    /// The distance between rows of a plane.
    pub(super) fn pitch(&self) -> usize {
        self.grid[1] + self.reach[1]
    }

    /// The rows of a plane.
    pub(super) fn height(&self) -> usize {
        self.band + self.reach[0]
    }

    /// The numbers of all phases of one channel.
    pub(super) fn plane_len(&self) -> usize {
        self.phases.len() * self.height() * self.pitch()
    }

    /// The packed filters of one group.
    pub(super) fn packed_len(&self) -> usize {
        let taps: usize = self.passes.iter().map(|pass| pass.taps.len()).sum();
        taps * self.given * self.made.next_multiple_of(BLOCK)
    }

    /// About how much is to do for a band, in simple steps.
    pub(super) fn work(&self) -> usize {
        let products = self.given * self.taps * self.made / 8;
        (products + self.given + self.made) * self.band * self.grid[1]
    }

    /// The rows of all positions, cut.
    pub(super) fn bands(&self) -> Vec<Band> {
        let starts = (0..self.grid[0]).step_by(self.band);
        starts.map(|first| Band { first, rows: self.band.min(self.grid[0] - first) }).collect()
    }

    /// Where the elements under a filter lie relative to a position, all channels after another, if
    /// so many images lie one below the other.
    pub(super) fn offsets(&self, pass: &Pass, stacked: usize) -> Vec<usize> {
        let plane = self.height() * self.pitch() * stacked;
        let channels = (0..self.given).map(|channel| channel * self.phases.len());
        let at = |first: usize, tap: &Tap| {
            (first + tap.phase) * plane + tap.at[0] * self.pitch() + tap.at[1]
        };
        channels.flat_map(|first| pass.taps.iter().map(move |tap| at(first, tap))).collect()
    }

    /// Copies what a band reads of an image's group into planes, with its padding. `channel_len` is
    /// the distance between channels, which has room for all phases.
    pub(super) fn fill<T: Copy + Default>(
        &self,
        band: Band,
        input: &[T],
        planes: &mut [T],
        channel_len: usize,
    ) {
        let [height, width] = self.input;
        let phase_len = channel_len / self.phases.len();
        for channel in 0..self.given {
            let input = &input[channel * height * width..][..height * width];
            for (phase, &[down, right]) in self.phases.iter().enumerate() {
                let plane = &mut planes[channel * channel_len + phase * phase_len..];
                let rows = plane.chunks_exact_mut(self.pitch()).take(self.height());
                for (row, to) in rows.enumerate() {
                    let from = (band.first + row) * self.step[0] + down;
                    let from = from.checked_add_signed(-self.before[0]);
                    match from.filter(|&row| row < height) {
                        Some(row) => self.fill_row(right, &input[row * width..][..width], to),
                        None => to.fill(T::default()),
                    }
                }
            }
        }
    }

    #[inline]
    fn fill_row<T: Copy + Default>(&self, right: usize, from: &[T], to: &mut [T]) {
        let step = self.step[1];
        let shift = self.before[1] - right as isize;
        let place = |column: isize| (column.max(0) as usize).div_ceil(step).min(to.len());
        let (first, end) = (place(shift), place(shift + from.len() as isize));
        [0..first, end..to.len()].into_iter().for_each(|padding| to[padding].fill(T::default()));
        let start = ((first * step) as isize - shift) as usize;
        if step == 1 {
            return copy_run(&from[start..start + end - first], &mut to[first..end]);
        }
        for (column, to) in to[first..end].iter_mut().enumerate() {
            *to = from[start + column * step];
        }
    }

    /// The positions of a pass within a band: its first, and the one after its last.
    pub(super) fn positions(&self, pass: &Pass, band: Band) -> Option<(usize, usize)> {
        let first = pass.rows.start.max(band.first);
        let end = pass.rows.end.min(band.first + band.rows);
        if first >= end || pass.columns.is_empty() {
            return None;
        }
        let at = |row: usize, column: usize| (row - band.first) * self.pitch() + column;
        Some((at(first, pass.columns.start), at(end - 1, pass.columns.end)))
    }

    /// Writes what was computed for a range of positions of a pass to where it belongs: for each
    /// channel so many sums, to a plane for each.
    ///
    /// # Safety
    /// `planes` has room for as many channels of the sizes of the output.
    #[inline(always)]
    pub(super) unsafe fn write<'a, T: Copy + 'a>(
        &self,
        pass: &Pass,
        band: Band,
        (first, end): (usize, usize),
        channels: impl Iterator<Item = &'a [T]> + Clone,
        planes: *mut T,
    ) {
        let (pitch, size) = (self.pitch(), self.output[0] * self.output[1]);
        for row in first / pitch..=(end - 1) / pitch {
            let left = first.saturating_sub(row * pitch).max(pass.columns.start);
            let right = (end - row * pitch).min(pass.columns.end);
            if left >= right {
                continue;
            }
            let place = |axis: usize, position: usize| {
                (position * pass.step[axis]).wrapping_add_signed(pass.origin[axis])
            };
            let start = place(0, band.first + row) * self.output[1] + place(1, left);
            for (channel, sums) in channels.clone().enumerate() {
                let sums = &sums[row * pitch + left - first..][..right - left];
                // SAFETY: the rows and columns of a pass have places in the output.
                unsafe {
                    let to = planes.add(channel * size + start);
                    if pass.step[1] == 1 {
                        copy_run(sums, std::slice::from_raw_parts_mut(to, sums.len()));
                        continue;
                    }
                    for (column, &sum) in sums.iter().enumerate() {
                        to.add(column * pass.step[1]).write(sum);
                    }
                }
            }
        }
    }

    /// How many images are stacked so that there are about so many positions, and still no more
    /// than fits a band.
    pub(super) fn stacked(&self, positions: usize) -> usize {
        if self.band < self.grid[0] {
            return 1;
        }
        let fitting = 2 * BAND / (self.given * self.plane_len()).max(1);
        let wanted = positions.div_ceil(self.height() * self.pitch());
        wanted.min(fitting).clamp(1, self.images.max(1))
    }

    /// The numbers that the planes of so many images need.
    pub(super) fn planes_len(&self, stacked: usize) -> usize {
        self.given * self.plane_len() * stacked + SLACK
    }
}

/// Copies a short run. A call for each would take longer than the copy.
#[inline(always)]
fn copy_run<T: Copy>(from: &[T], to: &mut [T]) {
    const WIDE: usize = 16;
    if from.len() < WIDE {
        return to.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
    }
    let last = from.len() - WIDE;
    // The last ones overlap those before them.
    for start in (0..last).step_by(WIDE).chain([last]) {
        to[start..start + WIDE].copy_from_slice(&from[start..start + WIDE]);
    }
}

/// How an axis of images is reached from results.
struct Reached {
    phases: Vec<ReachedPhase>,
    before: isize,
    grid: usize,
    reach: usize,
}

struct ReachedPhase {
    /// Elements of a filter, and how far beyond a position their results are.
    taps: Vec<(usize, usize)>,
    positions: Range<usize>,
    origin: isize,
}

impl Reached {
    fn new(stride: usize, dilation: usize, padding: usize, taps: usize, size: usize) -> Self {
        // Images with their padding are positions times the stride, plus a phase.
        let starts = |phase: usize| padding.saturating_sub(phase).div_ceil(stride);
        let ends = |phase: usize| (size + padding).saturating_sub(phase).div_ceil(stride);
        let phases = 0..stride.min(size + padding);
        let first = phases.clone().map(starts).min().unwrap_or(0);
        let last = phases.clone().map(ends).max().unwrap_or(0);
        // The last element of a filter is reached from so many results before.
        let back = (taps - 1) * dilation / stride;
        let phases = phases.map(|phase| {
            let found = (0..taps).filter_map(|tap| {
                let distance = phase as isize - (tap * dilation) as isize;
                let results = distance.div_euclid(stride as isize);
                let meets = distance.rem_euclid(stride as isize) == 0;
                meets.then(|| (tap, (results + back as isize) as usize))
            });
            ReachedPhase {
                taps: found.collect(),
                positions: starts(phase) - first..ends(phase).max(starts(phase)) - first,
                origin: (first * stride + phase) as isize - padding as isize,
            }
        });
        let phases = phases.collect();
        let before = back as isize - first as isize;
        Reached { phases, before, grid: last.saturating_sub(first), reach: back }
    }
}
