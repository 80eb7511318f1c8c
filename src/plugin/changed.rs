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
