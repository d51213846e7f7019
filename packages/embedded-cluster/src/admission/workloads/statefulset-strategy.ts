import { isObject } from '#kube/json';
import type { ResourceStrategy } from '../../api/strategy.ts';
import { isEqualJson } from '../../api/json.ts';
import type { StatefulSet } from '../../controllers/wire/workload.ts';
import type { PodTemplate } from '../../controllers/wire/pod.ts';
import type { FieldError } from '../../api/api-error.ts';
import { forbiddenField, invalidValue, required } from '../field-errors.ts';
import { countErrors, requiredErrors, selectorErrors, shareErrors, templateErrors } from './template-rules.ts';

/** The identity of a set's pods depends on the other fields. */
const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

export const statefulSetStrategy: ResourceStrategy = {
  validate(object, old, _context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { spec } = object as StatefulSet;
    const { rollingUpdate } = spec.updateStrategy ?? {};
    const errors = [
      ...countErrors('spec.replicas', spec.replicas),
      ...countErrors('spec.minReadySeconds', spec.minReadySeconds),
      ...countErrors('spec.ordinals.start', spec.ordinals?.start),
      ...countErrors('spec.updateStrategy.rollingUpdate.partition', rollingUpdate?.partition),
      ...shareErrors('spec.updateStrategy.rollingUpdate.maxUnavailable', rollingUpdate?.maxUnavailable),
      ...claimNames(spec.volumeClaimTemplates ?? []).flatMap((name, index) =>
        requiredErrors(`spec.volumeClaimTemplates[${String(index)}].metadata.name`, name),
      ),
      ...managementErrors(spec.podManagementPolicy),
      ...selectorErrors(spec.selector, spec.template, 'statefulset'),
      ...templateErrors(withClaimVolumes(spec), ['Always']),
    ];
    if (old !== null && !isEqualJson(fixedPart(spec), fixedPart((old as StatefulSet).spec))) {
      const names = MUTABLE.map((field) => `'${field}'`);
      const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
      errors.push(forbiddenField('spec', `updates to statefulset spec for fields other than ${list} are forbidden`));
    }
    return errors;
  },
};

function managementErrors(policy: unknown): FieldError[] {
  if (policy === undefined || policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];
}

/** Each claim template becomes a volume of its name in every pod, so that containers may mount it. */
function withClaimVolumes({ template, volumeClaimTemplates = [] }: Partial<StatefulSet['spec']>): Partial<PodTemplate> {
  if (!isObject(template?.spec)) return {};
  const volumes = Array.isArray(template.spec.volumes) ? template.spec.volumes : [];
  // A claim template replaces a volume of the same name.
  const names = claimNames(volumeClaimTemplates).filter((name) => !volumes.some((volume) => volume.name === name));
  const claimed = names.flatMap((name) => (name === undefined ? [] : [{ name }]));
  return { ...template, spec: { ...template.spec, volumes: [...volumes, ...claimed] } };
}

/** The schema allows a claim template without metadata. */
function claimNames(templates: readonly { readonly metadata?: { readonly name?: string } }[]): (string | undefined)[] {
  return templates.map(({ metadata }) => metadata?.name);
}

function fixedPart(spec: StatefulSet['spec']): Record<string, unknown> {
  const mutable: ReadonlySet<string> = new Set(MUTABLE);
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !mutable.has(field)));
}
