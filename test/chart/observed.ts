// What a program was seen to ask of the API server, from the metrics that it keeps of its own requests.

import type { Permission } from '../../src/adapters/kubernetes/permissions.ts';
import { requestsOf, type BY_DEFAULT } from './rules.ts';

/** Discovery and such: what every authenticated user may do, by the roles that every cluster binds to all of them. */
const EVERYBODY = /^(create selfsubject(access|rules)reviews\.authorization\.k8s\.io|\w+ other)$/;

export interface Observed {
  /** `patch pods/resize`, in the words of RBAC. */
  readonly asked: ReadonlySet<string>;
  /** Those that were answered with 403. */
  readonly denied: readonly string[];
}

/** Reads `evenkeel_api_requests_total` from the text of /metrics. */
export function observedIn(metrics: string): Observed {
  const asked = new Set<string>();
  const denied: string[] = [];
  for (const line of metrics.split('\n')) {
    const match = /^evenkeel_api_requests_total\{verb="(\w+)",resource="([^"]+)",code="(\w+)"/.exec(line);
    if (match === null) continue;
    const [, verb = '', resource = '', code = ''] = match;
    const words = verb === 'apply' ? `patch ${resource}` : `${verb} ${resource}`;
    if (code === '403') denied.push(words);
    if (EVERYBODY.test(words)) continue;
    asked.add(words);
    // Server-side apply that makes an object needs the permission to create it, too.
    if (verb === 'apply' && code === '201') asked.add(`create ${resource}`);
  }
  return { asked, denied };
}

/** Where the two differ: asked for and not declared, declared and never asked for. */
export function differences(
  asked: ReadonlySet<string>,
  permissions: readonly Permission[],
  when: typeof BY_DEFAULT,
): { readonly undeclared: readonly string[]; readonly unused: readonly string[] } {
  const declared = requestsOf(permissions, when);
  return {
    undeclared: [...asked].filter((words) => !declared.has(words)).sort(),
    unused: [...declared].filter((words) => !asked.has(words)).sort(),
  };
}
