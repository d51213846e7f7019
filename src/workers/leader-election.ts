// Worker thread of the leader election: acquires and renews the lease over its own connections.

import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { HttpTransport } from '../adapters/kubernetes/transport/http-transport.ts';
import { openConnection } from '../adapters/kubernetes/transport/open-connection.ts';
import { KubernetesLeaseStore } from '../adapters/kubernetes/write/lease-store.ts';
import { ElectionService } from '../adapters/lease-thread/election-service.ts';
import type { ElectionReply, ElectionRequest, ElectionThreadData } from '../adapters/lease-thread/messages.ts';
import { PostedMetrics } from '../adapters/lease-thread/posted-metrics.ts';
import { postingTransport } from '../adapters/lease-thread/posting-transport.ts';
import { SharedDeadline } from '../adapters/lease-thread/shared-deadline.ts';
import { SeededRandom } from '../runtime/random.ts';
import { SystemTimer } from '../runtime/system-clock.ts';

const STDERR = 2;

const { connection, userAgent, namespace, lease, identity, deadline } = workerData as ElectionThreadData;
const machine = new SystemTimer();
const random = new SeededRandom(randomBytes(4).readUInt32LE());
const post = (reply: ElectionReply): void => parentPort?.postMessage(reply);
const timestamp = (): string => new Date().toISOString();
const transport = new HttpTransport({
  connection: openConnection(connection, machine),
  timer: machine,
  random,
  metrics: new PostedMetrics(post),
  userAgent,
  maxSockets: 2,
});
const service = new ElectionService({
  post,
  store: new KubernetesLeaseStore(postingTransport(transport, post), { namespace, name: lease }),
  identity,
  machine,
  random,
  deadline: new SharedDeadline(deadline),
  timestamp,
  print: printError,
});
parentPort?.on('message', (request: ElectionRequest) => service.handle(request));
await service.run();

/** Not through `process.stderr`, which waits for the main thread. */
function printError(message: string): void {
  try {
    writeSync(STDERR, `${JSON.stringify({ time: timestamp(), level: 'error', message })}\n`);
  } catch {
    // No reader of the log, or it is behind: the election continues.
  }
}
