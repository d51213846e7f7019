// The kubelets of the played cluster as a process of the scale bench: one listener per node, all on the same port.

import { createServer, type Server as HttpsServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createListener } from 'node:net';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { BLOCK, nodeAddress, nodeOfAddress, planCluster } from './cluster-plan.ts';
import { counterFamilies, OTHER_COUNTERS, resourcePage, summaryPage } from './pages.ts';
import { KubeletPods } from './kubelet-pods.ts';
import type { FromKubelets, KubeletsConfiguration, ToKubelets } from './messages.ts';
import { RequestCounts } from './request-counts.ts';

/** As kubelets close idle connections. */
const IDLE_MS = 90_000;

const counts = new RequestCounts();
let pods: KubeletPods | null = null;

process.on('message', (message: ToKubelets) => {
  if (message.type === 'configure') void start(message.configuration).then(() => send({ type: 'listening' }));
  else if (message.type === 'pods') for (const change of message.changes) pods?.take(change);
  else send({ type: 'counts', counts: counts.read() });
});
process.once('disconnect', () => process.exit(0));

async function start({ nodes, port, token, certificates }: KubeletsConfiguration): Promise<void> {
  const running = new KubeletPods(planCluster(nodes));
  pods = running;
  const servers = certificates.map((certificate) => {
    const server = createServer(certificate, (request, response) => answer(running, token, request, response));
    server.keepAliveTimeout = IDLE_MS;
    return server;
  });
  for (let node = 0; node < nodes; node++) {
    const server = servers[Math.floor(node / BLOCK)];
    if (server === undefined) throw new Error(`no certificate for node ${node}`);
    await listen(server, nodeAddress(node), port);
  }
}

/** A listener without TLS hands its connections to the server of its block, so that addresses share a certificate's context. */
function listen(server: HttpsServer, address: string, port: number): Promise<void> {
  const listener = createListener((socket) => void server.emit('connection', socket));
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, address, resolve);
  });
}

function answer(running: KubeletPods, token: string, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/';
  counts.add(path);
  if (request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401).end('Unauthorized');
    return;
  }
  const node = nodeOfAddress(request.socket.localAddress ?? '');
  const now = Date.now();
  if (path === '/metrics/resource') respond(response, 'text/plain; version=0.0.4; charset=utf-8', resourcePage(running.on(node), now));
  else if (path === '/stats/summary') respond(response, 'application/json', summaryPage(node, running.on(node), now));
  else if (path === '/metrics/cadvisor')
    respondCounters(response, counterFamilies(running.on(node), now), request.headers['accept-encoding'] === 'gzip');
  else response.writeHead(404).end('404 page not found');
}

function respond(response: ServerResponse, contentType: string, text: string): void {
  response.writeHead(200, { 'content-type': contentType });
  response.end(text);
}

/** A gzip stream may have several members, so that only what changes is compressed for each answer. */
function respondCounters(response: ServerResponse, text: string, isCompressed: boolean): void {
  const contentType = 'text/plain; version=0.0.4; charset=utf-8';
  if (!isCompressed) {
    respond(response, contentType, text + OTHER_COUNTERS.text);
    return;
  }
  response.writeHead(200, { 'content-type': contentType, 'content-encoding': 'gzip' });
  response.write(gzipSync(text, { level: 1 }));
  response.end(OTHER_COUNTERS.gzip);
}

function send(message: FromKubelets): void {
  process.send?.(message);
}
