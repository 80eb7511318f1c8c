//! Step problems (5.1)–(5.2) from JSON, as rows and blocks of `orthant::engine::lcp`.
//!
//! A case stores dense matrices: `M` (block diagonal), `f = M v_l + h k`, the columns of `N` (one a
//! contact), of `D` (`m_C` a contact) and of `nu` (joints), and the vectors `mu`, `Delta`,
//! `Upsilon`. Bodies of dimension 2 have the freedoms (x, y, θ), which become components 0, 1 and 5
//! of six; bodies of dimension 3 have all six. Expected velocities stay flat, in the order of the
//! file; compare them through [`LcpCase::velocity_error`].

use orthant::engine::lcp::{BodyBlock, Cone, ContactRow, FIXED, JointRow, Problem, Vec6};
use orthant::math::Double;
use serde_json::Value;

/// One case: the problem and the velocities it should give.
#[derive(Debug)]
pub struct LcpCase {
    /// Number of the case in its file.
    pub id: u64,
    /// Components of six that each body may move in.
    pub freedoms: &'static [usize],
    /// Mass blocks with the free velocity `M⁻¹ f`.
    pub bodies: Vec<BodyBlock>,
    /// Columns of `nu`.
    pub joints: Vec<JointRow>,
    /// Columns of `N` and `D`.
    pub contacts: Vec<ContactRow>,
    /// The pyramid with `m_C` directions.
    pub cone: Cone,
    /// Expected velocity of (5.1)–(5.2).
    pub velocity: Vec<Double>,
    /// Γ, and the expected velocities of (5.7) at it and at zero.
    pub relaxation: Relaxation,
    /// λ, and the expected velocity of (5.15).
    pub fixed_slip: FixedSlip,
}

/// Expected solutions of the convex relaxation (5.7).
#[derive(Debug)]
pub struct Relaxation {
    /// Γ, one a contact.
    pub gamma: Vec<Double>,
    /// Velocity at `gamma`.
    pub velocity: Vec<Double>,
    /// Velocity at Γ = 0.
    pub velocity_gamma_zero: Vec<Double>,
}

/// Expected solution of (5.15).
#[derive(Debug)]
pub struct FixedSlip {
    /// λ, one a contact.
    pub slip: Vec<Double>,
    /// Velocity at `slip`.
    pub velocity: Vec<Double>,
}

impl LcpCase {
    /// The case as a problem for the solvers.
    pub fn problem(&self) -> Problem<'_> {
        Problem {
            bodies: &self.bodies,
            joints: &self.joints,
            contacts: &self.contacts,
            rolling: &[],
            cone: self.cone,
        }
    }

    /// Largest difference of a solver's velocity from an expected one.
    pub fn velocity_error(&self, velocity: &[Vec6], expected: &[Double]) -> Double {
        let n = self.freedoms.len();
        let mut worst: Double = 0.0;
        for (b, v) in velocity.iter().enumerate() {
            for (k, freedom) in self.freedoms.iter().enumerate() {
                let e = (v[*freedom] - expected[b * n + k]).abs();
                worst = if e <= worst { worst } else { e };
            }
        }
        worst
    }
}

/// The cases of the repository.
///
/// # Errors
/// The file is not there, or not as documented.
pub fn all() -> Result<Vec<LcpCase>, String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/lcps.json");
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let list: Vec<Value> =
        serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
    list.iter().map(read).collect()
}

/// Reads one case.
///
/// # Errors
/// Says which field is missing or has the wrong shape.
pub fn read(value: &Value) -> Result<LcpCase, String> {
    let freedoms: &'static [usize] = match unsigned(value, "dim")? {
        2 => &[0, 1, 5],
        3 => &[0, 1, 2, 3, 4, 5],
        other => return Err(format!("dim: {other} is neither 2 nor 3")),
    };
    let directions = u32::try_from(unsigned(value, "mC")?).map_err(|e| format!("mC: {e}"))?;
    if directions < 2 || !directions.is_multiple_of(2) {
        return Err(format!("mC: {directions} is not even and positive"));
    }
    let mass = matrix(field(value, "M")?, "M")?;
    let n_bodies = mass.len() / freedoms.len();
    let momentum = vector(field(value, "f")?, "f")?;
    let bodies = read_bodies(&mass, &momentum, freedoms)?;
    let contacts = read_contacts(value, directions, n_bodies, freedoms)?;
    let joints = read_joints(value, n_bodies, freedoms)?;
    let (n_velocities, n_contacts) = (mass.len(), contacts.len());
    let sized = |part: &str, key: &str, n: usize| {
        let inner = if part.is_empty() { value } else { field(value, part)? };
        let list = vector(field(inner, key)?, key)?;
        if list.len() == n { Ok(list) } else { Err(format!("{part} {key}: wrong length")) }
    };
    Ok(LcpCase {
        id: unsigned(value, "id")?,
        freedoms,
        bodies,
        joints,
        contacts,
        cone: Cone::Pyramid(directions),
        velocity: sized("", "v", n_velocities)?,
        relaxation: Relaxation {
            gamma: sized("qp57", "Gamma", n_contacts)?,
            velocity: sized("qp57", "v", n_velocities)?,
            velocity_gamma_zero: sized("qp57", "v_Gamma0", n_velocities)?,
        },
        fixed_slip: FixedSlip {
            slip: sized("qp515", "lam", n_contacts)?,
            velocity: sized("qp515", "v", n_velocities)?,
        },
    })
}

fn read_bodies(
    mass: &[Vec<Double>],
    momentum: &[Double],
    freedoms: &[usize],
) -> Result<Vec<BodyBlock>, String> {
    let n = freedoms.len();
    if !mass.len().is_multiple_of(n) || momentum.len() != mass.len() {
        return Err("M, f: not a whole number of bodies".into());
    }
    let mut bodies = Vec::new();
    for start in (0..mass.len()).step_by(n) {
        let mut full = [[0.0; 6]; 6];
        for (i, fi) in freedoms.iter().enumerate() {
            let row = &mass[start + i];
            if row.len() != mass.len() {
                return Err("M: not square".into());
            }
            for (j, fj) in freedoms.iter().enumerate() {
                full[*fi][*fj] = row[start + j];
            }
            if (0..row.len()).any(|j| (j < start || j >= start + n) && row[j] != 0.0) {
                return Err("M: bodies are coupled".into());
            }
        }
        for i in 0..3 {
            if (0..6).any(|j| j != i && full[i][j] != 0.0) {
                return Err("M: translation is coupled".into());
            }
        }
        let momentum = &momentum[start..start + n];
        bodies.push(read_body(&full, momentum, freedoms)?);
    }
    Ok(bodies)
}

fn read_body(
    full: &[[Double; 6]; 6],
    momentum: &[Double],
    freedoms: &[usize],
) -> Result<BodyBlock, String> {
    let moves = |k: usize| freedoms.contains(&k);
    let inverse = |k: usize| if moves(k) { 1.0 / full[k][k] } else { 0.0 };
    let planar = freedoms.len() == 3;
    let block = [full[3][3], full[4][4], full[5][5], full[3][4], full[3][5], full[4][5]];
    let (inertia, inverse_inertia) = if planar {
        ([1.0, 1.0, block[2], 0.0, 0.0, 0.0], [0.0, 0.0, 1.0 / block[2], 0.0, 0.0, 0.0])
    } else {
        (block, invert_symmetric(&block).ok_or("M: singular inertia")?)
    };
    let mut impulse = [0.0; 6];
    for (k, freedom) in freedoms.iter().enumerate() {
        impulse[*freedom] = momentum[k];
    }
    let [xx, yy, zz, xy, xz, yz] = inverse_inertia;
    let [p, q, r] = [impulse[3], impulse[4], impulse[5]];
    let inverse_mass = [inverse(0), inverse(1), inverse(2)];
    Ok(BodyBlock {
        mass: [0, 1, 2].map(|k| if moves(k) { full[k][k] } else { 1.0 }),
        inertia,
        inverse_mass,
        inverse_inertia,
        velocity_free: [
            impulse[0] * inverse_mass[0],
            impulse[1] * inverse_mass[1],
            impulse[2] * inverse_mass[2],
            xx * p + xy * q + xz * r,
            xy * p + yy * q + yz * r,
            xz * p + yz * q + zz * r,
        ],
    })
}

fn invert_symmetric(m: &[Double; 6]) -> Option<[Double; 6]> {
    let [xx, yy, zz, xy, xz, yz] = *m;
    let (cx, cy, cz) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let determinant = xx * cx + xy * cy + xz * cz;
    if determinant <= 0.0 {
        return None;
    }
    let s = 1.0 / determinant;
    let (dy, dz) = (xx * zz - xz * xz, xx * yy - xy * xy);
    Some([cx * s, dy * s, dz * s, cy * s, cz * s, (xy * xz - xx * yz) * s])
}

fn read_contacts(
    value: &Value,
    directions: u32,
    n_bodies: usize,
    freedoms: &[usize],
) -> Result<Vec<ContactRow>, String> {
    let normals = matrix(field(value, "N")?, "N")?;
    let friction = vector(field(value, "mu")?, "mu")?;
    let bias = vector(field(value, "Delta")?, "Delta")?;
    let tangents = field(value, "D")?.as_array().ok_or("D: no array")?;
    let mut contacts = Vec::new();
    for (c, list) in tangents.iter().enumerate() {
        let normal = column(&normals, c).ok_or("N: too few columns")?;
        let list = matrix(list, "D")?;
        let first = column(&list, 0).ok_or("D: no columns")?;
        let mut second = vec![0.0; first.len()];
        if directions > 2 {
            // d_1 = cos(2π/m) t_1 + sin(2π/m) t_2.
            let next = column(&list, 1).ok_or("D: too few columns")?;
            let angle = 2.0 * orthant::math::PI_DOUBLE / Double::from(directions);
            let (sine, cosine) = orthant::math::sin_cos_double(angle);
            let cosine = if directions == 4 { 0.0 } else { cosine };
            for (s, (d, t)) in second.iter_mut().zip(next.iter().zip(&first)) {
                *s = (d - cosine * t) / sine;
            }
        }
        let mut row = ContactRow {
            a: FIXED,
            b: FIXED,
            jacobian_a: [[0.0; 6]; 3],
            jacobian_b: [[0.0; 6]; 3],
            bias: [*bias.get(c).ok_or("Delta: too short")?, 0.0, 0.0],
            friction: *friction.get(c).ok_or("mu: too short")?,
        };
        let rows = [normal, first, second];
        for body in 0..n_bodies {
            let mut part = [[0.0; 6]; 3];
            for (i, list) in rows.iter().enumerate() {
                part[i] = six(list, body, freedoms).ok_or("N, D: too few rows")?;
            }
            if part.iter().flatten().all(|x| *x == 0.0) {
                continue;
            }
            if row.a == FIXED {
                (row.a, row.jacobian_a) = (body as u32, part);
            } else if row.b == FIXED {
                (row.b, row.jacobian_b) = (body as u32, part);
            } else {
                return Err(format!("N, D: contact {c} touches three bodies"));
            }
        }
        contacts.push(row);
    }
    Ok(contacts)
}

fn read_joints(
    value: &Value,
    n_bodies: usize,
    freedoms: &[usize],
) -> Result<Vec<JointRow>, String> {
    let columns = matrix(field(value, "nu")?, "nu")?;
    let bias = vector(field(value, "Upsilon")?, "Upsilon")?;
    let mut joints = Vec::new();
    for (j, bias) in bias.iter().enumerate() {
        let list = column(&columns, j).ok_or("nu: too few columns")?;
        let mut row = JointRow::equality(Default::default(), *bias);
        for body in 0..n_bodies {
            let part = six(&list, body, freedoms).ok_or("nu: too few rows")?;
            if part.iter().any(|x| *x != 0.0) {
                row.terms.push((body as u32, part));
            }
        }
        joints.push(row);
    }
    Ok(joints)
}

/// The part of a column that belongs to a body, as six components.
fn six(list: &[Double], body: usize, freedoms: &[usize]) -> Option<Vec6> {
    let mut out = [0.0; 6];
    for (k, freedom) in freedoms.iter().enumerate() {
        out[*freedom] = *list.get(body * freedoms.len() + k)?;
    }
    Some(out)
}

fn field<'a>(value: &'a Value, key: &str) -> Result<&'a Value, String> {
    value.get(key).ok_or_else(|| format!("{key}: missing"))
}

fn unsigned(value: &Value, key: &str) -> Result<u64, String> {
    field(value, key)?.as_u64().ok_or_else(|| format!("{key}: no whole number"))
}

fn vector(value: &Value, key: &str) -> Result<Vec<Double>, String> {
    let list = value.as_array().ok_or_else(|| format!("{key}: no array"))?;
    list.iter().map(|x| x.as_f64().ok_or_else(|| format!("{key}: no number"))).collect()
}

/// A matrix as a list of rows.
fn matrix(value: &Value, key: &str) -> Result<Vec<Vec<Double>>, String> {
    let list = value.as_array().ok_or_else(|| format!("{key}: no array"))?;
    list.iter().map(|row| vector(row, key)).collect()
}

fn column(rows: &[Vec<Double>], c: usize) -> Option<Vec<Double>> {
    rows.iter().map(|row| row.get(c).copied()).collect()
}
