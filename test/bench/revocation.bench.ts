// Revokes through one of two replicas on a real control plane: time of the answer, and whether the next request is allowed on any replica.
// The second replica is behind a proxy that cuts its watches, delays them for 30 s, or refuses its requests. Goal: no request is allowed
// after the answer.
//
//   make bench BENCH=revocation
//   node test/bench/revocation.bench.ts [--tries=1000] [--fault-tries=40]

import process from 'node:process';
import { parseArgs } from 'node:util';
import { summaryOf } from '../controlplane/revocation-summary.ts';
import { FAULTS, RevocationWorld } from '../controlplane/revocation-world.ts';
import { TestFixture } from '../e2e/processes.ts';

const { values } = parseArgs({
  options: { tries: { type: 'string', default: '1000' }, 'fault-tries': { type: 'string', default: '40' } },
});
/** Revokes at the same time: with a fault, one wait of up to ten seconds serves all of them. */
const LANES = { healthy: 8, fault: 20 };

const fixture = new TestFixture();
try {
  const world = await RevocationWorld.start(fixture);
  for (const fault of FAULTS) {
    const isHealthy = fault === 'healthy';
    const count = Number(isHealthy ? values.tries : values['fault-tries']);
    const tries = await world.tries(count, fault, isHealthy ? LANES.healthy : LANES.fault);
    const summary = summaryOf(fault, tries);
    process.stdout.write(`${JSON.stringify(summary)}\n`);
    if (summary.violations > 0) process.exitCode = 1;
  }
} finally {
  await fixture.tearDown();
}
