// Objects of the cases. Their pods name a scheduler that does not run, so that no controller changes them.

import type { Json } from './raw-client.ts';

export const NO_SCHEDULER = 'no-such-scheduler';
const IMAGE = 'registry.example.com/web:1';

export function aConfigMap(name: string, data?: Json, metadata: Json = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...(data === undefined ? {} : { data }) };
}

export function aContainer(more: Json = {}): Json {
  return { name: 'main', image: IMAGE, ...more };
}

export function aPodSpec(more: Json = {}): Json {
  return { schedulerName: NO_SCHEDULER, containers: [aContainer()], ...more };
}

export function aPod(name: string, spec: Json = {}, metadata: Json = {}): Json {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: aPodSpec(spec) };
}

/** A pod with one container with these resources. */
export function aPodWith(name: string, resources: Json, container: Json = {}, spec: Json = {}): Json {
  return aPod(name, { containers: [aContainer({ resources, ...container })], ...spec });
}

export function aTemplate(app: string, podSpec: Json = {}): Json {
  return { metadata: { labels: { app } }, spec: aPodSpec(podSpec) };
}

/** Without replicas by default, for cases that do not test its controller. */
export function aDeployment(name: string, spec: Json = {}, podSpec: Json = {}): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 0, selector: { matchLabels: { app: name } }, template: aTemplate(name, podSpec), ...spec },
  };
}

export function aReplicaSet(name: string, spec: Json = {}): Json {
  return { ...aDeployment(name, spec), kind: 'ReplicaSet' };
}

export function aStatefulSet(name: string, spec: Json = {}): Json {
  return { ...aDeployment(name, { serviceName: name, ...spec }), kind: 'StatefulSet' };
}

export function aDaemonSet(name: string, spec: Json = {}): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name },
    // On no node: the cases test the object only.
    spec: { selector: { matchLabels: { app: name } }, template: aTemplate(name, { nodeSelector: { nowhere: 'true' } }), ...spec },
  };
}

/** Suspended by default. */
export function aJob(name: string, spec: Json = {}): Json {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { suspend: true, template: { spec: aPodSpec({ restartPolicy: 'Never' }) }, ...spec },
  };
}

export function aCronJob(name: string, spec: Json = {}): Json {
  const template = { spec: { template: { spec: aPodSpec({ restartPolicy: 'Never' }) } } };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { suspend: true, schedule: '0 0 1 1 *', jobTemplate: template, ...spec },
  };
}

export function aService(name: string, spec: Json = {}): Json {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec } };
}

export function anAutoscaler(name: string, spec: Json = {}): Json {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  };
}

export function aBudget(name: string, spec: Json = {}): Json {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  };
}

export function anOwner(object: Json, more: Json = {}): Json {
  return { apiVersion: object.apiVersion, kind: object.kind, name: object.metadata.name, uid: object.metadata.uid, ...more };
}
