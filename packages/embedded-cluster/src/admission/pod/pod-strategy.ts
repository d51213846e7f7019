import { isObject } from '#kube/json';
import type { FieldError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ResourceStrategy, StrategyContext } from '../../api/strategy.ts';
import type { Pod } from '../../controllers/wire/pod.ts';
import { required } from '../field-errors.ts';
import { checkLimitRanges, defaultFromLimitRanges } from '../limit-range.ts';
import { checkQuotas } from '../resource-quota.ts';
import { podWarnings } from '../without-effect.ts';
import { immutableErrors } from '../workloads/template-rules.ts';
import { checkServiceAccount, defaultPodSpec, resolvePriority } from './pod-defaults.ts';
import { keepOnlyResize, resizeErrors } from './pod-resize.ts';
import { podUpdateErrors } from './pod-update.ts';
import { hasPodShape } from './pod-shape.ts';
import { gateErrors, podMetadataErrors, podSpecErrors } from './pod-validation.ts';
import { qosClassOf } from './qos-class.ts';

/** Pods, their status, their binding and their resize. */
export const podStrategy: ResourceStrategy = { prepareForCreate, prepareForUpdate, validate, admit, warnings: podWarnings };

function prepareForCreate(draft: KubeObject, context: StrategyContext): void {
  draft['status'] = { phase: 'Pending' };
  if (!hasPodShape(draft['spec'])) return;
  const pod = draft as Pod;
  defaultPodSpec(pod.spec);
  defaultFromLimitRanges(pod, context);
  resolvePriority(pod, context);
  pod.status = { phase: 'Pending', qosClass: qosClassOf(pod.spec) };
}

function prepareForUpdate(draft: KubeObject, old: KubeObject, _context: StrategyContext, subresource: string): void {
  const pod = draft as Pod;
  const before = old as Pod;
  if (subresource !== '' && subresource !== 'status' && !isObject(draft['spec'])) return;
  switch (subresource) {
    case 'resize':
      keepOnlyResize(pod, before);
      break;
    case 'binding': {
      const { nodeName } = pod.spec;
      pod.spec = { ...before.spec, ...(nodeName === undefined ? {} : { nodeName }) };
      break;
    }
    case 'status':
      // The class was decided when the pod was created; a kubelet only repeats it.
      if (before.status.qosClass !== undefined)
        pod.status = { qosClass: before.status.qosClass, ...(draft['status'] as object | undefined) };
      break;
    default:
  }
}

function validate(object: KubeObject, old: KubeObject | null, _context: StrategyContext, subresource: string): FieldError[] {
  const pod = object as Pod;
  if (object['spec'] === undefined) return [required('spec.containers')];
  if (old === null) return [...podSpecErrors(pod.spec), ...podMetadataErrors(pod), ...gateErrors(pod.spec)];
  if (subresource === 'status') return immutableErrors('status.qosClass', pod.status.qosClass, (old as Pod).status.qosClass);
  if (subresource === 'resize') return resizeErrors(pod, old as Pod);
  if (subresource === '') return [...podMetadataErrors(pod), ...podUpdateErrors(pod, old as Pod)];
  return [];
}

function admit(object: KubeObject, old: KubeObject | null, context: StrategyContext, subresource: string): void {
  const pod = object as Pod;
  if (old === null) checkServiceAccount(pod, context);
  if (old !== null && subresource !== 'resize') return;
  checkLimitRanges(pod, context);
  checkQuotas('pods', pod, old, context);
}
