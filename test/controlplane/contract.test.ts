// The contract suite on a real API server and on the embedded one, side by side: the same requests, the same assertions. The
// real one is right; a rule that either does not keep fails here.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ALL_CASES } from '../contract/http/all-cases.ts';
import { startEmbeddedTarget, type EmbeddedTarget } from '../contract/http/embedded-target.ts';
import type { ContractCase } from '../contract/http/contract-case.ts';
import { ContractRun } from '../contract/http/run-cases.ts';
import type { ApiTarget } from '../contract/http/raw-client.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { RealCluster } from './real-cluster.ts';

/** Cases at once on each server: enough that waiting for one server's controllers costs little time. */
const CONCURRENCY = 6;
/** Fewer would not be the contract that is promised. */
const CASES_AT_LEAST = 250;

const SERVERS = ['embedded', 'real'] as const;
type Server = (typeof SERVERS)[number];

/** Why each case failed, by server; nothing for one that is kept. */
const failures: Readonly<Record<Server, Map<ContractCase, unknown>>> = { embedded: new Map(), real: new Map() };
let cluster: RealCluster;
let embedded: EmbeddedTarget;

beforeAll(async () => {
  embedded = await startEmbeddedTarget();
  cluster = await RealCluster.start({ name: 'contract', nodes: 3 });
  const real = await administratorOf(cluster);
  await Promise.all([runAll('real', real), runAll('embedded', embedded.target)]);
}, HANG_TEST_MS);

afterAll(async () => {
  // Whatever did not come up, or went wrong inside: the real one must not stay.
  try {
    await (embedded as EmbeddedTarget | undefined)?.close();
  } finally {
    await (cluster as RealCluster | undefined)?.stop();
  }
});

/** A ServiceAccount that may do everything: bearer tokens are what both servers know. */
async function administratorOf(real: RealCluster): Promise<ApiTarget> {
  const subject = { kind: 'ServiceAccount', namespace: 'kube-system', name: 'contract' };
  await real.kubectl('create', 'serviceaccount', subject.name, '--namespace', subject.namespace);
  await real.kubectl(
    'create',
    'clusterrolebinding',
    'contract',
    '--clusterrole=cluster-admin',
    `--serviceaccount=${subject.namespace}:${subject.name}`,
  );
  const token = await real.tokenFor(subject.namespace, subject.name);
  return { name: 'real', baseUrl: real.server, ca: real.caCertificate, token };
}

async function runAll(server: Server, target: ApiTarget): Promise<void> {
  const contract = new ContractRun(target);
  const waiting = [...ALL_CASES];
  const worker = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      try {
        await contract.run(each);
      } catch (err) {
        failures[server].set(each, err);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  contract.end();
}

function table(): string {
  const mark = (server: Server, each: ContractCase): string => (failures[server].has(each) ? 'FAILED' : 'ok').padEnd(8);
  const rows = ALL_CASES.map((each) => `  ${mark('embedded', each)}  ${mark('real', each)}  ${each.area}: ${each.name}`);
  const kept = (server: Server): string => `${ALL_CASES.length - failures[server].size}/${ALL_CASES.length}`.padEnd(8);
  return ['', '  embedded  real      rule', ...rows, `  ${kept('embedded')}  ${kept('real')}  ${ALL_CASES.length} cases`, ''].join('\n');
}

describe('the contract over HTTP', () => {
  test('holds as many rules as are promised, each under a name of its own', () => {
    process.stdout.write(`${table()}\n`);
    expect(ALL_CASES.length).toBeGreaterThanOrEqual(CASES_AT_LEAST);
    expect(new Set(ALL_CASES.map(({ area, name }) => `${area}: ${name}`)).size).toBe(ALL_CASES.length);
  });

  describe.each(SERVERS)('on the %s server', (server) => {
    test.each(ALL_CASES.map((each) => [`${each.area}: ${each.name}`, each] as const))('%s', (_, each) => {
      if (failures[server].has(each)) throw failures[server].get(each);
    });
  });
});
