import { countedResource, quotaUsage } from '../../admission/quota-usage.ts';
import type { ResourceQuota } from '../../admission/quota-usage.ts';
import { writeAmount } from '../../admission/amounts.ts';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { keyOf, splitKey } from '../object-key.ts';
import { watchKeys } from '../owners/owner-watch.ts';
import { WorkList } from '../work-list.ts';

const RESOURCE = 'resourcequotas';
/** Resources that any quota may count, even without a key of their own. */
const WATCHED = ['pods', 'persistentvolumeclaims', 'services', 'configmaps', 'secrets'] as const;

/** Updates `status.used` of every quota for clients. Admission computes its own usage. */
export function startQuotaStatus({ cluster, clock }: ControllerPorts): Stop {
  const work = new WorkList(clock, (key) => {
    const { namespace, name } = splitKey(key);
    const quota = cluster.get(RESOURCE, namespace, name) as ResourceQuota | undefined;
    if (quota === undefined) return;
    const used = Object.fromEntries(
      [...quotaUsage(quota, (resource) => cluster.list(resource, { namespace }))].map(([resource, amount]) => [
        resource,
        writeAmount(amount),
      ]),
    );
    const status = { hard: quota.spec?.hard ?? {}, used };
    if (isEqualJson(status, quota.status)) return;
    cluster.modifyStatus(RESOURCE, namespace, name, (draft) => {
      draft['status'] = status;
    });
  });
  const stops = [
    watchKeys(cluster, RESOURCE, (key) => work.add(key)),
    ...WATCHED.map((resource) =>
      cluster.onChange(resource, ({ object }) => {
        for (const quota of cluster.list(RESOURCE, { namespace: object.metadata.namespace ?? '' }) as readonly ResourceQuota[]) {
          if (Object.keys(quota.spec?.hard ?? {}).some((key) => countedResource(key) === resource)) work.add(keyOf(quota));
        }
      }),
    ),
  ];
  return work.stopAfter(stops);
}
