// Requests of a program to the API server, read from the metrics that it exports about them.

import type { Permission } from '../../src/adapters/kubernetes/access/permissions.ts';
import { requestsOf, type BY_DEFAULT } from './rules.ts';

/** Requests that default cluster roles allow every authenticated user, such as discovery. */
const ALL_USERS = /^(create selfsubject(access|rules)reviews\.authorization\.k8s\.io|\w+ other)$/;

/** Requests of a program, by verb and resource. */
export interface Observed {
  /** Such as `patch pods/resize`, in the terms of RBAC. */
  readonly requested: ReadonlySet<string>;
  /** Requests that were answered with 403. */
  readonly denied: readonly string[];
}

/** Reads `evenkeel_api_requests_total` from the text of /metrics. */
export function observedIn(metrics: string): Observed {
  const requested = new Set<string>();
  const denied: string[] = [];
  for (const line of metrics.split('\n')) {
    const match = /^evenkeel_api_requests_total\{verb="(\w+)",resource="([^"]+)",code="(\w+)"/.exec(line);
    if (match === null) continue;
    const [, verb = '', resource = '', code = ''] = match;
    const request = verb === 'apply' ? `patch ${resource}` : `${verb} ${resource}`;
    if (code === '403') denied.push(request);
    if (ALL_USERS.test(request)) continue;
    requested.add(request);
    // Server-side apply that creates an object also needs the `create` permission.
    if (verb === 'apply' && code === '201') requested.add(`create ${resource}`);
  }
  return { requested, denied };
}

/** Differences between requests and permissions: undeclared requests, and declared permissions without a request. */
export function differences(
  requested: ReadonlySet<string>,
  permissions: readonly Permission[],
  when: typeof BY_DEFAULT,
): { readonly undeclared: readonly string[]; readonly unused: readonly string[] } {
  const declared = requestsOf(permissions, when);
  return {
    undeclared: [...requested].filter((request) => !declared.has(request)).sort(),
    unused: [...declared].filter((request) => !requested.has(request)).sort(),
  };
}
