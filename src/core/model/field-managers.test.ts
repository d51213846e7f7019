import { expect, test } from '@jest/globals';
import { type AnnotationVerdict, judgeAnnotation } from './field-managers.ts';
import { ownersOfSpecField, type ManagedFieldsEntry } from './field-owners.ts';

function annotated(key: string, ...managers: string[]): readonly ManagedFieldsEntry[] {
  return managers.map((manager) => ({
    manager,
    subresource: '',
    fields: { 'f:metadata': { 'f:annotations': { '.': {}, [`f:${key}`]: {} } } },
  }));
}

const RESIZED = 'evenkeel.io/resized';
const MODE = 'evenkeel.io/mode';
const REMOVE: AnnotationVerdict = { kind: 'remove' };

test.each<[string, string, readonly string[], AnnotationVerdict]>([
  ['what the controller noted goes', RESIZED, ['evenkeel'], REMOVE],
  ['what a person stated by kubectl stays', MODE, ['kubectl-annotate'], { kind: 'keep', writtenBy: 'kubectl-annotate' }],
  ['what a person asked for in the dashboard stays', MODE, ['evenkeel-dashboard'], { kind: 'keep', writtenBy: 'evenkeel-dashboard' }],
  ['what both wrote is the person’s', MODE, ['evenkeel', 'argocd'], { kind: 'keep', writtenBy: 'argocd' }],
  ['a record without a writer can only be ours', RESIZED, [], REMOVE],
  ['a user’s annotation without a manager may be of any', MODE, [], { kind: 'keep', writtenBy: 'an unknown manager' }],
  ['a record whose writers were merged is ours', RESIZED, ['ancient-changes'], REMOVE],
  ['a user’s annotation whose managers were merged stays', MODE, ['ancient-changes'], { kind: 'keep', writtenBy: 'ancient-changes' }],
  ['other prefixes are foreign, whichever manager wrote them', 'example.com/note', ['evenkeel'], { kind: 'foreign' }],
])('%s', (_, key, managers, verdict) => {
  expect(judgeAnnotation(key, annotated(key, ...managers))).toEqual(verdict);
});

test('owners of a field of the spec are found by it alone', () => {
  const entries: ManagedFieldsEntry[] = [
    { manager: 'evenkeel-autoscaler', subresource: '', fields: { 'f:spec': { 'f:unschedulable': {} } } },
    { manager: 'kubectl-cordon', subresource: '', fields: { 'f:spec': { 'f:taints': {} } } },
  ];
  expect(ownersOfSpecField(entries, 'unschedulable').map(({ manager }) => manager)).toEqual(['evenkeel-autoscaler']);
});
