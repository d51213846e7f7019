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
  ['a record of the controller is removed', RESIZED, ['evenkeel'], REMOVE],
  ['a user request by kubectl stays', MODE, ['kubectl-annotate'], { kind: 'keep', writtenBy: 'kubectl-annotate' }],
  ['a user request in the dashboard stays', MODE, ['evenkeel-dashboard'], { kind: 'keep', writtenBy: 'evenkeel-dashboard' }],
  ['an annotation that both wrote stays', MODE, ['evenkeel', 'argocd'], { kind: 'keep', writtenBy: 'argocd' }],
  ['a record without a manager is removed', RESIZED, [], REMOVE],
  ['a user request without a manager stays', MODE, [], { kind: 'keep', writtenBy: 'an unknown manager' }],
  ['a record whose managers were merged is removed', RESIZED, ['ancient-changes'], REMOVE],
  ['a user request whose managers were merged stays', MODE, ['ancient-changes'], { kind: 'keep', writtenBy: 'ancient-changes' }],
  ['other prefixes are foreign also with an Evenkeel manager', 'example.com/note', ['evenkeel'], { kind: 'foreign' }],
])('%s', (_, key, managers, verdict) => {
  expect(judgeAnnotation(key, annotated(key, ...managers))).toEqual(verdict);
});

test('owners of a field of the spec are those of this field only', () => {
  const entries: ManagedFieldsEntry[] = [
    { manager: 'evenkeel-autoscaler', subresource: '', fields: { 'f:spec': { 'f:unschedulable': {} } } },
    { manager: 'kubectl-cordon', subresource: '', fields: { 'f:spec': { 'f:taints': {} } } },
  ];
  expect(ownersOfSpecField(entries, 'unschedulable').map(({ manager }) => manager)).toEqual(['evenkeel-autoscaler']);
});
