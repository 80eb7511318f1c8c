//! Which values of a component changed.
//!
//! Input: the change ticks of its tables. Output: the entities of those rows that changed since the system
//! last ran. O(rows), four bytes each, looked through in blocks; a table whose component keeps a summary
//! tick is not even looked at while nothing in it changes. That is why the components of this plugin
//! have one.

use bevy_ecs::change_detection::{ContiguousComponentTicksRef, Tick};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::ArchetypeFilter;

/// All values of a component.
pub(super) type Rows<'w, 's, T, F> = Query<'w, 's, (Entity, Ref<'static, T>), F>;

/// Filter: disabled entities too. As `Allow<Disabled>`, which is none for tables.
pub(super) type EvenDisabled = Or<(With<Disabled>, Without<Disabled>)>;

/// So many ticks are looked through at once.
const BLOCK: usize = 64;

/// Calls `each` for the entities whose value changed since the system last ran.
pub(super) fn for_each_changed<T: Component, F: ArchetypeFilter>(
    rows: &Rows<T, F>,
    mut each: impl FnMut(Entity, &T),
) {
    let Ok(tables) = rows.contiguous_iter() else {
        // Rows are not contiguous where a component that disables entities is no part of tables.
        let changed = rows.iter().filter(|(_, value)| value.is_changed());
        changed.for_each(|(entity, value)| each(entity, &value));
        return;
    };
    for (entities, column) in tables {
        let (values, ticks) = ContiguousRef::split(column);
        changed_rows([Some(&ticks)]).for_each(|row| each(entities[row], &values[row]));
    }
}

/// Appends the entities whose value changed since the system last ran.
pub(super) fn append_changed<T: Component, F: ArchetypeFilter>(
    rows: &Rows<T, F>,
    list: &mut Vec<Entity>,
) {
    for_each_changed(rows, |entity, _| list.push(entity));
}

/// The rows of a table in which one of these columns changed since the system last ran.
pub(super) fn changed_rows<const N: usize>(
    columns: [Option<&ContiguousComponentTicksRef>; N],
) -> impl Iterator<Item = usize> {
    let columns = columns.map(|column| {
        let column = column.filter(|ticks| ticks.summary_tick_is_changed() != Some(false));
        column.map_or((&[][..], Tick::default(), Tick::default()), |ticks| {
            (ticks.changed(), ticks.last_run(), ticks.this_run())
        })
    });
    let rows = columns.iter().map(|(ticks, ..)| ticks.len()).max().unwrap_or(0);
    let has_new = move |start: usize, end: usize| {
        columns.iter().any(|&(ticks, last_run, this_run)| {
            let block = ticks.get(start..end).unwrap_or_default();
            // Without a way out in between, so that several ticks are compared at once.
            block.iter().fold(false, |any, tick| any | tick.is_newer_than(last_run, this_run))
        })
    };
    let blocks = (0..rows).step_by(BLOCK).map(move |start| (start, rows.min(start + BLOCK)));
    let rows = blocks.filter(move |&(start, end)| has_new(start, end)).flat_map(|(a, b)| a..b);
    rows.filter(move |&row| has_new(row, row + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Component)]
    struct Plain(u32);

    #[derive(Component)]
    #[component(summary_tick)]
    struct Summed(u32);

    #[derive(Resource, Default)]
    struct Found {
        plain: Vec<Entity>,
        summed: Vec<Entity>,
        either: Vec<Entity>,
    }

    type Columns = (Entity, Ref<'static, Plain>, Option<Ref<'static, Summed>>);

    fn find(
        plain: Rows<Plain, ()>,
        summed: Rows<Summed, EvenDisabled>,
        both: Query<Columns>,
        mut found: ResMut<Found>,
    ) {
        *found = Found::default();
        for_each_changed(&plain, |entity, value| {
            assert!(value.0 < 10_000, "the value of the row");
            found.plain.push(entity);
        });
        append_changed(&summed, &mut found.summed);
        for (entities, plain, summed) in both.contiguous_iter().expect("tables") {
            let (_, ticks) = ContiguousRef::split(plain);
            let summed = summed.map(|column| ContiguousRef::split(column).1);
            let rows = changed_rows([Some(&ticks), summed.as_ref()]);
            found.either.extend(rows.map(|row| entities[row]));
        }
        found.plain.sort_unstable();
        found.summed.sort_unstable();
        found.either.sort_unstable();
    }

    /// As the filters of Bevy find them, one by one.
    fn find_slowly(
        plain: Query<Entity, Changed<Plain>>,
        summed: Query<Entity, (Changed<Summed>, Allow<Disabled>)>,
        either: Query<Entity, (With<Plain>, Or<(Changed<Plain>, Changed<Summed>)>)>,
        found: Res<Found>,
    ) {
        let sorted = |query: &mut dyn Iterator<Item = Entity>| {
            let mut list: Vec<Entity> = query.collect();
            list.sort_unstable();
            list
        };
        assert_eq!(found.plain, sorted(&mut plain.iter()), "without a summary");
        assert_eq!(found.summed, sorted(&mut summed.iter()), "with a summary, even disabled");
        assert_eq!(found.either, sorted(&mut either.iter()), "one of two columns");
    }

    #[test]
    fn changes_are_those_that_filters_find() {
        let mut world = World::new();
        world.init_resource::<Found>();
        let mut schedule = Schedule::default();
        schedule.add_systems((find, find_slowly).chain());
        let mut entities = Vec::new();
        for i in 0..400 {
            let mut entity = world.spawn(Plain(i));
            if i % 3 != 0 {
                entity.insert(Summed(i));
            }
            if i % 7 == 0 {
                entity.insert(Disabled);
            }
            entities.push(entity.id());
        }
        schedule.run(&mut world);
        assert!(!world.resource::<Found>().summed.is_empty(), "new values are changed ones");
        schedule.run(&mut world);
        assert!(world.resource::<Found>().either.is_empty(), "nothing changed");
        let mut seed = 1_usize;
        for round in 0..60 {
            for _ in 0..round % 5 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let entity = entities[(seed >> 33) % entities.len()];
                match seed >> 61 {
                    0 | 1 => world.get_mut::<Plain>(entity).expect("all have it").0 += 1,
                    2 => _ = world.entity_mut(entity).remove::<Summed>(),
                    3 => _ = world.entity_mut(entity).insert(Summed(0)),
                    4 => _ = world.entity_mut(entity).remove::<Disabled>(),
                    _ => {
                        if let Some(mut value) = world.get_mut::<Summed>(entity) {
                            value.0 += 1;
                        }
                    }
                }
            }
            schedule.run(&mut world);
        }
    }
}
