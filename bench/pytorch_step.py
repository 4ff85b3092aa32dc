"""The same gradient step as a user of PyTorch would write it: slogdet under automatic differentiation.

Usage: pytorch_step.py THREADS SECONDS NAME:FORM:N:BATCH [...]
Prints one JSON object: samples per second of the best round by name, by the clock and of CPU time.
"""
import json
import math
import sys
import time

import torch


def step(x, H, alpha, beta, gamma, epsilon, identity, full):
    z = x @ H.T
    if full:
        u = z.abs()[:, None, :] ** alpha
        D = beta + (gamma * u).sum(-1)
        M = (epsilon[:, None] * alpha * gamma) * u / D[:, :, None]
    else:
        u = z.abs() ** alpha
        D = beta + u @ gamma.T
        M = (epsilon / D)[:, :, None] * gamma * (alpha * u)[:, None, :]
    y = z / D**epsilon
    log_det = (
        -(epsilon * D.log()).sum(1)
        + torch.linalg.slogdet(identity - M)[1]
        + torch.linalg.slogdet(H)[1]
    )
    loss = (0.5 * (y * y).sum(1) - log_det).mean()
    return torch.autograd.grad(loss, [H, alpha, beta, gamma, epsilon])


def best_rates(problem, seconds):
    _, form, n, batch = problem.split(":")
    n, batch, full = int(n), int(batch), form == "general"
    torch.manual_seed(1)
    identity = torch.eye(n)
    H = (identity + 0.1 * torch.randn(n, n) / math.sqrt(n)).requires_grad_()
    alpha = (1.5 + 0.1 * torch.rand((n, n) if full else (n,))).requires_grad_()
    beta = torch.ones(n).requires_grad_()
    gamma = (0.5 * identity + 0.01 * torch.rand(n, n)).requires_grad_()
    epsilon = torch.full((n,), 0.45).requires_grad_()
    x = torch.randn(batch, n)
    arguments = (x, H, alpha, beta, gamma, epsilon, identity, full)
    step(*arguments)
    best, best_of_cpu = 0.0, 0.0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start, cpu_start = time.perf_counter(), time.process_time()
        repetitions = 0
        while time.perf_counter() - start < 0.15:
            step(*arguments)
            repetitions += 1
        best = max(best, repetitions * batch / (time.perf_counter() - start))
        best_of_cpu = max(best_of_cpu, repetitions * batch / (time.process_time() - cpu_start))
    return best, best_of_cpu


torch.set_num_threads(int(sys.argv[1]))
rates = {p.split(":")[0]: best_rates(p, float(sys.argv[2])) for p in sys.argv[3:]}
answer = {
    "torch": torch.__version__,
    "samplesPerSecond": {name: rate for name, (rate, _) in rates.items()},
    "samplesPerCpuSecond": {name: rate for name, (_, rate) in rates.items()},
}
print(json.dumps(answer))
