// The official Python client of Kubernetes decodes what the embedded API server answers, and what a real one does. Its models are
// strict: a required field that is missing or null is an error.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { BUILT_IN_RESOURCES } from '#embedded-cluster/api/resources/descriptors';
import { startEmbeddedTarget, type EmbeddedTarget } from '../contract/http/embedded-target.ts';
import { RawClient, type ApiTarget, type Json } from '../contract/http/raw-client.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { decodeAnswers, describePythonClient, type DecodedAnswers } from './python-client/python-client.ts';
import { RealCluster } from './real-cluster.ts';

const SERVERS = ['embedded', 'real'] as const;
type Server = (typeof SERVERS)[number];

/** The client has no models of the metrics API, which is not part of Kubernetes. */
const RESOURCES = BUILT_IN_RESOURCES.filter(({ group }) => group !== 'metrics.k8s.io');
const OBJECTS = parseAllDocuments(readFileSync(join(import.meta.dirname, 'python-client', 'every-kind.yaml'), 'utf8')).map(
  (document) => document.toJS() as object,
);

/** An Event that was written through core/v1 has no eventTime. Kubernetes answers null in events.k8s.io, where its own model requires it. */
const FAULTS_OF_THE_CLIENT = ['events.k8s.io/v1 Event', 'events.k8s.io/v1 EventList'].map((answer) => ({
  answer,
  fault: 'Invalid value for `event_time`, must not be `None`',
}));

describePythonClient('the official Python client', () => {
  let cluster: RealCluster;
  let embedded: EmbeddedTarget;
  let folder: string;
  const answers = new Map<Server, DecodedAnswers>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-python-'));
    embedded = await startEmbeddedTarget();
    cluster = await RealCluster.start({ name: 'python', nodes: 3 });
    const real = await administratorOf(cluster);
    await Promise.all([decodeAll('real', real), decodeAll('embedded', embedded.target)]);
  }, HANG_TEST_MS);

  afterAll(async () => {
    try {
      await (embedded as EmbeddedTarget | undefined)?.close();
    } finally {
      await (cluster as RealCluster | undefined)?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  async function decodeAll(server: Server, target: ApiTarget): Promise<void> {
    const ca = join(folder, `${server}.pem`);
    writeFileSync(ca, target.ca);
    const request = { server: target.baseUrl, ca, token: target.token, resources: RESOURCES, objects: OBJECTS };
    const created = await decodeAnswers('create', request);
    await controllersHaveWritten(target);
    const read = await decodeAnswers('read', request);
    answers.set(server, {
      decoded: [...new Set([...created.decoded, ...read.decoded])],
      faults: [...created.faults, ...read.faults],
    });
  }

  describe.each(SERVERS)('on the %s server', (server) => {
    test('decodes every answer', () => {
      expect(answers.get(server)?.faults).toEqual(FAULTS_OF_THE_CLIENT);
    });

    test('has decoded every kind and every list', () => {
      const kinds = RESOURCES.flatMap(({ group, version, kind, listKind, verbs }) =>
        [kind, ...(verbs.includes('list') ? [listKind] : [])].map((each) => `${group === '' ? '' : `${group}/`}${version} ${each}`),
      );
      const undecoded = kinds.filter((kind) => answers.get(server)?.decoded.includes(kind) !== true);
      expect(undecoded).toEqual(['events.k8s.io/v1 EventList']);
    });
  });
});

async function administratorOf(real: RealCluster): Promise<ApiTarget> {
  const account = { namespace: 'kube-system', name: 'python-client' };
  await real.kubectl('create', 'serviceaccount', account.name, '--namespace', account.namespace);
  const subject = `--serviceaccount=${account.namespace}:${account.name}`;
  await real.kubectl('create', 'clusterrolebinding', account.name, '--clusterrole=cluster-admin', subject);
  return {
    name: 'real',
    baseUrl: real.server,
    ca: real.caCertificate,
    token: await real.tokenFor(account.namespace, account.name),
  };
}

/** Endpoints that are still empty are null on a real server, which no model of the client takes. */
async function controllersHaveWritten(target: ApiTarget): Promise<void> {
  const client = new RawClient(target);
  const read = async (path: string): Promise<Json> => (await client.get(path)).body;
  await eventually('every controller has written its status: the pods run', HANG_MS, async () => {
    const slices = await read('/apis/discovery.k8s.io/v1/namespaces/python/endpointslices');
    const budget = await read('/apis/policy/v1/namespaces/python/poddisruptionbudgets/python');
    const autoscaler = await read('/apis/autoscaling/v2/namespaces/python/horizontalpodautoscalers/python');
    return (
      slices['items'].every((slice: { endpoints: unknown[] | null }) => (slice.endpoints ?? []).length > 0) &&
      budget['status'].currentHealthy === 1 &&
      autoscaler['status'].conditions?.length > 0
    );
  });
  client.close();
}
