import type { ApiTransport } from '#kube/api-transport';
import type { LeaseRecord, LeaseStore, LeaseWrite } from '../../../ports/cluster/lease-store.ts';
import { microTime } from '../micro-time.ts';
import { apiVersionOf, collectionPath, LEASES, objectPath } from '../resources.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from '../status.ts';
import { asObject, numberAt, objectAt, textAt } from '../wire.ts';

/** A LeaseStore over one Lease of coordination.k8s.io. Use a separate transport, so that no request queue delays a renewal. */
export class KubernetesLeaseStore implements LeaseStore {
  readonly #transport: ApiTransport;
  readonly #namespace: string;
  readonly #name: string;

  constructor(transport: ApiTransport, lease: { readonly namespace: string; readonly name: string }) {
    this.#transport = transport;
    this.#namespace = lease.namespace;
    this.#name = lease.name;
  }

  async read(signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const response = await this.#transport.request({ method: 'GET', path: this.#path(), signal });
    const failure = failureOf(response);
    if (failure === null) return readLease(response.body);
    if (isNotFound(failure)) return undefined;
    throw new ApiFault(`reading lease ${this.#namespace}/${this.#name}`, failure);
  }

  async create(lease: LeaseWrite, signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const path = collectionPath(LEASES, this.#namespace);
    const response = await this.#transport.request({ method: 'POST', path, body: this.#body(lease), signal });
    return this.#written('creating', response);
  }

  async update(resourceVersion: string, lease: LeaseWrite, signal: AbortSignal): Promise<LeaseRecord | undefined> {
    const body = this.#body(lease, resourceVersion);
    const response = await this.#transport.request({ method: 'PUT', path: this.#path(), body, signal });
    return this.#written('renewing', response);
  }

  #written(
    attempt: string,
    response: { status: number; headers: Readonly<Record<string, string>>; body: unknown },
  ): LeaseRecord | undefined {
    const failure = failureOf(response);
    if (failure === null) return readLease(response.body);
    // 409: another replica wrote first. 404 on an update: it was deleted meanwhile, which is a lost race as well.
    if (isConflict(failure) || (attempt === 'renewing' && isNotFound(failure))) return undefined;
    throw new ApiFault(`${attempt} lease ${this.#namespace}/${this.#name}`, failure);
  }

  #path(): string {
    return objectPath(LEASES, this.#namespace, this.#name);
  }

  #body(lease: LeaseWrite, resourceVersion?: string): object {
    return {
      apiVersion: apiVersionOf(LEASES),
      kind: LEASES.kind,
      metadata: { name: this.#name, namespace: this.#namespace, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      spec: {
        holderIdentity: lease.holder,
        leaseDurationSeconds: lease.leaseDurationSeconds,
        acquireTime: microTime(lease.acquireTime),
        renewTime: microTime(lease.renewTime),
        leaseTransitions: lease.transitions,
      },
    };
  }
}

function readLease(body: unknown): LeaseRecord {
  const lease = asObject(body, 'lease');
  const spec = objectAt(lease, 'spec');
  return {
    resourceVersion: textAt(objectAt(lease, 'metadata'), 'resourceVersion'),
    holder: textAt(spec, 'holderIdentity'),
    leaseDurationSeconds: numberAt(spec, 'leaseDurationSeconds', 0),
    acquireTime: textAt(spec, 'acquireTime'),
    renewTime: textAt(spec, 'renewTime'),
    transitions: numberAt(spec, 'leaseTransitions', 0),
  };
}
