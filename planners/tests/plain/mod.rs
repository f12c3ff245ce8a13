//! Reference implementations of the strategies' rules that compare every record with every other, and every object with
//! every record. They are slow, and the real strategies must agree with them.

use std::cmp::Reverse;

use arenite_abi::UsageRecord;
use arenite_planners::objects::Objects;

type Ids = Vec<Option<usize>>;

fn answer(ids: Ids, sizes: Vec<u64>) -> Objects {
    Objects { ids: ids.into_iter().map(|id| id.expect("every record has an object") as u32).collect(), sizes }
}

/// Numbers by first node; the sort is stable.
fn in_order(records: &[UsageRecord]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|&i| records[i].first_node);
    order
}

/// The objects that are free for record `i`, in the order in which they were released: by the last node of their last
/// record, then by number. Objects released for an earlier record come first.
struct Waiting {
    busy: Vec<(u32, usize)>,
    free: Vec<usize>,
}

impl Waiting {
    fn new() -> Self {
        Waiting { busy: Vec::new(), free: Vec::new() }
    }

    fn release(&mut self, node: u32) {
        self.busy.sort_unstable();
        let count = self.busy.iter().take_while(|(last, _)| *last < node).count();
        self.free.extend(self.busy.drain(..count).map(|(_, object)| object));
    }

    /// Puts record `i` into `object`, or into a new one.
    fn take(
        &mut self,
        i: usize,
        record: &UsageRecord,
        object: Option<usize>,
        ids: &mut Ids,
        sizes: &mut Vec<u64>,
    ) {
        let object = object.unwrap_or_else(|| {
            sizes.push(0);
            sizes.len() - 1
        });
        self.free.retain(|&other| other != object);
        ids[i] = Some(object);
        sizes[object] = sizes[object].max(record.size);
        self.busy.push((record.last_node, object));
    }
}

/// Assigns records in order; `choose` picks one of the free objects.
fn one_after_the_other(
    records: &[UsageRecord],
    choose: impl Fn(usize, &[usize], &[u64], &Ids) -> Option<usize>,
) -> Objects {
    let (mut ids, mut sizes, mut waiting) = (vec![None; records.len()], Vec::new(), Waiting::new());
    for i in in_order(records) {
        waiting.release(records[i].first_node);
        let object = choose(i, &waiting.free, &sizes, &ids);
        waiting.take(i, &records[i], object, &mut ids, &mut sizes);
    }
    answer(ids, sizes)
}

pub(crate) fn equality(records: &[UsageRecord]) -> Objects {
    one_after_the_other(records, |i, free, sizes, _| {
        free.iter().rev().copied().find(|&object| sizes[object] == records[i].size)
    })
}

pub(crate) fn equality_vector(records: &[UsageRecord]) -> Objects {
    one_after_the_other(records, |i, free, sizes, _| {
        free.iter().copied().filter(|&object| sizes[object] == records[i].size).min()
    })
}

pub(crate) fn greedy_in_order(records: &[UsageRecord]) -> Objects {
    one_after_the_other(records, |i, free, sizes, _| {
        let size = records[i].size;
        let by_size = |&object: &usize| (sizes[object], object);
        let larger = free.iter().copied().filter(|&object| sizes[object] >= size).min_by_key(by_size);
        let smaller = free.iter().copied().filter(|&object| sizes[object] < size).max_by_key(by_size);
        match (larger, smaller) {
            (Some(a), Some(b)) => Some(if size - sizes[b] < sizes[a] - size { b } else { a }),
            (a, b) => a.or(b),
        }
    })
}

pub(crate) fn greedy_in_order_reallocating(records: &[UsageRecord], graph: &[Vec<u32>]) -> Objects {
    let order = in_order(records);
    one_after_the_other(records, |i, free, sizes, ids| {
        let last = |object| order.iter().rev().copied().find(|&j| ids[j] == Some(object)).expect("a user");
        free.iter()
            .copied()
            .filter(|&object| graph[last(object)].contains(&(i as u32)))
            .min_by_key(|&object| (sizes[object].abs_diff(records[i].size), sizes[object], object))
    })
}

/// Textures with the sizes `sizes` and the lifetimes of `records`.
pub(crate) fn textures(records: &[UsageRecord], extents: &[[u32; 2]]) -> (Vec<u32>, Vec<[u32; 2]>) {
    let mut rooms: Vec<[u32; 2]> = Vec::new();
    let (mut ids, mut sizes, mut waiting) = (vec![None; records.len()], Vec::new(), Waiting::new());
    let area = |[x, y]: [u32; 2]| u64::from(x) * u64::from(y);
    for i in in_order(records) {
        waiting.release(records[i].first_node);
        let covers = |&object: &usize| rooms[object][0] >= extents[i][0] && rooms[object][1] >= extents[i][1];
        let object = waiting.free.iter().copied().filter(covers).min_by_key(|&object| area(rooms[object]));
        if object.is_none() {
            rooms.push(extents[i]);
        }
        waiting.take(i, &records[i], object, &mut ids, &mut sizes);
    }
    (answer(ids, sizes).ids, rooms)
}

/// The nodes are all those up to the last first node.
pub(crate) fn greedy_by_breadth(records: &[UsageRecord]) -> Objects {
    let nodes = records.iter().map(|record| record.first_node + 1).max().unwrap_or(0);
    let profile = |node: u32| -> Vec<usize> {
        let alive = |&i: &usize| records[i].first_node <= node && node <= records[i].last_node;
        let mut profile: Vec<usize> = (0..records.len()).filter(alive).collect();
        profile.sort_by_key(|&i| Reverse(records[i].size));
        profile
    };
    let mut order: Vec<u32> = (0..nodes).collect();
    order.sort_by_key(|&node| {
        Reverse(profile(node).iter().map(|&i| u128::from(records[i].size)).sum::<u128>())
    });
    let (mut ids, mut sizes): (Ids, Vec<u64>) = (vec![None; records.len()], Vec::new());
    for i in order.into_iter().flat_map(profile) {
        if ids[i].is_some() {
            continue;
        }
        let size = records[i].size;
        let free = |object: &usize| {
            !(0..records.len()).any(|j| ids[j] == Some(*object) && records[i].overlaps(&records[j]))
        };
        let free: Vec<usize> = (0..sizes.len()).filter(free).collect();
        let larger =
            free.iter().copied().filter(|&object| sizes[object] >= size).min_by_key(|&o| (sizes[o], o));
        let object = larger.or(free.iter().copied().min_by_key(|&o| (Reverse(sizes[o]), o)));
        let object = object.unwrap_or_else(|| {
            sizes.push(0);
            sizes.len() - 1
        });
        ids[i] = Some(object);
        sizes[object] = sizes[object].max(size);
    }
    answer(ids, sizes)
}

/// Every record stores its distance from every object, and the object it would take, as in TFLite.
pub(crate) fn greedy_by_size(records: &[UsageRecord]) -> Objects {
    const FAR: u64 = u64::MAX;
    let count = records.len();
    let maxima = positional_maxima(records);
    let position: Vec<usize> =
        records.iter().map(|record| maxima.iter().take_while(|&&most| most >= record.size).count()).collect();
    let (mut ids, mut sizes): (Ids, Vec<u64>) = (vec![None; count], Vec::new());
    let mut distances: Vec<Vec<u64>> = vec![Vec::new(); count];
    let mut best: Vec<(u64, usize)> = vec![(FAR, usize::MAX); count];
    for _ in 0..count {
        let unassigned = (0..count).filter(|&i| ids[i].is_none());
        let key = |&i: &usize| (position[i], best[i].0, Reverse(records[i].size), i);
        let chosen = unassigned.min_by_key(key).expect("one remains");
        let is_new = best[chosen].0 == FAR;
        let object = if is_new { sizes.len() } else { best[chosen].1 };
        if is_new {
            sizes.push(0);
        }
        ids[chosen] = Some(object);
        sizes[object] = sizes[object].max(records[chosen].size);
        for i in (0..count).filter(|&i| ids[i].is_none()) {
            if is_new {
                distances[i].push(FAR - 1);
            }
            if distances[i][object] == FAR {
                continue;
            }
            let (a, b) = (&records[i], &records[chosen]);
            let distance = if a.overlaps(b) {
                FAR
            } else {
                u64::from(a.first_node.saturating_sub(b.last_node) + b.first_node.saturating_sub(a.last_node))
            };
            distances[i][object] = if distance == FAR { FAR } else { distance.min(distances[i][object]) };
            if distance == FAR && best[i].1 == object {
                let nearest = distances[i].iter().copied().enumerate().min_by_key(|&(_, distance)| distance);
                best[i] = nearest.map_or((FAR, object), |(object, distance)| (distance, object));
            } else if distance < best[i].0 {
                best[i] = (distance, object);
            }
        }
    }
    answer(ids, sizes)
}

fn positional_maxima(records: &[UsageRecord]) -> Vec<u64> {
    let mut maxima: Vec<u64> = Vec::new();
    for at in records {
        let node = at.first_node;
        let alive = records.iter().filter(|r| r.first_node <= node && node <= r.last_node);
        let mut sizes: Vec<u64> = alive.map(|record| record.size).collect();
        sizes.sort_by_key(|&size| Reverse(size));
        maxima.resize(maxima.len().max(sizes.len()), 0);
        maxima.iter_mut().zip(sizes).for_each(|(most, size)| *most = size.max(*most));
    }
    maxima
}

/// All edges are stored, each followed by its reverse.
pub(crate) fn min_cost_flow(records: &[UsageRecord]) -> Objects {
    struct Edge {
        to: usize,
        capacity: u8,
        cost: i64,
    }
    let (order, count) = (in_order(records), records.len());
    let (source, sink) = (2 * count, 2 * count + 1);
    let mut edges: Vec<Edge> = Vec::new();
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); 2 * count + 2];
    let mut edge = |a: usize, b: usize, cost: i64| {
        from[a].push(edges.len());
        edges.push(Edge { to: b, capacity: 1, cost });
        from[b].push(edges.len());
        edges.push(Edge { to: a, capacity: 0, cost: -cost });
    };
    for (right, &i) in order.iter().enumerate() {
        edge(source, right, 0);
        edge(count + right, sink, 0);
        edge(source, count + right, records[i].size as i64);
        for (left, &j) in order.iter().enumerate().take(right) {
            if records[j].last_node < records[i].first_node {
                edge(left, count + right, (records[i].size as i64 - records[j].size as i64).max(0));
            }
        }
    }
    loop {
        let mut distance = vec![i64::MAX; 2 * count + 2];
        let mut way = vec![usize::MAX; 2 * count + 2];
        distance[source] = 0;
        let mut vertices = vec![source];
        while !vertices.is_empty() {
            let mut next = Vec::new();
            for vertex in vertices {
                for &e in from[vertex].iter().filter(|&&e| edges[e].capacity > 0) {
                    let Edge { to, cost, .. } = edges[e];
                    if distance[vertex] + cost < distance[to] {
                        distance[to] = distance[vertex] + cost;
                        way[to] = e;
                        if !next.contains(&to) {
                            next.push(to);
                        }
                    }
                }
            }
            vertices = next;
        }
        if distance[sink] == i64::MAX {
            break;
        }
        let mut vertex = sink;
        while vertex != source {
            edges[way[vertex]].capacity -= 1;
            edges[way[vertex] ^ 1].capacity += 1;
            vertex = edges[way[vertex] ^ 1].to;
        }
    }
    let (mut ids, mut sizes): (Ids, Vec<u64>) = (vec![None; count], Vec::new());
    let saturated = |vertex: usize| {
        from[vertex].iter().map(|&e| &edges[e]).find(|e| e.capacity == 0 && (count..source).contains(&e.to))
    };
    for &e in from[source].iter().filter(|&&e| edges[e].capacity == 0 && edges[e].to >= count) {
        let mut at = Some(edges[e].to - count);
        sizes.push(0);
        while let Some(record) = at {
            ids[order[record]] = Some(sizes.len() - 1);
            let size = sizes.last_mut().expect("just pushed");
            *size = records[order[record]].size.max(*size);
            at = saturated(record).map(|e| e.to - count);
        }
    }
    answer(ids, sizes)
}

/// Places records in some order, each in a gap between the placed ones that are alive together with it, or above them.
fn gaps(
    records: &[UsageRecord],
    order: Vec<usize>,
    choose: impl Fn(&[(u64, u64)], &UsageRecord) -> Option<u64>,
) -> Vec<u64> {
    let mut offsets = vec![0; records.len()];
    let mut placed: Vec<usize> = Vec::new();
    for i in (0..records.len()).filter(|&i| records[i].fixed().is_some()).chain(order) {
        let record = &records[i];
        if record.size == 0 && record.fixed().is_none() {
            continue;
        }
        let alive = placed.iter().filter(|&&j| records[j].overlaps(record) && records[j].size > 0);
        let mut ends: Vec<(u64, u64)> = alive.map(|&j| (offsets[j], offsets[j] + records[j].size)).collect();
        ends.sort_unstable();
        let top = ends.iter().map(|&(_, end)| end).max().unwrap_or(0);
        // Gaps after alignment: the start and end of each.
        let mut below = 0;
        let mut free = Vec::new();
        for (offset, end) in ends {
            let start = u64::next_multiple_of(below, record.alignment);
            if start + record.size <= offset {
                free.push((start, offset));
            }
            below = below.max(end);
        }
        offsets[i] = record
            .fixed()
            .or_else(|| choose(&free, record))
            .unwrap_or_else(|| top.next_multiple_of(record.alignment));
        placed.push(i);
    }
    offsets
}

fn free_by<K: Ord>(records: &[UsageRecord], key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.len()).filter(|&i| records[i].fixed().is_none()).collect();
    order.sort_by_key(|&i| key(i));
    order
}

fn tightest(free: &[(u64, u64)], _: &UsageRecord) -> Option<u64> {
    free.iter().min_by_key(|(start, end)| end - start).map(|&(start, _)| start)
}

pub(crate) fn greedy_by_size_offsets(records: &[UsageRecord]) -> Vec<u64> {
    gaps(records, free_by(records, |i| (Reverse(records[i].size), i)), tightest)
}

pub(crate) fn best_fit(records: &[UsageRecord]) -> Vec<u64> {
    let whole = |r: &UsageRecord| r.first_node == 0 && r.last_node == UsageRecord::FOREVER;
    let order = free_by(records, |i| match &records[i] {
        record if whole(record) => (false, Reverse(0), 0, i),
        record => (true, Reverse(record.size), record.first_node, i),
    });
    gaps(records, order, tightest)
}

pub(crate) fn micro_greedy(records: &[UsageRecord]) -> Vec<u64> {
    let order = free_by(records, |i| Reverse((records[i].size, i)));
    gaps(records, order, |free, _| free.first().map(|&(start, _)| start))
}
