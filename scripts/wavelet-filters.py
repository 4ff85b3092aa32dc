"""The low-pass filter of the orthonormal Symlet with 8 vanishing moments, by spectral factorisation (Daubechies 1992, §6.4, §8.1).

|H(ω)|² = 2 cos¹⁶(ω/2) P(sin²(ω/2)),  P(y) = Σ_k C(7+k, k) y^k

Each root y of P gives a pair z, 1/z with y = (2 − z − 1/z)/4; a filter takes one of each, with its conjugate. Of all real choices the
Symlet has the phase nearest to a straight line. Prints the coefficients that src/wavelets/filters.ts holds; needs mpmath.
"""

from itertools import product
from mpmath import arg, binomial, exp, mp, mpc, mpf, nstr, pi, polyroots, sqrt

mp.dps = 60
moments = 8


def polynomial(roots):
    coefficients = [mpc(1)]
    for root in roots:
        shifted = [mpc(0)] + [root * c for c in coefficients]
        coefficients = [a - b for a, b in zip(coefficients + [mpc(0)], shifted)]
    return coefficients


def groups():
    """Roots inside the unit circle: real ones alone, others with their conjugate."""
    descending = [binomial(moments - 1 + k, k) for k in range(moments)][::-1]
    found = []
    for y in polyroots(descending, maxsteps=500, extraprec=400):
        if y.imag < -mpf(10) ** -30:
            continue
        z = 1 - 2 * y + sqrt((1 - 2 * y) ** 2 - 1)
        z = z if abs(z) < 1 else 1 / z
        found.append([z.real] if abs(y.imag) < mpf(10) ** -30 else [z, z.conjugate()])
    return found


def filter_of(choice, pairs, zeros=moments):
    roots = [-1] * zeros
    for outside, pair in zip(choice, pairs):
        roots += [1 / z if outside else z for z in pair]
    coefficients = [c.real for c in polynomial(roots)]
    return [c * sqrt(2) / sum(coefficients) for c in coefficients]


def bend(h, points=200):
    """Sum of the squared distances of the phase, without the zeros at ω = π, from the line between its ends."""
    phases, last = [], mpf(0)
    for k in range(points + 1):
        omega = pi * k / points
        value = sum(c * exp(-1j * omega * i) for i, c in enumerate(h))
        phase = arg(value)
        phase += 2 * pi * round(float((last - phase) / (2 * pi)))
        last = phase
        phases.append(phase)
    return sum((phase - phases[-1] * k / points) ** 2 for k, phase in enumerate(phases))


pairs = groups()
choices = [(0, *rest) for rest in product((0, 1), repeat=len(pairs) - 1)]
ranked = sorted((bend(filter_of(choice, pairs, zeros=0)), choice) for choice in choices)
symlet = filter_of(ranked[0][1], pairs)
worst = max(
    abs(sum(symlet[i] * symlet[i + 2 * k] for i in range(16 - 2 * k)) - (k == 0)) for k in range(8)
)
print("bends", [nstr(value, 5) for value, _ in ranked])
print("not orthonormal by", nstr(worst, 3))
for coefficient in symlet:
    print(repr(float(coefficient)))
