import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CreationRequest } from '../../ports/cluster/sizes-at-creation.ts';
import { answerReview } from './review.ts';

/** Triples the CPU request of each container, as a startup boost does. */
const sizes = {
  sizeOf: ({ containers }: CreationRequest) => {
    const asked = containers.filter(({ requests }) => requests.cpuMillicores !== null);
    const values = asked.map(({ name, requests, limits }) => {
      const cpuMillicores = (requests.cpuMillicores ?? 0) * 3;
      return [name, { requests: { ...requests, cpuMillicores }, limits }] as const;
    });
    return { values: new Map(values), usual: new Map(asked.map(({ name, requests, limits }) => [name, { requests, limits }])) };
  },
};

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

function patchOf(object: object): readonly Operation[] {
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const { body } = answerReview({ request: { uid: 'r', namespace: 'shop', operation: 'CREATE', resource, object } }, sizes);
  const { response } = body as { readonly response: { readonly patch?: string } };
  return response.patch === undefined ? [] : (JSON.parse(Buffer.from(response.patch, 'base64').toString()) as Operation[]);
}

/** Applies a JSON Patch (RFC 6902) to members of objects. */
function apply(object: object, patch: readonly Operation[]): object {
  const result = structuredClone(object);
  for (const { op, path, value } of patch) {
    const keys = path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    let at = result as Record<string, unknown>;
    for (const key of keys) at = at[key] as Record<string, unknown>;
    if (op === 'remove') Reflect.deleteProperty(at, last);
    else at[last] = value;
  }
  return result;
}

describe('a pod that was sized', () => {
  const amount = fc.integer({ min: 1, max: 4_000 });
  const container = fc.record({
    requests: fc.record({ cpu: amount.map((m) => `${m}m`), memory: amount.map((m) => `${m}Mi`) }, { requiredKeys: [] }),
  });
  const annotations = fc.option(fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }), { nil: undefined });

  test('is unchanged when it is reviewed again', () => {
    fc.assert(
      fc.property(fc.array(container, { maxLength: 3 }), annotations, (asked, noted) => {
        const containers = asked.map((resources, index) => ({ name: `c${index}`, resources }));
        const pod = { metadata: noted === undefined ? {} : { annotations: noted }, spec: { containers } };
        const first = patchOf(pod);
        expect(first.length > 0).toBe(asked.some(({ requests }) => requests.cpu !== undefined));
        expect(patchOf(apply(pod, first))).toEqual([]);
      }),
    );
  });
});
