import { describe, expect, test } from '@jest/globals';
import { amounts } from '../../../test/builders/rightsizing.ts';
import type { QuotaScope, ResourceQuotaRecord } from '../../core/model/cluster-records.ts';
import { SECOND_MS } from '#kube/units';
import type { CreationRequest } from '../../ports/cluster/sizes-at-creation.ts';
import { isInQuotaScope, QuotaCount } from './quotas-of-pod.ts';

const NONE = amounts(null, null);

function quota(used: string, scopes?: readonly QuotaScope[]): ResourceQuotaRecord {
  const hard = { hardRequests: amounts('10', null), hardLimits: NONE };
  const record = { namespace: 'shop', name: 'q', ...hard, usedRequests: amounts(used, null), usedLimits: NONE };
  return scopes === undefined ? record : { ...record, scopes };
}

const pod = { requests: { cpuMillicores: 500, memoryBytes: 0 }, limits: { cpuMillicores: 0, memoryBytes: 0 } };

describe('the usage of a quota', () => {
  let count: QuotaCount;
  const usedAt = (record: ResourceQuotaRecord, now: number): number | null => count.withAdmitted(record, now).usedRequests.cpuMillicores;

  test('includes pods that were admitted since its status was written', () => {
    count = new QuotaCount();
    const before = quota('1');
    count.admit(before, pod, 0);
    count.admit(before, pod, 5);
    expect(usedAt(before, 10)).toBe(2_000);
  });

  test('includes each pod once, when its status has it', () => {
    count = new QuotaCount();
    count.admit(quota('1'), pod, 0);
    count.admit(quota('1'), pod, 5);
    expect(usedAt(quota('1500m'), 10)).toBe(2_000);
    expect(usedAt(quota('2'), 20)).toBe(2_000);
    expect(usedAt(quota('5'), 30)).toBe(5_000);
  });

  test('includes no pod that requests more than is left: the API server will refuse it', () => {
    count = new QuotaCount();
    count.admit(quota('1'), { ...pod, requests: { cpuMillicores: 9e9, memoryBytes: 0 } }, 0);
    expect(usedAt(quota('1'), 10)).toBe(1_000);
  });

  test('drops a pod that was not created within ten seconds', () => {
    count = new QuotaCount();
    count.admit(quota('1'), pod, 0);
    expect(usedAt(quota('1'), 10 * SECOND_MS - 1)).toBe(1_500);
    expect(usedAt(quota('1'), 10 * SECOND_MS)).toBe(1_000);
  });

  test('stays correct beside thousands of other quotas', () => {
    count = new QuotaCount();
    for (let index = 0; index < 2_000; index++) count.admit({ ...quota('1'), name: `q${index}` }, pod, index < 1_000 ? 0 : 20 * SECOND_MS);
    expect(usedAt({ ...quota('1'), name: 'q1500' }, 20 * SECOND_MS)).toBe(1_500);
    expect(usedAt({ ...quota('1'), name: 'q500' }, 20 * SECOND_MS)).toBe(1_000);
  });
});

describe('a quota', () => {
  const scope = (name: string, operator = 'Exists', values: readonly string[] = []): readonly QuotaScope[] => [{ name, operator, values }];
  const usual = { priorityClass: '', terminating: false };

  test.each<[string, readonly QuotaScope[], Partial<CreationRequest>, boolean]>([
    ['of long-running pods', [...scope('NotTerminating'), ...scope('NotBestEffort')], usual, true],
    ['of long-running pods', scope('NotTerminating'), { ...usual, terminating: true }, false],
    ['of terminating pods', scope('Terminating'), usual, false],
    ['of terminating pods', scope('Terminating'), { ...usual, terminating: true }, true],
    ['of pods without requests', scope('BestEffort'), usual, false],
    ['of a priority class', scope('PriorityClass', 'In', ['high']), { ...usual, priorityClass: 'high' }, true],
    ['of a priority class', scope('PriorityClass', 'In', ['high']), usual, false],
    ['of other priority classes', scope('PriorityClass', 'NotIn', ['high']), usual, true],
    ['of any priority class', scope('PriorityClass'), usual, false],
    ['of pods without a priority class', scope('PriorityClass', 'DoesNotExist'), usual, true],
    ['of an unknown scope', scope('VolumeAttributesClass'), usual, true],
  ])('%s %j counts a pod %j: %s', (_, scopes, request, expected) => {
    const creation: CreationRequest = {
      namespace: 'shop',
      owner: null,
      labels: {},
      annotations: {},
      node: null,
      restartPolicy: 'Always',
      containers: [],
      ...usual,
      ...request,
    };
    expect(isInQuotaScope(quota('0', scopes), creation)).toBe(expected);
  });
});
