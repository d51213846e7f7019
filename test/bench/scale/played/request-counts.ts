// Counts of what the controller requests from the played API server.

import type { RequestPath } from './request-path.ts';

/** Counts by verb and resource: `patch pods/resize`, `list pods`, `list pods unpaged`. */
export type Counts = Readonly<Record<string, number>>;

export class RequestCounts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  addRequest(method: string, path: RequestPath, query: URLSearchParams, contentType: string): void {
    const subresource = path.subresource === null ? '' : `/${path.subresource}`;
    this.add(`${verbOf(method, path, query, contentType)} ${path.resource}${subresource}`);
  }

  read(): Counts {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function verbOf(method: string, { name }: RequestPath, query: URLSearchParams, contentType: string): string {
  const dryRun = query.get('dryRun') === null ? '' : 'dry-run ';
  switch (method) {
    case 'GET':
      if (name !== null) return 'get';
      if (query.get('watch') === 'true') return query.get('sendInitialEvents') === 'true' ? 'streaming-list' : 'watch';
      return query.has('limit') ? 'list' : 'unpaged-list';
    case 'POST':
      return `${dryRun}create`;
    case 'PUT':
      return `${dryRun}update`;
    case 'PATCH':
      return contentType === 'application/apply-patch+yaml' ? `${dryRun}apply` : `${dryRun}patch`;
    default:
      return `${dryRun}${method.toLowerCase()}`;
  }
}
