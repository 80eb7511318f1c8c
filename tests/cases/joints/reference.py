"""Motion of mechanisms in minimal coordinates: no joints, no constraints, nothing of the engine.

Each mechanism has one or two angles q, kinetic energy v(q)' M(q) v(q) / 2 and a potential V(q); Lagrange's
equations are integrated by the classical Runge-Kutta method with 2 000 steps a second, derivatives of M and V by
central differences. Writes reference.json: for each mechanism the centers of its bodies at the end (m).

    python3 reference.py
"""

import json
import os
from math import cos, sin, hypot, atan2, acos, pi

G = 9.81
STEPS_PER_SECOND = 2_000
TIME = 2.0


def simulate(places, inertias, q, time):
    """places(q): (x, y, angle) of each body; inertias: (m, I) of each. Returns places at the end."""
    n = len(q)
    eps = 1e-5

    def gradient(q):
        """d places / d q by central differences."""
        rows = []
        for k in range(n):
            up = [x + eps * (i == k) for i, x in enumerate(q)]
            down = [x - eps * (i == k) for i, x in enumerate(q)]
            rows.append([[(a - b) / (2 * eps) for a, b in zip(u, d)]
                         for u, d in zip(places(up), places(down))])
        return rows

    def second(q, v):
        """Second derivative of the places along v."""
        e = 1e-4
        up = places([x + e * w for x, w in zip(q, v)])
        mid = places(q)
        down = places([x - e * w for x, w in zip(q, v)])
        return [[(a - 2 * b + c) / e**2 for a, b, c in zip(u, m, d)]
                for u, m, d in zip(up, mid, down)]

    def acceleration(q, v):
        # Gauss: M a = -sum over bodies of gradient . (mass * (second derivative along v) + weight).
        rows = gradient(q)
        bend = second(q, v)
        matrix = [[0.0] * n for _ in range(n)]
        force = [0.0] * n
        for body, (m, i) in enumerate(inertias):
            mass = (m, m, i)
            weight = (0.0, -m * G, 0.0)
            for a in range(n):
                ga = rows[a][body]
                for c in range(3):
                    force[a] += ga[c] * (weight[c] - mass[c] * bend[body][c])
                for b in range(n):
                    matrix[a][b] += sum(ga[c] * mass[c] * rows[b][body][c] for c in range(3))
        if n == 1:
            return [force[0] / matrix[0][0]]
        (p, q_), (_, r) = matrix
        det = p * r - q_ * q_
        return [(force[0] * r - force[1] * q_) / det, (force[1] * p - force[0] * q_) / det]

    h = 1.0 / STEPS_PER_SECOND
    v = [0.0] * n
    for _ in range(round(time * STEPS_PER_SECOND)):
        def shift(x, d, s):
            return [a + s * b for a, b in zip(x, d)]
        k1v, k1 = acceleration(q, v), v
        v2 = shift(v, k1v, h / 2)
        k2v, k2 = acceleration(shift(q, k1, h / 2), v2), v2
        v3 = shift(v, k2v, h / 2)
        k3v, k3 = acceleration(shift(q, k2, h / 2), v3), v3
        v4 = shift(v, k3v, h)
        k4v, k4 = acceleration(shift(q, k3, h), v4), v4
        q = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(q, k1, k2, k3, k4)]
        v = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(v, k1v, k2v, k3v, k4v)]
    return places(q)


def pendulum(q):
    return [(cos(q[0]), sin(q[0]), q[0])]


def double(q):
    a, b = q
    return [(0.5 * cos(a), 0.5 * sin(a), a),
            (cos(a) + 0.5 * cos(b), sin(a) + 0.5 * sin(b), b)]


CRANK, COUPLER, ROCKER, GROUND = 0.5, 2.0, 1.5, 2.0


def four_bar(q):
    a = q[0]
    px, py = CRANK * cos(a), CRANK * sin(a)
    dx, dy = GROUND - px, -py
    d = hypot(dx, dy)
    along = atan2(dy, dx)
    b = along + acos((COUPLER**2 + d * d - ROCKER**2) / (2 * COUPLER * d))
    qx, qy = px + COUPLER * cos(b), py + COUPLER * sin(b)
    c = atan2(qy, qx - GROUND)
    return [(px / 2, py / 2, a), ((px + qx) / 2, (py + qy) / 2, b), ((qx + GROUND) / 2, qy / 2, c)]


TILT = pi / 6


def door():
    """A door about an axis that leans by TILT: a pendulum whose weight is g sin(TILT), angle from the lowest place."""
    m, inertia, reach = 2.0, 0.3, 0.5
    q, v, h = pi / 2, 0.0, 1.0 / STEPS_PER_SECOND
    def acceleration(q):
        return -m * G * sin(TILT) * reach * sin(q) / (inertia + m * reach**2)
    for _ in range(round(TIME * STEPS_PER_SECOND)):
        k1v, k1 = acceleration(q), v
        k2v, k2 = acceleration(q + h / 2 * k1), v + h / 2 * k1v
        k3v, k3 = acceleration(q + h / 2 * k2), v + h / 2 * k2v
        k4v, k4 = acceleration(q + h * k3), v + h * k3v
        q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        v += h / 6 * (k1v + 2 * k2v + 2 * k3v + k4v)
    # Axis y leans towards z: down the slope of the door's plane is the direction z' orthogonal to the axis.
    return [[reach * sin(q), reach * cos(q)]]


def rod(m, length):
    return (m, m * length**2 / 12)


if __name__ == "__main__":
    result = {
        "pendulum": simulate(pendulum, [(1.0, 0.1)], [0.0], TIME),
        "double pendulum": simulate(double, [rod(1.0, 1.0)] * 2, [-pi / 6, -pi / 3], TIME),
        "four-bar": simulate(four_bar, [rod(1.0, CRANK), rod(2.0, COUPLER), rod(1.5, ROCKER)], [pi / 3], TIME),
        "door": door(),
    }
    result = {name: [[round(x, 9) for x in body[:2]] for body in bodies] for name, bodies in result.items()}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json"), "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
