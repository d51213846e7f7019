// Strategies see drafts before their schema does, so any input must get a response and never cause a fault.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiWorld } from '../../testing/api-world.ts';
import { aPodTemplate } from '../../testing/workloads.ts';
import { embeddedActions, embeddedStrategies } from './index.ts';

const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } };
const podSpec = {
  ...aPodTemplate().spec,
  containers: [{ name: 'main', image: 'web:1', resources, resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }],
  initContainers: [{ name: 'proxy', image: 'proxy:1', restartPolicy: 'Always', resources }],
  tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoExecute' }],
  volumes: [{ name: 'data', emptyDir: {} }],
};
const template = { metadata: { labels: { app: 'web' } }, spec: podSpec };
const ending = { ...template, spec: { ...podSpec, restartPolicy: 'Never' } };
const selector = { matchLabels: { app: 'web' } };

const OBJECTS: Readonly<Record<string, object>> = {
  '/api/v1/namespaces/default/pods': { spec: podSpec },
  '/apis/apps/v1/namespaces/default/deployments': {
    spec: { replicas: 1, selector, template, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
  },
  '/apis/apps/v1/namespaces/default/replicasets': { spec: { replicas: 1, selector, template } },
  '/apis/apps/v1/namespaces/default/statefulsets': {
    spec: {
      selector,
      template,
      serviceName: 'web',
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }],
    },
  },
  '/apis/apps/v1/namespaces/default/daemonsets': {
    spec: { selector, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } },
  },
  '/apis/batch/v1/namespaces/default/jobs': { spec: { template: ending, completions: 1 } },
  '/apis/batch/v1/namespaces/default/cronjobs': {
    spec: { schedule: '0 * * * *', timeZone: 'UTC', jobTemplate: { spec: { template: ending } } },
  },
  '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers': {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
      behavior: { scaleUp: { policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] } },
    },
  },
  '/apis/policy/v1/namespaces/default/poddisruptionbudgets': { spec: { selector, maxUnavailable: 1 } },
  '/api/v1/namespaces/default/services': {
    spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
  },
  '/api/v1/namespaces/default/persistentvolumeclaims': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  '/api/v1/namespaces/default/secrets': { stringData: { a: 'b' }, type: 'Opaque' },
  '/api/v1/namespaces/default/limitranges': { spec: { limits: [{ type: 'Container', min: { cpu: '1m' }, max: { cpu: '8' } }] } },
  '/api/v1/namespaces/default/resourcequotas': { spec: { hard: { pods: '100000' }, scopes: ['NotTerminating'] } },
  '/apis/scheduling.k8s.io/v1/priorityclasses': { value: 5, description: 'x' },
  '/api/v1/nodes': { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] }, status: {} },
};

const JUNK = fc.constantFrom<unknown>(null, 0, -1, 1.5, '', 'x', true, [], {}, [null], ['x'], { x: null }, [[]], [{}]);

/** Every place in an object, as a path. */
function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return [[...path], ...Object.entries(value).flatMap(([key, child]) => placesIn(child, [...path, key]))];
}

function withJunk(object: object, path: readonly string[], junk: unknown): object {
  const copy = structuredClone(object) as Record<string, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[path.at(-1)!] = junk;
  return copy;
}

describe('any input of a client gets a response', () => {
  test.each(Object.entries(OBJECTS))('%s', async (path, object) => {
    const world = new ApiWorld({ strategies: embeddedStrategies(), actions: embeddedActions() });
    const places = placesIn(object).filter((place) => place.length > 0);
    const created = await world.post(path, { ...object, metadata: { name: 'good' } });
    expect(created).toMatchObject({ status: 201 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), JUNK, async (place, junk) => {
        const body = withJunk(object, place, junk);
        const answers = [
          await world.post(path, { ...body, metadata: { generateName: 'x-' } }, { dryRun: 'All' }),
          await world.patch('merge', `${path}/good`, body, { dryRun: 'All' }),
          ...(path.endsWith('/pods') ? [await world.patch('merge', `${path}/good/resize`, body, { dryRun: 'All' })] : []),
        ];
        for (const { status, body: answer } of answers) if (status >= 500) throw new Error(`${String(status)}: ${JSON.stringify(answer)}`);
        for (const { level, fields } of world.logger.lines) if (level === 'error') throw fields['err'] as Error;
      }),
      { numRuns: 150 },
    );
  });
});
