// The contract suite on a real API server and on the embedded one: the same requests and the same assertions. The real server defines the
// contract; a rule that either server breaks fails here.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ALL_CASES } from '../contract/http/all-cases.ts';
import { startEmbeddedTarget, type EmbeddedTarget } from '../contract/http/embedded-target.ts';
import type { ContractCase } from '../contract/http/contract-case.ts';
import { ContractRun } from '../contract/http/run-cases.ts';
import type { ApiTarget } from '../contract/http/raw-client.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { RealCluster } from './real-cluster.ts';

/** Concurrent cases on each server, so that waiting for one server's controllers costs little time. */
const CONCURRENCY = 6;
/** Lower bound of the number of cases, so that none are lost. */
const CASES_AT_LEAST = 250;

const SERVERS = ['embedded', 'real'] as const;
type Server = (typeof SERVERS)[number];

/** Error of each failed case, by server. */
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
  // Cleanup of a cluster that did not start, or failed later: its processes must not remain.
  try {
    await (embedded as EmbeddedTarget | undefined)?.close();
  } finally {
    await (cluster as RealCluster | undefined)?.stop();
  }
});

/** A ServiceAccount with cluster-admin: both servers accept its bearer token. */
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
    for (let contractCase = waiting.shift(); contractCase !== undefined; contractCase = waiting.shift()) {
      try {
        await contract.run(contractCase);
      } catch (err) {
        failures[server].set(contractCase, err);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  contract.end();
}

function table(): string {
  const mark = (server: Server, contractCase: ContractCase): string => (failures[server].has(contractCase) ? 'FAILED' : 'ok').padEnd(8);
  const rows = ALL_CASES.map(
    (contractCase) => `  ${mark('embedded', contractCase)}  ${mark('real', contractCase)}  ${contractCase.area}: ${contractCase.name}`,
  );
  const total = (server: Server): string => `${ALL_CASES.length - failures[server].size}/${ALL_CASES.length}`.padEnd(8);
  return ['', '  embedded  real      rule', ...rows, `  ${total('embedded')}  ${total('real')}  ${ALL_CASES.length} cases`, ''].join('\n');
}

describe('the contract over HTTP', () => {
  test('has at least the documented number of rules, with unique names', () => {
    process.stdout.write(`${table()}\n`);
    expect(ALL_CASES.length).toBeGreaterThanOrEqual(CASES_AT_LEAST);
    expect(new Set(ALL_CASES.map(({ area, name }) => `${area}: ${name}`)).size).toBe(ALL_CASES.length);
  });

  describe.each(SERVERS)('on the %s server', (server) => {
    test.each(ALL_CASES.map((contractCase) => [`${contractCase.area}: ${contractCase.name}`, contractCase] as const))(
      '%s',
      (_, contractCase) => {
        if (failures[server].has(contractCase)) throw failures[server].get(contractCase);
      },
    );
  });
});
