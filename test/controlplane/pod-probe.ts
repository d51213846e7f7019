// A kubelet's HTTP probe: it polls, and reports when the result changes.

import http from 'node:http';
import type { Container, Probe } from './pod-wire.ts';

const DEFAULTS = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3, successThreshold: 1 } as const;

/** Used in place of the delay and period of a readiness probe until its first success, so that tests do not wait. */
const UNTIL_READY_MS = 250;

/** Watches readiness. @returns the cancel function */
export function watchReadiness(container: Container, probe: Probe, address: string, turned: (healthy: boolean) => void): () => void {
  return watchProbe(container, probe, address, turned, UNTIL_READY_MS);
}

/** Calls `turned` with each change of the result until the returned function is called. */
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
  if (httpGet === undefined) throw new Error(`container ${name}: the pod runner supports httpGet probes only`);
  if (typeof httpGet.port === 'number') return httpGet.port;
  const found = ports.find((candidate) => candidate.name === httpGet.port);
  if (found === undefined) throw new Error(`container ${name}: its probe names port ${httpGet.port}, which the container does not have`);
  return found.containerPort;
}

function ask(host: string, port: number, path: string, timeoutMs: number): Promise<{ readonly ok: boolean; readonly why: string }> {
  return new Promise((resolve) => {
    const sent = http.get({ host, port, path, timeout: timeoutMs, agent: false }, (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 0;
      resolve({ ok: status >= 200 && status < 400, why: `HTTP probe failed with statuscode: ${status}` });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    sent.on('error', (err) => resolve({ ok: false, why: err.message }));
  });
}
