// What the embedded cluster accepts, stores and shows, but does not act on: the writer gets a warning.

import { isObject } from '#kube/json';
import type { KubeObject } from '../api/kube-object.ts';
import type { ResourceStrategy } from '../api/strategy.ts';

const GROUP = 'admissionregistration.k8s.io';

/** By resource. */
export const WITHOUT_EFFECT: Readonly<Record<string, ResourceStrategy>> = {
  replicationcontrollers: stored('no controller acts on a ReplicationController; use a Deployment'),
  [`mutatingwebhookconfigurations.${GROUP}`]: stored('admission webhooks are stored and never called'),
  [`validatingwebhookconfigurations.${GROUP}`]: stored('admission webhooks are stored and never called'),
  [`validatingadmissionpolicies.${GROUP}`]: stored('validating admission policies are stored and not enforced'),
  [`validatingadmissionpolicybindings.${GROUP}`]: stored('validating admission policies are stored and not enforced'),
};

/** Requests for a pod as a whole count wherever room is reckoned; its limits bound nothing. */
export function podWarnings(pod: KubeObject): readonly string[] {
  const spec = isObject(pod['spec']) ? pod['spec'] : {};
  const resources = isObject(spec['resources']) ? spec['resources'] : {};
  return resources['limits'] === undefined ? [] : [words('spec.resources.limits: limits of a pod as a whole are stored and not enforced')];
}

function stored(what: string): ResourceStrategy {
  return { warnings: () => [words(what)] };
}

function words(what: string): string {
  return `embedded cluster: ${what}`;
}
