//! What pools promise.

use super::*;

#[test]
fn parts_make_up_the_whole() {
    for threads in 1..5 {
        for count in [0, 1, 7, 100] {
            let mut items = vec![0; count];
            let pool: &dyn Pool = &Threads(threads);
            pool.run(&mut items, 3, |part| part.iter_mut().for_each(|item| *item += 1));
            assert!(items.iter().all(|&item| item == 1), "{count} items on {threads} threads");
        }
    }
}

#[test]
fn a_level_begins_when_all_before_it_has_ended() {
    let levels = [5, 3, 1];
    for threads in 1..5 {
        let ended = [const { AtomicUsize::new(0) }; 2];
        let pool: &dyn Pool = &Threads(threads);
        pool.rounds(40, &levels, |round, level, k| {
            assert!(k < levels[level], "one of its level");
            let before = 9 * round + levels[..level].iter().sum::<usize>();
            let now = ended[0].load(Ordering::SeqCst);
            assert!((before..before + levels[level]).contains(&now), "{now} ended, not {before}");
            // Others get a chance to be early.
            std::thread::yield_now();
            ended[0].fetch_add(1, Ordering::SeqCst);
            ended[1].fetch_add(k, Ordering::SeqCst);
        });
        assert_eq!(ended.map(AtomicUsize::into_inner), [360, 40 * 13], "each once");
    }
}

#[test]
fn nothing_to_do_is_done() {
    let pool: &dyn Pool = &Threads(3);
    pool.rounds(0, &[4, 1], |_, _, _| panic!("no round"));
    pool.rounds(2, &[], |_, _, _| panic!("no level"));
    pool.run(&mut [0; 0], 1, |part| assert!(part.is_empty(), "no item"));
}

#[test]
fn a_panic_ends_all_and_is_told() {
    let caught = std::panic::catch_unwind(|| {
        let pool: &dyn Pool = &Threads(3);
        pool.rounds(20, &[4, 1], |round, level, k| {
            assert!([round, level, k] != [7, 0, 2], "one of all");
        });
    });
    assert!(caught.is_err(), "it is told");
}

#[test]
fn no_part_is_too_small_and_none_too_many() {
    for threads in 1..5 {
        let pool: &dyn Pool = &Threads(threads);
        for (count, least) in [(0, 1), (1, 1), (7, 0), (99, 50), (100, 50), (1000, 50), (100, 1000)]
        {
            let part = pool.part(count, least);
            let parts = count.div_ceil(part);
            assert!(part >= least.min(count) && parts <= PARTS * threads, "{parts} of {part}");
            assert!(parts < 2 || threads > 1, "one thread takes all");
            assert!(parts > 1 || threads == 1 || count < 2 * least.max(1), "{count}: work for two");
        }
    }
}
