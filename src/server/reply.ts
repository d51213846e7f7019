import type { Warning } from '../apis/http/types.generated.ts';
import type { Instant } from '#kube/units';
import type { Found, Page } from '../application/index.ts';

/** Request and answer types of an operation. */
export interface OperationTypes {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly data: unknown;
  readonly summary: unknown;
}

/** Answer of a handler, to which envelope, ETag and format are added. */
export interface Reply<Types extends Pick<OperationTypes, 'data' | 'summary'>> {
  readonly data: Types['data'];
  readonly total: number;
  readonly nextCursor: string | null;
  readonly summary: Types['summary'] | undefined;
  readonly cachedAt: Instant | null;
  readonly warnings: readonly Warning[];
  readonly dryRun: boolean;
}

const PLAIN = { nextCursor: null, summary: undefined, cachedAt: null, warnings: [], dryRun: false } as const;

/** Reply with a page of a list or one object. */
export function replyOf(answer: Page<unknown, unknown> | Found<unknown, unknown>): Reply<OperationTypes> {
  const { summary, cachedAt = null, warnings = [] } = answer;
  const common = { ...PLAIN, summary, cachedAt, warnings };
  return answer.kind === 'page'
    ? { ...common, data: answer.items, total: answer.total, nextCursor: answer.nextCursor }
    : { ...common, data: answer.item, total: 1 };
}

/** Reply with the result of a mutation. `total` counts several objects. */
export function changed<Types extends Pick<OperationTypes, 'data' | 'summary'>>(
  data: Types['data'],
  dryRun: boolean,
  summary?: Types['summary'],
): Reply<Types> {
  return { ...PLAIN, data, total: Array.isArray(data) ? data.length : 1, summary, dryRun };
}
