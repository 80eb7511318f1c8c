//! Free flight: one for all methods, `x + h v + h² a / 2`, and what it misses has none of it.

use orthant::engine::body::{BodyDesc, BodyId};
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Real, Vec3, widen, widen3};

use super::{G, Lab, METHODS, at_most};
use crate::claims::Claims;
use crate::support::fast::pass;

/// Steps of a second.
const STEPS: usize = 60;

/// Falls, throws, the papers' step, and balls that miss each other.
pub fn measure(claims: &mut Claims) {
    // Each step rounds place and velocity by half an epsilon.
    let rounding = STEPS as Double * widen(Real::EPSILON);
    for (name, method) in METHODS {
        for company in [Company::None, Company::Near, Company::Asleep] {
            let mut lab = Lab::new();
            lab.settings.solver.method = method;
            lab.settings.sleep.enabled = company == Company::Asleep;
            let falls = fall(&mut lab, company);
            let exact = 0.5 * G * time(&lab).powi(2);
            let off = (falls - exact).abs() / exact;
            let what = format!("a fall of 1 s, {name}, {}", company.name());
            at_most(claims, &what, off, rounding, "");
        }
        at_most(claims, &format!("a throw with a force, {name}"), throw(method), rounding, "");
    }
    let mut lab = Lab::new();
    lab.settings = Settings::papers(1.0, 0.5, 0.1, 0.1, 0.1, 4);
    // The papers' sum: g h² (1 + 2 + … + n).
    let euler = G * widen(lab.dt).powi(2) * (STEPS * (STEPS + 1) / 2) as Double;
    let off = (fall(&mut lab, Company::None) - euler).abs() / euler;
    at_most(claims, "a fall of 1 s in the papers' step, 4.987 m", off, rounding, "");
    for (speed, miss) in [(2.0, 0.01), (8.0, 0.01), (14.0, 0.01), (14.0, 0.05)] {
        for (swept, how) in [(false, "as it is"), (true, "swept")] {
            let what =
                format!("a ball misses another by {miss} m at {speed} m/s, {how}: its speed");
            at_most(claims, &what, missed(speed, miss, swept), 0.0, "m/s");
        }
    }
}

/// The most that a ball gets which another one misses by `miss` (m) at a speed [m/s], in 40 phases of the
/// step [m/s].
fn missed(speed: Real, miss: Real, swept: bool) -> Double {
    let given = (0..40).map(|k| pass(speed, 0.1 + miss, k as Real / 40.0, swept)[0].length());
    given.map(widen).fold(0.0, Double::max)
}

/// What is near a body that falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    None,
    /// Another that falls 2 mm beside it: a pair without a touch.
    Near,
    /// None, and sleeping is on.
    Asleep,
}

impl Company {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "alone",
            Self::Near => "2 mm beside another",
            Self::Asleep => "sleeping on",
        }
    }
}

fn cube(lab: &mut Lab, position: Vec3, linear_velocity: Vec3) -> BodyId {
    let shape = Shape::cuboid(0.5, 0.5, 0.5).ok();
    lab.add(BodyDesc { shape, position, linear_velocity, ..BodyDesc::default() })
}

fn time(lab: &Lab) -> Double {
    STEPS as Double * widen(lab.dt)
}

/// How far a cube falls in a second (m).
fn fall(lab: &mut Lab, company: Company) -> Double {
    let id = cube(lab, Vec3::ZERO, Vec3::ZERO);
    if company == Company::Near {
        cube(lab, Vec3::X * 0.502, Vec3::ZERO);
    }
    for _ in 0..STEPS {
        lab.step();
    }
    -lab.center(id).y
}

/// A cube thrown under a constant force: its distance from the parabola after a second, over its way.
fn throw(method: Method) -> Double {
    let mut lab = Lab::new();
    lab.settings.solver.method = method;
    let velocity = Vec3::new(3.0, 4.0, -2.0);
    let id = cube(&mut lab, Vec3::ZERO, velocity);
    let force = Vec3::new(0.2, 0.5, 0.3);
    for _ in 0..STEPS {
        lab.world.body_mut(id).expect("the body is there").apply_force(force);
        lab.step();
    }
    let time = time(&lab);
    let acceleration = widen3(force) / widen(lab.body(id).mass()) - DVec3::Y * G;
    let exact = widen3(velocity) * time + acceleration * (0.5 * time * time);
    (lab.center(id) - exact).length() / exact.length()
}
