// Requests of an attacker with a stolen token. Their user agent distinguishes them in the audit log from those of the program.

import { HttpTransport } from '../../src/adapters/kubernetes/transport/http-transport.ts';
import { resolveKubeConfig } from '../../src/adapters/kubernetes/transport/kube-config.ts';
import type { ApiRequest, ApiResponse } from '#kube/api-transport';
import { PrometheusMetrics } from '../../src/runtime/metrics.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { seededRandom } from '../fakes/seeded-random.ts';

/** User agent of such requests. */
export const STOLEN = 'stolen';

/** A transport with the stolen token. @param kubeconfig path of a kubeconfig with the token */
export async function transportWithStolen(kubeconfig: string): Promise<HttpTransport> {
  const timer = new SystemTimer();
  const connection = await resolveKubeConfig({ path: kubeconfig, timer });
  return new HttpTransport({ connection, timer, random: seededRandom(1), metrics: new PrometheusMetrics(), userAgent: STOLEN });
}

export async function requestWithStolen(kubeconfig: string, request: ApiRequest): Promise<ApiResponse> {
  const stolen = await transportWithStolen(kubeconfig);
  try {
    return await stolen.request(request);
  } finally {
    stolen.close();
  }
}
