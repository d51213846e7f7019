// A kubelet's HTTP probe: asks again and again, and tells when the verdict turns.

import http from 'node:http';
import type { Container, Probe } from './pod-wire.ts';

const DEFAULTS = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3, successThreshold: 1 } as const;

/** In place of a readiness probe's own delay and period until its first success, which no test is to wait for. */
const UNTIL_READY_MS = 250;

export function watchReadiness(container: Container, probe: Probe, address: string, turned: (healthy: boolean) => void): () => void {
  return watchProbe(container, probe, address, turned, UNTIL_READY_MS);
}

/** Calls `turned` with each new verdict until the cancel is called. */
export function watchProbe(
  container: Container,
  probe: Probe,
  address: string,
  turned: (healthy: boolean, why: string) => void,
  untilHealthyMs?: number,
): () => void {
  const { initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold, successThreshold } = { ...DEFAULTS, ...probe };
  const port = portOf(container, probe);
  const path = probe.httpGet?.path ?? '/';
  let healthy: boolean | null = null;
  let inRow = 0;
  let last: boolean | null = null;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const look = async (): Promise<void> => {
    const { ok, why } = await ask(address, port, path, timeoutSeconds * 1000);
    if (stopped) return;
    inRow = ok === last ? inRow + 1 : 1;
    last = ok;
    if (ok !== healthy && inRow >= (ok ? successThreshold : failureThreshold)) {
      healthy = ok;
      turned(ok, why);
    }
    timer = setTimeout(() => void look(), (healthy === true ? undefined : untilHealthyMs) ?? periodSeconds * 1000);
  };
  timer = setTimeout(() => void look(), untilHealthyMs ?? initialDelaySeconds * 1000);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function portOf({ name, ports = [] }: Container, { httpGet }: Probe): number {
  if (httpGet === undefined) throw new Error(`container ${name}: the pod runner knows probes by httpGet alone`);
  if (typeof httpGet.port === 'number') return httpGet.port;
  const found = ports.find((each) => each.name === httpGet.port);
  if (found === undefined) throw new Error(`container ${name}: its probe names port ${httpGet.port}, which it does not have`);
  return found.containerPort;
}

function ask(host: string, port: number, path: string, timeoutMs: number): Promise<{ readonly ok: boolean; readonly why: string }> {
  return new Promise((resolve) => {
    const sent = http.get({ host, port, path, timeout: timeoutMs, agent: false }, (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 0;
      resolve({ ok: status >= 200 && status < 400, why: `HTTP probe answered with status ${status}` });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    sent.on('error', (err) => resolve({ ok: false, why: err.message }));
  });
}
