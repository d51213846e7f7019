import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readPod } from '../../src/adapters/kubernetes/decode/decode-pod.ts';
import { Interner } from '../../src/adapters/kubernetes/decode/interner.ts';
import { podRequests } from '#kube/records/pod-requests';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import { podAmount } from '#embedded-cluster/admission/pod/pod-requests';
import { containerSpecs, podRequests as kubeletRequests } from '#embedded-cluster/nodes/kubelet/pods/pod-spec';
import { schedulingRequests } from '#embedded-cluster/scheduler/pod-requests';

const container = fc.record({
  name: fc.uuid(),
  resources: fc.record({ requests: fc.record({ cpu: fc.nat(2_000).map((cpu) => `${cpu}m`) }) }),
});
const init = fc.tuple(container, fc.boolean()).map(([spec, isSidecar]) => (isSidecar ? { ...spec, restartPolicy: 'Always' } : spec));
const pods = fc
  .record({ initContainers: fc.array(init, { maxLength: 5 }), containers: fc.array(container, { minLength: 1, maxLength: 3 }) })
  .map((spec): Pod => ({ metadata: { name: 'p', namespace: 'a', uid: 'u' }, spec, status: {} }) as unknown as Pod);

test('scheduler, kubelet, quota and Evenkeel compute the same requests of a pod', () => {
  fc.assert(
    fc.property(pods, (pod) => {
      const scheduled = schedulingRequests(pod).get('cpu');
      const byKubelet = kubeletRequests(containerSpecs(pod.spec).map(({ role, resources }) => ({ role, requests: resources.requests })));
      expect(byKubelet.cpuMillicores).toBe(scheduled);
      expect(Number(podAmount(pod, 'requests', 'cpu')?.nano ?? 0n) / 1e6).toBe(scheduled);
      const record = readPod(pod, new Interner());
      expect(podRequests(record, ({ requests }) => requests).cpuMillicores).toBe(scheduled);
    }),
  );
});
