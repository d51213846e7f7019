import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../kube-object.ts';
import { EVENTS_VIEW, HPA_V1_VIEW } from './object-view.ts';

const metadata = { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: 't', annotations: { a: 'b' } };

describe('views', () => {
  test('autoscaling/v1 loses nothing of v2 on a round trip', () => {
    const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } };
    const memory = { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } };
    const stored: KubeObject = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: { minReplicas: 1, maxReplicas: 3, metrics: [cpu, memory], behavior: { scaleDown: { stabilizationWindowSeconds: 10 } } },
      status: { currentReplicas: 1, desiredReplicas: 2 },
    };
    const shown = HPA_V1_VIEW.toServed(stored);
    expect(shown['spec']).toEqual({ minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 70 });
    expect(HPA_V1_VIEW.toStored(shown)).toEqual(stored);
  });

  test('autoscaling/v1 shows both counts of an autoscaler that has not counted yet', () => {
    const stored: KubeObject = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata, status: { desiredReplicas: 0 } };
    expect(HPA_V1_VIEW.toServed(stored)['status']).toEqual({ currentReplicas: 0, desiredReplicas: 0 });
  });

  test('events are the same events under both names', () => {
    const stored: KubeObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject: { name: 'p' },
      message: 'm',
      source: {},
      count: 2,
      type: 'Normal',
    };
    const shown = EVENTS_VIEW.toServed(stored);
    expect(shown).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
      note: 'm',
      deprecatedSource: {},
      deprecatedCount: 2,
    });
    expect(EVENTS_VIEW.toStored(shown)).toEqual(stored);
  });
});
