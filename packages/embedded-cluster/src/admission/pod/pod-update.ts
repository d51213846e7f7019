import type { FieldError } from '../../api/api-error.ts';
import { isEqualJson } from '../../api/json.ts';
import type { Pod, PodSpec, WireContainer, WireToleration } from '../../controllers/wire/pod.ts';
import { forbiddenField, invalidValue } from '../field-errors.ts';

const FIXED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative); ' +
  'CPU and memory change through the resize subresource';

/** Errors of an update of the pod itself. */
export function podUpdateErrors(pod: Pod, old: Pod): FieldError[] {
  const errors = [...deadlineErrors(pod.spec, old.spec), ...tolerationErrors(pod.spec, old.spec), ...gateAdditions(pod.spec, old.spec)];
  if (!isEqualJson(asIfUnchanged(pod.spec, old.spec), old.spec)) errors.push(forbiddenField('spec', FIXED));
  return errors;
}

/** The new spec with every mutable field restored: remaining differences are errors. */
function asIfUnchanged(spec: PodSpec, old: PodSpec): PodSpec {
  const restored: PodSpec = { ...spec, containers: withImagesOf(spec.containers, old.containers) };
  for (const field of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'] as const) put(restored, old, field);
  if (spec.initContainers !== undefined) restored.initContainers = withImagesOf(spec.initContainers, old.initContainers ?? []);
  // Negative grace periods were accepted once, and may be corrected.
  if (spec.terminationGracePeriodSeconds === 1 && (old.terminationGracePeriodSeconds ?? 0) < 0)
    put(restored, old, 'terminationGracePeriodSeconds');
  // A pod with scheduling gates is not scheduled yet, so its constraints may still be narrowed.
  if ((old.schedulingGates ?? []).length > 0) for (const field of ['nodeSelector', 'affinity'] as const) put(restored, old, field);
  return restored;
}

function withImagesOf(containers: readonly WireContainer[], old: readonly WireContainer[]): WireContainer[] {
  return containers.map((container, index) => {
    const image = old[index]?.image;
    return image === undefined || container.image === '' ? container : { ...container, image };
  });
}

function deadlineErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const from = old.activeDeadlineSeconds;
  const to = spec.activeDeadlineSeconds;
  if (from === undefined || from === to) return [];
  if (to !== undefined && to <= from) return [];
  const why = to === undefined ? 'must not update from a positive integer to nil value' : 'must be less than or equal to previous value';
  return [invalidValue('spec.activeDeadlineSeconds', to ?? null, why)];
}

function tolerationErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const isKept = (toleration: WireToleration): boolean =>
    (spec.tolerations ?? []).some((each) => isEqualJson({ ...each, tolerationSeconds: 0 }, { ...toleration, tolerationSeconds: 0 }));
  if ((old.tolerations ?? []).every(isKept)) return [];
  return [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function gateAdditions(spec: PodSpec, old: PodSpec): FieldError[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) => {
    if (before.has(name)) return [];
    const field = `spec.schedulingGates[${String(index)}].name`;
    return [forbiddenField(field, `only deletion is allowed, but found new scheduling gate '${name}'`)];
  });
}

function put(to: PodSpec, from: PodSpec, field: string): void {
  if (from[field] === undefined) Reflect.deleteProperty(to, field);
  else to[field] = from[field];
}
