// Endpoints of the kubelets of kwok nodes: HTTPS at each node's address, with callers authenticated and authorized by the API server as a
// real kubelet does. kwok provides the usage. The program is independent of Evenkeel.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { HttpTransport } from '../../../src/adapters/kubernetes/transport/http-transport.ts';
import { resolveKubeConfig } from '../../../src/adapters/kubernetes/transport/kube-config.ts';
import { NO_METRICS } from '../../../src/runtime/metrics.ts';
import { SeededRandom } from '../../../src/runtime/random.ts';
import { SystemTimer } from '../../../src/runtime/system-clock.ts';
import { CallerReview } from './caller-review.ts';
import { KubeletPages } from './kubelet-pages.ts';
import { KubeletServers } from './kubelet-servers.ts';
import { followNodes } from './follow-nodes.ts';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string', default: '' },
    'ca-certificate': { type: 'string', default: '' },
    'ca-key': { type: 'string', default: '' },
    port: { type: 'string', default: '' },
    kwok: { type: 'string', default: '' },
  },
});

const timer = new SystemTimer();
const connection = await resolveKubeConfig({ path: values.kubeconfig, timer });
const random = new SeededRandom(process.pid);
const transport = new HttpTransport({ connection, timer, random, metrics: NO_METRICS, userAgent: 'kubelets', qps: 500, burst: 1000 });
const stop = new AbortController();
const servers = new KubeletServers({
  authority: { certificate: readFileSync(values['ca-certificate'], 'utf8'), key: readFileSync(values['ca-key'], 'utf8') },
  port: Number(values.port),
  review: new CallerReview(transport),
  pages: new KubeletPages({ transport, kwok: values.kwok }),
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());

console.log('kubelets: watching the nodes');
await followNodes(transport, servers, stop.signal);
servers.close();
process.exit(0);
