//! Scenes as plain data, and the engine's world made from them.
//!
//! A [`Scene`] is what a case file or [`thesis`] describes, in double precision; [`World`] is a
//! [`Simulation`] with its bodies in the order of the scene. A planar scene lies in the xy plane: its
//! polygons become prisms along z (thickness 1 m, centered at z = 0) that keep to planar motion, so
//! that mass and inertia in the plane are those of the polygons.

pub mod ellipse;
pub mod grasp;
pub mod pushing;
pub mod quasistatic;
pub mod slider_crank;
pub mod thesis;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId, BodyKind, LockedAxes};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::{ActiveEvents, Settings};
use orthant::engine::shape::Shape;
use orthant::math::{
    DVec3, Double, Quat, Real, Vec3, narrow, narrow3, quat_normalize, quat_rotate, sin_cos_double,
    widen, widen3,
};

/// One body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// What the body is called.
    pub name: String,
    /// Vertices of the convex hull in the body's own axes (m); z = 0 in a planar scene.
    pub vertices: Vec<DVec3>,
    /// Density [kg/m³].
    pub density: Double,
    /// World position of the centroid (m).
    pub position: DVec3,
    /// World rotation as (w, x, y, z).
    pub rotation: [Double; 4],
    /// Velocity of the centroid [m/s].
    pub velocity: DVec3,
    /// Angular velocity in world axes [rad/s].
    pub angular_velocity: DVec3,
    /// Does the body stay where it is?
    pub fixed: bool,
}

impl SceneBody {
    /// A body at rest with density 1 and no rotation.
    pub fn new(name: &str, vertices: Vec<DVec3>, position: DVec3) -> Self {
        Self {
            name: name.to_owned(),
            vertices,
            density: 1.0,
            position,
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            fixed: false,
        }
    }

    /// The body turned by an angle (rad) about z.
    #[must_use]
    pub fn turned(self, angle: Double) -> Self {
        Self { rotation: about_z(angle), ..self }
    }

    /// The body with another density [kg/m³].
    #[must_use]
    pub fn dense(self, density: Double) -> Self {
        Self { density, ..self }
    }
}

/// The rotation by an angle (rad) about z, as (w, x, y, z).
pub fn about_z(angle: Double) -> [Double; 4] {
    let (sin, cos) = sin_cos_double(0.5 * angle);
    [cos, 0.0, 0.0, sin]
}

/// The fixed body `{ x : normal · x ≤ offset }`; bodies are on its other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Unit normal that points to the free side.
    pub normal: DVec3,
    /// Distance of its plane from the origin along the normal (m).
    pub offset: Double,
}

/// Parameters of a run in the thesis' symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// T (s).
    pub duration: Double,
    /// h (s).
    pub dt: Double,
    /// Friction coefficient μ (-).
    pub mu: Double,
    /// Stabilization factor γ (-).
    pub gamma: Double,
    /// ε_x (-).
    pub eps_x: Double,
    /// ε_t (-).
    pub eps_t: Double,
    /// ε_0 (-).
    pub eps_0: Double,
    /// δ_max (-).
    pub delta_max: Double,
    /// Gravity [m/s²].
    pub gravity: DVec3,
    /// Sides of the friction pyramid, m_C.
    pub sides: u32,
}

impl Params {
    /// The papers' scheme with these parameters.
    pub fn papers(&self) -> Settings {
        let mut settings = Settings::papers(
            narrow(self.gamma),
            narrow(self.mu),
            narrow(self.eps_x),
            narrow(self.eps_t),
            narrow(self.eps_0),
            self.sides,
        );
        settings.gravity = narrow3(self.gravity);
        if let ActiveEvents::Enumerated { delta_max, .. } = &mut settings.contact.active {
            *delta_max = narrow(self.delta_max);
        }
        settings
    }

    /// The engine's defaults with the gravity, friction and γ of these parameters (γ = 0 is not for
    /// the defaults: 1 is taken instead).
    pub fn defaults(&self) -> Settings {
        let mut settings = Settings { gravity: narrow3(self.gravity), ..Settings::default() };
        settings.contact.friction = Some(narrow(self.mu));
        if self.gamma > 0.0 {
            settings.contact.gamma = narrow(self.gamma);
        }
        settings
    }

    /// The number of steps of length `dt` in the duration.
    pub fn steps(&self) -> usize {
        let steps = (self.duration / self.dt).round();
        if steps.is_finite() && steps > 0.0 { (steps as usize).min(10_000_000) } else { 0 }
    }
}

/// Bodies, half-spaces and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// What the scene is called.
    pub name: String,
    /// Does it lie in the xy plane?
    pub planar: bool,
    /// The bodies.
    pub bodies: Vec<SceneBody>,
    /// The fixed half-spaces.
    pub half_spaces: Vec<HalfSpace>,
    /// The parameters.
    pub params: Params,
}

/// A scene in the engine.
pub struct World {
    /// The engine.
    pub simulation: Simulation,
    /// Ids of the scene's bodies, in its order.
    pub ids: Vec<BodyId>,
}

fn to_quat(wxyz: [Double; 4]) -> Quat {
    let [w, x, y, z] = wxyz.map(narrow);
    quat_normalize(Quat::from_xyzw(x, y, z, w))
}

impl World {
    /// Puts a scene into an empty engine.
    ///
    /// # Errors
    /// The engine refused a shape or a body; the text says which and why.
    pub fn new(scene: &Scene) -> Result<Self, String> {
        let mut world = Self { simulation: Simulation::new(), ids: Vec::new() };
        for half_space in &scene.half_spaces {
            world.add_half_space(half_space)?;
        }
        for body in &scene.bodies {
            world.add(body, scene.planar)?;
        }
        Ok(world)
    }

    fn add_half_space(&mut self, half_space: &HalfSpace) -> Result<(), String> {
        let shape = Shape::half_space(narrow3(half_space.normal))
            .map_err(|error| format!("half-space: {error}"))?;
        let desc = BodyDesc {
            kind: BodyKind::Static,
            shape: Some(shape),
            position: narrow3(half_space.normal * half_space.offset),
            ..BodyDesc::default()
        };
        self.simulation.add_body(desc).map_err(|error| format!("half-space: {error}"))?;
        Ok(())
    }

    fn add(&mut self, body: &SceneBody, planar: bool) -> Result<(), String> {
        let shape = if planar {
            let polygon: Vec<_> =
                body.vertices.iter().map(|v| [narrow(v.x), narrow(v.y)]).collect();
            Shape::prism(&polygon, 1.0)
        } else {
            let points: Vec<Vec3> = body.vertices.iter().map(|&v| narrow3(v)).collect();
            Shape::convex_hull(&points)
        };
        let shape = shape.map_err(|error| format!("{}: {error}", body.name))?;
        let rotation = to_quat(body.rotation);
        // The scene places the centroid, the engine the frame of the vertices.
        let centroid = shape.mass_properties(1.0).center_of_mass;
        let desc = BodyDesc {
            kind: if body.fixed { BodyKind::Static } else { BodyKind::Dynamic },
            position: narrow3(body.position) - quat_rotate(rotation, centroid),
            rotation,
            linear_velocity: narrow3(body.velocity),
            angular_velocity: narrow3(body.angular_velocity),
            shape: Some(shape),
            density: narrow(body.density),
            locked_axes: if planar { LockedAxes::PLANAR_XY } else { LockedAxes::NONE },
            ..BodyDesc::default()
        };
        let id =
            self.simulation.add_body(desc).map_err(|error| format!("{}: {error}", body.name))?;
        self.ids.push(id);
        Ok(())
    }

    /// The bodies in the order of the scene.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.ids.iter().filter_map(|&id| self.simulation.body(id))
    }

    /// Kinetic energy of all bodies (J).
    pub fn kinetic_energy(&self) -> Double {
        self.bodies().map(|body| widen(body.kinetic_energy())).sum()
    }

    /// Linear momentum of all bodies [kg·m/s].
    pub fn momentum(&self) -> DVec3 {
        self.bodies().map(|body| widen3(body.linear_velocity) * widen(body.mass())).sum()
    }

    /// Mass of the heaviest body (kg).
    pub fn mass_max(&self) -> Double {
        self.bodies().map(|body| widen(body.mass())).fold(0.0, Double::max)
    }
}

/// What a run showed.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// I(q^l) in ratio units after each step, l = 1…N.
    pub infeasibility: Vec<Double>,
    /// Deepest overlap after any step (m).
    pub overlap_max: Double,
    /// Largest kinetic energy after any step (J).
    pub kinetic_energy_max: Double,
    /// Kinetic energy at the end (J).
    pub kinetic_energy_end: Double,
    /// Steps that were not solved to tolerance.
    pub unsolved: usize,
    /// Steps that were refused: nothing moved.
    pub refused: usize,
    /// Largest natural-map residual of any step [m/s].
    pub residual_max: Double,
    /// Bodies frozen in any step.
    pub quarantined: usize,
}

impl Run {
    /// Steps a world `steps` times; `watch` sees it after each step with the step's number.
    pub fn new(
        world: &mut World,
        settings: &Settings,
        dt: Double,
        steps: usize,
        mut watch: impl FnMut(&World, usize),
    ) -> Self {
        let mut run = Self::default();
        let dt: Real = narrow(dt);
        for step in 1..=steps {
            let report = world.simulation.step(settings, dt);
            run.unsolved += usize::from(report.status != StepStatus::Solved);
            run.refused += usize::from(report.status == StepStatus::Refused);
            run.residual_max = run.residual_max.max(report.natural_map);
            run.quarantined += report.quarantined.len();
            let (infeasibility, overlap) = world.simulation.infeasibility();
            run.infeasibility.push(widen(infeasibility));
            run.overlap_max = run.overlap_max.max(widen(overlap));
            run.kinetic_energy_end = world.kinetic_energy();
            run.kinetic_energy_max = run.kinetic_energy_max.max(run.kinetic_energy_end);
            watch(world, step);
        }
        run
    }

    /// Mean of the infeasibility over the steps.
    pub fn average(&self) -> Double {
        self.infeasibility.iter().sum::<Double>() / self.infeasibility.len().max(1) as Double
    }

    /// Largest infeasibility of any step.
    pub fn max(&self) -> Double {
        self.infeasibility.iter().copied().fold(0.0, Double::max)
    }
}
