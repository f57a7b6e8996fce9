"""Four planets and the sun under their gravity: float arithmetic and attributes in loops."""


class Body:
    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass


def bodies():
    return [Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47841760435743),
            Body(4.84, -1.16, -0.10, 0.6063, 2.8120, -0.0252, 0.0376936),
            Body(8.34, 4.12, -0.40, -1.0107, 1.8256, 0.0084, 0.0112863),
            Body(12.89, -15.11, -0.22, 1.0827, 0.8687, -0.0108, 0.0017237),
            Body(15.37, -25.91, 0.17, 0.9790, 0.5947, -0.0347, 0.0020336)]


def advance(system, dt, steps):
    for _ in range(steps):
        for i in range(len(system)):
            a = system[i]
            for k in range(i + 1, len(system)):
                b = system[k]
                dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
                force = dt / ((dx * dx + dy * dy + dz * dz) ** 1.5)
                a.vx -= dx * b.mass * force
                a.vy -= dy * b.mass * force
                a.vz -= dz * b.mass * force
                b.vx += dx * a.mass * force
                b.vy += dy * a.mass * force
                b.vz += dz * a.mass * force
        for a in system:
            a.x += dt * a.vx
            a.y += dt * a.vy
            a.z += dt * a.vz


def run():
    system = bodies()
    advance(system, 0.01, 2000)
    return system[0].x
