import { expect, test } from '@jest/globals';
import type { Recommendation } from '../../../apis/v1alpha1/index.ts';
import type { EventSpec } from '../../../ports/cluster/event-recorder.ts';
import { WorkloadEvents } from './workload-events.ts';

const RECOMMENDATION = {
  apiVersion: 'evenkeel.io/v1alpha1',
  kind: 'Recommendation',
  metadata: { name: 'deployment-web', namespace: 'shop', uid: 'r-1' },
} as Recommendation;

function recordedFor(subject: Partial<EventSpec['subject']>): readonly string[] {
  const recorded: EventSpec[] = [];
  const events = new WorkloadEvents(
    { record: (event) => void recorded.push(event) },
    { findRecommendation: (key) => (key === 'shop/Deployment/web' ? RECOMMENDATION : undefined) },
  );
  events.record({
    subject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'w-1', ...subject },
    type: 'Normal',
    reason: 'Resized',
    action: 'Resize',
    message: 'web-1: cpu 500m → 120m',
  });
  return recorded.map(
    (event) => `${event.subject.apiVersion} ${event.subject.kind} ${event.subject.name} ${event.subject.uid}: ${event.message}`,
  );
}

test('an Event of a workload is repeated on its Recommendation', () => {
  expect(recordedFor({})).toEqual([
    'apps/v1 Deployment web w-1: web-1: cpu 500m → 120m',
    'evenkeel.io/v1alpha1 Recommendation deployment-web r-1: web-1: cpu 500m → 120m',
  ]);
});

test('an Event of another object, or of a workload without a Recommendation, is recorded once', () => {
  expect(recordedFor({ name: 'cart' })).toHaveLength(1);
  expect(recordedFor({ kind: 'HorizontalPodAutoscaler' })).toHaveLength(1);
});
