// The played API server as a process of the scale bench.

import process from 'node:process';
import { planCluster } from './cluster-plan.ts';
import { Load } from './load.ts';
import { type ApiServerConfiguration, type FromApiServer, machineMs, type ToApiServer } from './messages.ts';
import { PlayedApiServer } from './api-server.ts';
import { type PodChange, PlayedCluster } from './cluster.ts';
import { Versions } from './resource-store.ts';

const REPORT_PODS_EVERY_MS = 500;
/** Everything is right-sized by one policy; the fields are those that the API server would default. */
const POLICY = {
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'PodResizePolicy',
  metadata: { name: 'everything' },
  spec: { mode: 'Auto', pace: 'Daily', goal: 'Balanced', apply: 'InPlace', cpu: {}, memory: {} },
};

interface Running {
  readonly cluster: PlayedCluster;
  readonly server: PlayedApiServer;
  readonly load: Load;
}

let running: Running | null = null;

process.on('message', (message: ToApiServer) => void take(message));
process.once('disconnect', () => process.exit(0));

async function take(message: ToApiServer): Promise<void> {
  if (message.type === 'configure') {
    running = start(message.configuration);
    send({ type: 'listening', port: await running.server.listen() });
    return;
  }
  if (running === null) throw new Error('the played API server is not configured');
  const { cluster, server, load } = running;
  if (message.type === 'load') {
    if (message.on) load.start();
    else load.stop();
  } else if (message.type === 'mark') {
    send({ type: 'marked', node: cluster.mark(message.index, message.mark), atMs: machineMs() });
  } else {
    const { longestRenewalGapMs } = server;
    send({ type: 'counts', counts: server.counts.read(), events: load.events, objects: objectCounts(running), longestRenewalGapMs });
  }
}

function start({ nodes, withPods, tls, credentials }: ApiServerConfiguration): Running {
  const versions = new Versions();
  const cluster = new PlayedCluster(planCluster(nodes), versions, withPods);
  const changes: PodChange[] = [];
  cluster.onPodChange = (change) => changes.push(change);
  setInterval(() => {
    if (changes.length > 0) send({ type: 'pods', changes: changes.splice(0) });
  }, REPORT_PODS_EVERY_MS);
  const server = new PlayedApiServer(cluster, versions, tls, credentials);
  server.objects.create('podresizepolicies.evenkeel.io', POLICY);
  return { cluster, server, load: new Load(cluster) };
}

function objectCounts({ cluster, server }: Running): Readonly<Record<string, number>> {
  const { pods, nodes, replicaSets } = cluster.stores;
  const recommendations = server.objects.stores.get('recommendations.evenkeel.io')?.size ?? 0;
  return { pods: pods.size, nodes: nodes.size, replicaSets: replicaSets.size, workloads: cluster.workloads.length, recommendations };
}

function send(message: FromApiServer): void {
  process.send?.(message);
}
