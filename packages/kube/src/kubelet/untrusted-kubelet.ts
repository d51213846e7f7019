/** Remedy for kubelets with untrusted certificates. */
export const UNTRUSTED_REMEDY =
  'set serverTLSBootstrap: true for the kubelets and approve their certificate signing requests, or set kubelet.viaProxy: true';

/**
 * The cluster's CA did not issue the kubelet's serving certificate, or it is expired or for another name. kubeadm creates
 * self-signed certificates by default. The kubelet may be healthy, but cannot be read.
 */
export class UntrustedKubelet extends Error {
  readonly kubelet: string;
  readonly code: string;

  /** @param code TLS error code, such as `DEPTH_ZERO_SELF_SIGNED_CERT` */
  constructor(kubelet: string, code: string, options?: ErrorOptions) {
    super(`${kubelet}: its certificate is not one of the cluster's CA (${code}): ${UNTRUSTED_REMEDY}`, options);
    this.name = 'UntrustedKubelet';
    this.kubelet = kubelet;
    this.code = code;
  }
}
