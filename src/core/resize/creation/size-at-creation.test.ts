import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amounts, autoPolicy, NO_OVERRIDES } from '../../../../test/builders/rightsizing.ts';
import type { LimitRangeRecord, ResourceQuotaRecord } from '../../model/cluster-records.ts';
import type { OptionalResources, RequestsAndLimits } from '#kube/records/resources';
import { MINUTE_MS } from '#kube/units';
import { qosOf } from '../model/container-values.ts';
import { DEFAULT_POLICY_RULES, type PolicyRules } from '../policy/policy-rules.ts';
import { creationPatch } from './creation-patch.ts';
import type { NewPod } from './new-pod.ts';
import { sizeAtCreation, type CreationInputs } from './size-at-creation.ts';

const NONE = amounts(null, null);

function pod(requests: OptionalResources, limits: OptionalResources = NONE): NewPod {
  return { restartPolicy: 'Always', containers: [{ name: 'main', sidecar: false, requests, limits }] };
}

function inputs(more: Partial<CreationInputs> = {}): CreationInputs {
  return {
    mode: 'Auto',
    policy: autoPolicy(),
    overrides: NO_OVERRIDES,
    inForce: new Map([['main', { requests: amounts('100m', '128Mi'), limits: amounts('200m', '160Mi') }]]),
    limitRanges: [],
    quotas: [],
    freeOnAnyNode: 16_000,
    ...more,
  };
}

test('a container in mode Approve of a workload in mode Auto is created as requested', () => {
  const exceptions = [{ name: { text: 'main' }, policy: { ...autoPolicy().container, mode: 'Approve' as const } }];
  expect(sizeAtCreation(pod(amounts('1', '1Gi')), inputs({ policy: autoPolicy({ exceptions }) })).values.size).toBe(0);
});

const limitNone = (of: PolicyRules = autoPolicy()): PolicyRules => ({
  ...of,
  container: { ...of.container, cpu: { ...of.container.cpu, limit: { rule: 'None', ratio: null } } },
});
const range = (min: OptionalResources, max: OptionalResources) => [
  { namespace: 'shop', name: 'l', min, max, maxLimitRequestRatio: { cpu: null, memory: null } },
];
const startup = { boostRatio: 3, durationMs: MINUTE_MS };

describe('a pod is created', () => {
  test.each<[string, NewPod, Partial<CreationInputs>, RequestsAndLimits | null]>([
    ['with the values in force', pod(amounts('500m', '512Mi')), {}, { requests: amounts('100m', '128Mi'), limits: NONE }],
    [
      'with limits where it has some',
      pod(amounts('500m', '512Mi'), amounts('1', '1Gi')),
      {},
      { requests: amounts('100m', '128Mi'), limits: amounts('200m', '160Mi') },
    ],
    [
      'Guaranteed as it asks',
      pod(amounts('500m', '512Mi'), amounts('500m', '512Mi')),
      {},
      { requests: amounts('200m', '160Mi'), limits: amounts('200m', '160Mi') },
    ],
    ['as requested where no values are in force', pod(amounts('500m', '512Mi')), { inForce: new Map() }, null],
    ['as requested where it has that already', pod(amounts('100m', '128Mi')), {}, null],
    ['as requested without any request', pod(NONE), {}, null],
    [
      'as requested with a limit below the request, which the API server refuses',
      pod(amounts('500m', '512Mi'), amounts('250m', '1Gi')),
      {},
      null,
    ],
    [
      'as requested with a limit below the request where nothing is in force',
      pod(amounts('500m', '512Mi'), amounts('250m', '1Gi')),
      { inForce: new Map() },
      null,
    ],
    ['as requested in mode Recommend', pod(amounts('500m', '512Mi')), { mode: 'Recommend' }, null],
    [
      'as requested where a LimitRange allows no less',
      pod(amounts('500m', '512Mi')),
      { limitRanges: range(amounts('200m', null), NONE) },
      null,
    ],
    [
      'as requested where a LimitRange wants a limit',
      pod(amounts('500m', '512Mi'), amounts('1', '1Gi')),
      { policy: limitNone(), limitRanges: range(NONE, amounts('2', null)) },
      null,
    ],
    [
      'without a limit under the rule None',
      pod(amounts('500m', '512Mi'), amounts('1', '1Gi')),
      { policy: limitNone() },
      { requests: amounts('100m', '128Mi'), limits: amounts(null, '160Mi') },
    ],
    [
      'Guaranteed all the same under the rule None',
      pod(amounts('500m', '512Mi'), amounts('500m', '512Mi')),
      { policy: limitNone() },
      { requests: amounts('200m', '160Mi'), limits: amounts('200m', '160Mi') },
    ],
    [
      'with more CPU to start',
      pod(amounts('500m', '512Mi')),
      { policy: autoPolicy({ startup }) },
      { requests: amounts('300m', '128Mi'), limits: NONE },
    ],
    [
      'with no more than any node has',
      pod(amounts('500m', '512Mi')),
      { policy: autoPolicy({ startup }), freeOnAnyNode: 150 },
      { requests: amounts('150m', '128Mi'), limits: NONE },
    ],
    [
      'without a boost where free capacity of nodes is unknown',
      pod(amounts('500m', '512Mi')),
      { policy: autoPolicy({ startup }), freeOnAnyNode: null },
      { requests: amounts('100m', '128Mi'), limits: NONE },
    ],
  ])('%s', (_, newPod, more, expected) => {
    expect(sizeAtCreation(newPod, inputs(more)).values.get('main') ?? null).toEqual(expected);
  });

  const raised = { inForce: new Map([['main', { requests: amounts('900m', '1Gi'), limits: amounts('2', '2Gi') }]]) };
  const quota = (more: Partial<ResourceQuotaRecord>): Partial<CreationInputs> => ({
    quotas: [{ namespace: 'shop', name: 'q', hardRequests: NONE, hardLimits: NONE, usedRequests: NONE, usedLimits: NONE, ...more }],
  });
  const podRange = (more: Partial<LimitRangeRecord>): Partial<CreationInputs> => ({
    limitRanges: range(NONE, NONE).map((each) => ({ ...each, ...more })),
  });
  const withLimits = pod(amounts('500m', '512Mi'), amounts('1', '1Gi'));
  test.each<[string, NewPod, Partial<CreationInputs>, string | null]>([
    [
      'as requested where a quota leaves no more',
      pod(amounts('500m', '512Mi')),
      { ...raised, ...quota({ hardRequests: amounts('2', null), usedRequests: amounts('1200m', null) }) },
      null,
    ],
    [
      'with more where a quota leaves just that',
      pod(amounts('500m', '512Mi')),
      { ...raised, ...quota({ hardRequests: amounts('2', null), usedRequests: amounts('1100m', null) }) },
      '900m',
    ],
    [
      'with less than it asks, however little a quota leaves',
      pod(amounts('500m', '512Mi')),
      quota({ hardRequests: amounts('1', null), usedRequests: amounts('1', null) }),
      '100m',
    ],
    [
      'as requested where a quota leaves no higher limit',
      withLimits,
      { ...raised, ...quota({ hardLimits: amounts(null, '4Gi'), usedLimits: amounts(null, '3Gi') }) },
      null,
    ],
    [
      'with its limit where a quota requires one',
      withLimits,
      { policy: limitNone(), ...quota({ hardLimits: amounts('100', null) }) },
      null,
    ],
    [
      'without more CPU to start where a quota leaves none',
      pod(amounts('500m', '512Mi')),
      { policy: autoPolicy({ startup }), ...quota({ hardRequests: amounts('1', null), usedRequests: amounts('1', null) }) },
      '100m',
    ],
    [
      'as requested where a LimitRange has a greater minimum of pods',
      pod(amounts('500m', '512Mi')),
      podRange({ podMin: amounts('300m', null) }),
      null,
    ],
    [
      'as requested where a LimitRange has a smaller maximum of pods',
      withLimits,
      { ...raised, ...podRange({ podMax: amounts('1', null) }) },
      null,
    ],
    [
      'as requested where a LimitRange wants a limit of pods',
      withLimits,
      { policy: limitNone(), ...podRange({ podMax: amounts('4', null) }) },
      null,
    ],
    [
      'as requested where a LimitRange allows pods no wider limits',
      withLimits,
      {
        inForce: new Map([['main', { requests: amounts('100m', '512Mi'), limits: amounts('1', '1Gi') }]]),
        ...podRange({ podMaxLimitRequestRatio: { cpu: 2, memory: null } }),
      },
      null,
    ],
    [
      'with what its init containers leave of a quota',
      { ...pod(amounts('500m', '512Mi')), initContainers: [{ requests: amounts('1', null), limits: NONE, sidecarsBefore: 0 }] },
      { ...raised, ...quota({ hardRequests: amounts('1', null) }) },
      '900m',
    ],
  ])('%s', (_, newPod, more, expected) => {
    const { values } = sizeAtCreation(newPod, inputs(more));
    expect(values.get('main')?.requests.cpuMillicores ?? null).toBe(expected === null ? null : amounts(expected, null).cpuMillicores);
  });

  test('a pod that ends by itself is created without a start-up boost', () => {
    const newPod = { ...pod(amounts('500m', '512Mi')), restartPolicy: 'Never' as const };
    expect(sizeAtCreation(newPod, inputs({ policy: autoPolicy({ startup }) })).usual.size).toBe(0);
  });

  test('it keeps its QoS class, and requests stay within limits, for any values in force', () => {
    const amount = fc.option(fc.integer({ min: 1, max: 4000 }), { nil: null });
    const pair = fc.record({ cpuMillicores: amount, memoryBytes: amount });
    const container = fc
      .record({ requests: pair, limits: pair })
      // The API server sets a missing request to the limit before it calls the webhook.
      .map(({ requests, limits }) => ({
        requests: {
          cpuMillicores: Math.min(requests.cpuMillicores ?? limits.cpuMillicores ?? 0, limits.cpuMillicores ?? Infinity) || null,
          memoryBytes: Math.min(requests.memoryBytes ?? limits.memoryBytes ?? 0, limits.memoryBytes ?? Infinity) || null,
        },
        limits,
      }));
    const rules = fc.record({ none: fc.boolean(), boost: fc.boolean(), onlyRequests: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(container, { minLength: 1, maxLength: 3 }),
        fc.array(container, { maxLength: 3 }),
        rules,
        (asked, settled, rule) => {
          const containers = asked.map((each, index) => ({ ...each, name: `c${index}`, sidecar: false }));
          const base = rule.none ? limitNone() : autoPolicy();
          const policy: PolicyRules = {
            ...base,
            startup: rule.boost ? startup : null,
            container: { ...base.container, controlled: rule.onlyRequests ? 'requests' : 'requestsAndLimits' },
          };
          const inForce = new Map(settled.map((values, index) => [`c${index}`, values]));
          const { values } = sizeAtCreation({ restartPolicy: 'Always', containers }, inputs({ policy, inForce }));
          const created = containers.map((each) => values.get(each.name) ?? each);
          expect(qosOf(created)).toBe(qosOf(containers));
          for (const { requests, limits } of created) {
            expect(requests.cpuMillicores ?? 0).toBeLessThanOrEqual(limits.cpuMillicores ?? Infinity);
            expect(requests.memoryBytes ?? 0).toBeLessThanOrEqual(limits.memoryBytes ?? Infinity);
          }
        },
      ),
    );
  });
});

describe('the patch', () => {
  const has = { resources: true, requests: true, limits: true };
  const asked = { requests: amounts('500m', '512Mi'), limits: amounts('1', '1Gi') };
  const placed = { name: 'main', path: '/spec/containers/0', has, ...asked };

  test('changes only amounts that differ, and records the template’s values', () => {
    const values = new Map([['main', { requests: amounts('100m', '512Mi'), limits: amounts(null, '1Gi') }]]);
    expect(creationPatch([placed], { values, usual: new Map() }, true)).toEqual([
      { op: 'add', path: '/spec/containers/0/resources/requests/cpu', value: '100m' },
      { op: 'remove', path: '/spec/containers/0/resources/limits/cpu' },
      {
        op: 'add',
        path: '/metadata/annotations/evenkeel.io~1size-at-creation',
        value: '{"main":{"requests":{"cpu":"500m","memory":"512Mi"},"limits":{"cpu":"1","memory":"1Gi"}}}',
      },
    ]);
  });

  test('adds missing parent objects', () => {
    const bare = { ...placed, requests: NONE, limits: NONE, has: { resources: false, requests: false, limits: false } };
    const values = new Map([['main', { requests: amounts('100m', null), limits: NONE }]]);
    expect(creationPatch([bare], { values, usual: new Map() }, false).map(({ op, path }) => `${op} ${path}`)).toEqual([
      'add /spec/containers/0/resources',
      'add /spec/containers/0/resources/requests',
      'add /spec/containers/0/resources/requests/cpu',
      'add /metadata/annotations',
      'add /metadata/annotations/evenkeel.io~1size-at-creation',
    ]);
  });

  test('is empty for a pod with the values in force, and records a start-up boost', () => {
    expect(creationPatch([placed], { values: new Map(), usual: new Map() }, true)).toEqual([]);
    const more = { requests: amounts('1', '512Mi'), limits: amounts('2', '1Gi') };
    const [, , , note] = creationPatch([placed], { values: new Map([['main', more]]), usual: new Map([['main', asked]]) }, true);
    expect(note?.path).toBe('/metadata/annotations/evenkeel.io~1start-up');
    expect(DEFAULT_POLICY_RULES.startup).toBeNull();
  });
});
