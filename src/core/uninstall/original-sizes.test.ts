import { describe, expect, test } from '@jest/globals';
import { aPodRecord, amounts } from '../../../test/builders/rightsizing.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { ManagedFieldsEntry } from '../model/field-owners.ts';
import { mayHoldOurSizes, sizesAtCreation, sizesToRestore, type SizedPod } from './original-sizes.ts';

const CREATED: RequestsAndLimits = { requests: amounts('500m', '512Mi'), limits: amounts(null, null) };
const SMALL: RequestsAndLimits = { requests: amounts('120m', '200Mi'), limits: amounts(null, null) };

/** An entry that owns these numbers of container `main`, as `requests.cpu`. */
function entry(manager: string, numbers: readonly string[], subresource = 'resize'): ManagedFieldsEntry {
  const resources: Record<string, Record<string, object>> = {};
  for (const number of numbers) {
    const [side = '', resource = ''] = number.split('.');
    resources[`f:${side}`] = { ...resources[`f:${side}`], [`f:${resource}`]: {} };
  }
  return { manager, subresource, fields: { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { 'f:resources': resources } } } } };
}

function aSizedPod(now: RequestsAndLimits, managedFields: readonly ManagedFieldsEntry[], more: Partial<SizedPod> = {}): SizedPod {
  return {
    pod: aPodRecord({ container: { ...now } }),
    managedFields,
    original: new Map([['main', CREATED]]),
    remembered: [],
    kubeletVersion: 'v1.36.0',
    ...more,
  };
}

describe('sizes to put back', () => {
  test('a pod whose numbers Evenkeel set last gets those of its template', () => {
    const verdict = sizesToRestore(aSizedPod(SMALL, [entry('evenkeel-controller', ['requests.cpu', 'requests.memory'])]));
    expect(verdict).toEqual({ changes: [{ name: 'main', from: SMALL, to: CREATED }], kept: [], foreign: [] });
  });

  test('a pod that admission gave its size at creation gets that of its template, once', () => {
    const annotations = { 'evenkeel.io/size-at-creation': '{"main":{}}' };
    const created = aPodRecord({ annotations, container: { ...SMALL } });
    const managed = [entry('kube-controller-manager', ['requests.cpu', 'requests.memory'], '')];
    expect(sizesToRestore(aSizedPod(SMALL, managed, { pod: created })).changes).toEqual([{ name: 'main', from: SMALL, to: CREATED }]);
    const putBack = [...managed, entry('evenkeel-uninstall', ['requests.cpu', 'requests.memory'])];
    expect(sizesToRestore(aSizedPod(SMALL, putBack, { pod: created })).changes).toEqual([]);
  });

  test('only the numbers that Evenkeel set last: another hand’s stay and are named', () => {
    const verdict = sizesToRestore(
      aSizedPod(SMALL, [entry('evenkeel-controller', ['requests.memory']), entry('kubectl-patch', ['requests.cpu'])]),
    );
    expect(verdict.changes).toEqual([{ name: 'main', from: SMALL, to: { ...CREATED, requests: amounts('120m', '512Mi') } }]);
    expect(verdict.foreign).toEqual(['main cpu was set by kubectl-patch']);
  });

  test.each<[string, SizedPod]>([
    ['a pod as it was created', aSizedPod(CREATED, [entry('kube-controller-manager', ['requests.cpu'], '')])],
    ['a pod that differs from its template since its creation', aSizedPod(SMALL, [entry('kube-controller-manager', ['requests.cpu'], '')])],
    ['a pod that Evenkeel itself rolled back', aSizedPod(CREATED, [entry('evenkeel-controller', ['requests.cpu', 'requests.memory'])])],
    ['a pod that an uninstall has put back', aSizedPod(SMALL, [entry('evenkeel-uninstall', ['requests.cpu', 'requests.memory'])])],
  ])('nothing for %s', (_, pod) => {
    expect(sizesToRestore(pod)).toEqual({ changes: [], kept: [], foreign: [] });
  });

  test('where the managed fields were merged, the values that Evenkeel remembers decide', () => {
    const merged = [entry('ancient-changes', ['requests.cpu', 'requests.memory'], '')];
    expect(sizesToRestore(aSizedPod(SMALL, merged, { remembered: [new Map([['main', SMALL]])] })).changes).toHaveLength(1);
    expect(sizesToRestore(aSizedPod(SMALL, merged, { remembered: [new Map([['main', CREATED]])] })).changes).toEqual([]);
    expect(sizesToRestore(aSizedPod(SMALL, merged)).changes).toEqual([]);
  });

  test.each<[string, Partial<SizedPod>, RegExp]>([
    ['the template is gone', { original: null }, /template it was made from is gone/],
    ['the container was injected', { original: new Map() }, /not in the template/],
    ['the template asks for none', { original: new Map([['main', { ...CREATED, requests: amounts(null, null) }]]) }, /asks for none/],
  ])('kept and explained where %s', (_, more, words) => {
    const verdict = sizesToRestore(aSizedPod(SMALL, [entry('evenkeel-controller', ['requests.cpu', 'requests.memory'])], more));
    expect(verdict.changes).toEqual([]);
    expect(verdict.kept.join()).toMatch(words);
  });

  test('a memory limit that an old kubelet cannot lower is kept, and the rest put back', () => {
    const created = { requests: amounts('500m', '512Mi'), limits: amounts(null, '512Mi') };
    const now = { requests: amounts('120m', '512Mi'), limits: amounts(null, '1Gi') };
    const managed = [entry('evenkeel-controller', ['requests.cpu', 'limits.memory'])];
    const original = new Map([['main', created]]);
    const old = { original, kubeletVersion: 'v1.33.2' };
    const first = sizesToRestore(aSizedPod(now, managed, old));
    expect(first.changes[0]?.to).toEqual({ requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') });
    const then = aSizedPod({ ...now, requests: created.requests }, [entry('evenkeel-controller', ['limits.memory'])], old);
    expect(sizesToRestore(then)).toMatchObject({ changes: [], kept: [expect.stringContaining('v1.33.2')] });
    expect(sizesToRestore(aSizedPod(now, managed, { original })).changes[0]?.to).toEqual(created);
  });
});

describe('sizes at creation', () => {
  test('a request that is missing beside a limit equals it, and LimitRanges fill in what is left', () => {
    const defaults = [{ requests: amounts('50m', '64Mi'), limits: amounts('1', '128Mi') }];
    expect(sizesAtCreation({ requests: amounts(null, null), limits: amounts(null, '256Mi') }, defaults)).toEqual({
      requests: amounts('50m', '256Mi'),
      limits: amounts('1', '256Mi'),
    });
    expect(sizesAtCreation(CREATED, [])).toEqual(CREATED);
  });
});

test('a pod that was not resized is skipped', () => {
  expect(mayHoldOurSizes([entry('kube-controller-manager', ['requests.cpu'], ''), entry('kubelet', [], 'status')])).toBe(false);
  expect(mayHoldOurSizes([entry('evenkeel-controller', ['requests.cpu'])])).toBe(true);
  expect(mayHoldOurSizes([entry('ancient-changes', ['requests.cpu'], '')])).toBe(true);
});
