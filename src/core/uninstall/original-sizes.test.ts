import { describe, expect, test } from '@jest/globals';
import { aPodRecord, amounts } from '../../../test/builders/rightsizing.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { ManagedFieldsEntry } from '../model/field-owners.ts';
import { canBeResized, sizesAtCreation, sizesToRestore, type SizedPod } from './original-sizes.ts';

const CREATED: RequestsAndLimits = { requests: amounts('500m', '512Mi'), limits: amounts(null, null) };
const SMALL: RequestsAndLimits = { requests: amounts('120m', '200Mi'), limits: amounts(null, null) };

/** An entry that owns fields of container `main`, such as `requests.cpu`. */
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

describe('sizes to restore', () => {
  test('a pod with the last values from Evenkeel gets those of its template', () => {
    const verdict = sizesToRestore(aSizedPod(SMALL, [entry('evenkeel-controller', ['requests.cpu', 'requests.memory'])]));
    expect(verdict).toEqual({ changes: [{ name: 'main', from: SMALL, to: CREATED }], kept: [], foreign: [] });
  });

  test('a pod with a size at creation gets that of its template, once', () => {
    const annotations = { 'evenkeel.io/size-at-creation': '{"main":{}}' };
    const created = aPodRecord({ annotations, container: { ...SMALL } });
    const managed = [entry('kube-controller-manager', ['requests.cpu', 'requests.memory'], '')];
    expect(sizesToRestore(aSizedPod(SMALL, managed, { pod: created })).changes).toEqual([{ name: 'main', from: SMALL, to: CREATED }]);
    const restored = [...managed, entry('evenkeel-uninstall', ['requests.cpu', 'requests.memory'])];
    expect(sizesToRestore(aSizedPod(SMALL, restored, { pod: created })).changes).toEqual([]);
  });

  test('restores only fields that Evenkeel set last, and reports those of other managers', () => {
    const verdict = sizesToRestore(
      aSizedPod(SMALL, [entry('evenkeel-controller', ['requests.memory']), entry('kubectl-patch', ['requests.cpu'])]),
    );
    expect(verdict.changes).toEqual([{ name: 'main', from: SMALL, to: { ...CREATED, requests: amounts('120m', '512Mi') } }]);
    expect(verdict.foreign).toEqual(['main cpu was set by kubectl-patch']);
  });

  test.each<[string, SizedPod]>([
    ['a pod as it was created', aSizedPod(CREATED, [entry('kube-controller-manager', ['requests.cpu'], '')])],
    [
      'a pod that has differed from its template since its creation',
      aSizedPod(SMALL, [entry('kube-controller-manager', ['requests.cpu'], '')]),
    ],
    ['a pod that Evenkeel itself rolled back', aSizedPod(CREATED, [entry('evenkeel-controller', ['requests.cpu', 'requests.memory'])])],
    ['a pod that an uninstall has restored', aSizedPod(SMALL, [entry('evenkeel-uninstall', ['requests.cpu', 'requests.memory'])])],
  ])('nothing for %s', (_, pod) => {
    expect(sizesToRestore(pod)).toEqual({ changes: [], kept: [], foreign: [] });
  });

  test('with merged managed fields the recorded values of Evenkeel decide', () => {
    const merged = [entry('ancient-changes', ['requests.cpu', 'requests.memory'], '')];
    expect(sizesToRestore(aSizedPod(SMALL, merged, { remembered: [new Map([['main', SMALL]])] })).changes).toHaveLength(1);
    expect(sizesToRestore(aSizedPod(SMALL, merged, { remembered: [new Map([['main', CREATED]])] })).changes).toEqual([]);
    expect(sizesToRestore(aSizedPod(SMALL, merged)).changes).toEqual([]);
  });

  test.each<[string, Partial<SizedPod>, RegExp]>([
    ['the template is gone', { original: null }, /its template is gone/],
    ['the container was injected', { original: new Map() }, /not in the template/],
    ['the template has no value', { original: new Map([['main', { ...CREATED, requests: amounts(null, null) }]]) }, /has no value/],
  ])('kept and explained if %s', (_, more, message) => {
    const verdict = sizesToRestore(aSizedPod(SMALL, [entry('evenkeel-controller', ['requests.cpu', 'requests.memory'])], more));
    expect(verdict.changes).toEqual([]);
    expect(verdict.kept.join()).toMatch(message);
  });

  test('a memory limit that an old kubelet cannot lower is kept, and the rest is restored', () => {
    const created = { requests: amounts('500m', '512Mi'), limits: amounts(null, '512Mi') };
    const now = { requests: amounts('120m', '512Mi'), limits: amounts(null, '1Gi') };
    const managed = [entry('evenkeel-controller', ['requests.cpu', 'limits.memory'])];
    const original = new Map([['main', created]]);
    const old = { original, kubeletVersion: 'v1.33.2' };
    const first = sizesToRestore(aSizedPod(now, managed, old));
    expect(first.changes[0]?.to).toEqual({ requests: amounts('500m', '512Mi'), limits: amounts(null, '1Gi') });
    const later = aSizedPod({ ...now, requests: created.requests }, [entry('evenkeel-controller', ['limits.memory'])], old);
    expect(sizesToRestore(later)).toMatchObject({ changes: [], kept: [expect.stringContaining('v1.33.2')] });
    expect(sizesToRestore(aSizedPod(now, managed, { original })).changes[0]?.to).toEqual(created);
  });
});

describe('sizes at creation', () => {
  test('an absent request equals its limit, and LimitRanges set the rest', () => {
    const defaults = [{ requests: amounts('50m', '64Mi'), limits: amounts('1', '128Mi') }];
    expect(sizesAtCreation({ requests: amounts(null, null), limits: amounts(null, '256Mi') }, defaults)).toEqual({
      requests: amounts('50m', '256Mi'),
      limits: amounts('1', '256Mi'),
    });
    expect(sizesAtCreation(CREATED, [])).toEqual(CREATED);
  });
});

test('a pod that was not resized is skipped', () => {
  expect(canBeResized([entry('kube-controller-manager', ['requests.cpu'], ''), entry('kubelet', [], 'status')])).toBe(false);
  expect(canBeResized([entry('evenkeel-controller', ['requests.cpu'])])).toBe(true);
  expect(canBeResized([entry('ancient-changes', ['requests.cpu'], '')])).toBe(true);
});
