//! Characters and walls: of triangles, and from any direction.

use super::*;

/// A wall of triangles in the plane x = 1, which faces -x, 4 m high and 20 m wide.
fn wall_of_triangles(app: &mut App) {
    let (rows, columns) = (9, 41);
    let place =
        |k: u32| Vec3::new(1.0, (k / columns) as Real * 0.5, (k % columns) as Real * 0.5 - 10.0);
    let corners: Vec<Vec3> = (0..rows * columns).map(place).collect();
    let mut triangles = Vec::new();
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let [a, b] = [row, row + 1].map(|row| row * columns + column);
            triangles.extend([[a, a + 1, b], [b, a + 1, b + 1]]);
        }
    }
    spawn(app, Collider::trimesh(corners, triangles).expect("a wall"));
}

#[test]
fn a_wall_of_triangles_holds_and_is_no_ground() {
    for hz in [30, 64, 240] {
        for (k, collider) in persons().into_iter().enumerate() {
            let mut app = app_at(hz);
            floor(&mut app);
            wall_of_triangles(&mut app);
            let one = person(&mut app, collider, Vec3::ZERO);
            // Against the wall and along it, over all its edges.
            walk(&mut app, one, Vec3::new(3.0, 0.0, 2.0));
            run_for(&mut app, hz, 1.0, |_| {});
            let before = feet(&app, one);
            assert!((before.x - (0.7 - SKIN)).abs() < 1e-3, "{hz} Hz, {k}: at {before}");
            let (mut flying, mut peak) = (0, 0.0);
            jump(&mut app, one, 5.0);
            run_for(&mut app, hz, 0.9, |app| {
                let at = feet(app, one);
                assert!(at.x < 0.7 - 0.4 * SKIN, "{hz} Hz, {k}: in the wall at {at}");
                // The jump lasts 2 · 5 / 9.81 s.
                assert!(!state(app, one).is_grounded(), "{hz} Hz, {k}: it stands at {at}");
                (flying, peak) = (flying + 1, at.y.max(peak));
            });
            assert!(
                flying > 20 && (peak - 25.0 / 19.62).abs() < SKIN,
                "{hz} Hz, {k}: up to {peak}"
            );
            run_for(&mut app, hz, 0.5, |_| {});
            let way = feet(&app, one) - before;
            assert!(state(&app, one).is_grounded() && way.y.abs() < 1e-3, "{hz} Hz, {k}: {way}");
            assert!(way.z > 0.9 * 2.0 * 1.4, "{hz} Hz, {k}: held by edges, it came {way}");
        }
    }
}

/// Directions of whole numbers, as they lead exactly at edges and corners; at whatever speed.
#[test]
fn no_direction_leads_through_a_box() {
    let mut app = app_at(64);
    without_gravity(&mut app);
    block(&mut app, Vec3::ONE, Vec3::ZERO);
    run_for(&mut app, 64, 0.1, |_| {});
    let ask = |slide: MoveAndSlide| {
        let (config, filter) = (MoveAndSlideConfig::default(), SpatialQueryFilter::default());
        let time = core::time::Duration::from_millis(16);
        let whole = || (-5i8..=5).map(Real::from);
        let directions = whole().flat_map(|x| whole().map(move |z| Vec3::new(x, -5.0, z)));
        let shapes = [Collider::sphere(0.25), capsule(), Collider::cuboid(0.5, 0.5, 0.5)];
        let (mut met, mut least) = (0, Real::INFINITY);
        for direction in directions {
            for shape in &shapes {
                for speed in [1.0, 20.0] {
                    let velocity = direction.normalize() * speed;
                    let mut place = -direction.normalize() * 2.5;
                    for _ in 0..(4.0 / (speed * 0.016)) as u32 {
                        let rotation = Quat::IDENTITY;
                        place = slide
                            .move_and_slide(
                                shape,
                                place,
                                rotation,
                                velocity,
                                time,
                                &config,
                                &filter,
                                |_| {
                                    met += 1;
                                    MoveAndSlideHitResponse::Accept
                                },
                            )
                            .position;
                        slide.intersections(shape, place, rotation, 0.1, &filter, |near| {
                            least = near.distance.min(least);
                            near.distance > 0.0
                        });
                    }
                }
            }
        }
        (met, least)
    };
    let (met, least) = app.world_mut().run_system_once(ask).expect("the parameters are there");
    assert!(met > 1000, "it was met {met} times");
    assert!(least > 0.4 * SKIN, "it came to {least} m of the box");
}
