/** What makes kubelets readable whose certificates are not trusted. */
export const UNTRUSTED_REMEDY =
  'set serverTLSBootstrap: true for the kubelets and approve their certificate signing requests, or set kubelet.viaProxy: true';

/**
 * A kubelet's serving certificate is not one of the cluster's CA: self-signed, as kubeadm leaves it, or expired, or of another name.
 * The kubelet may be well, but nothing can be read of it.
 */
export class UntrustedKubelet extends Error {
  readonly kubelet: string;
  readonly code: string;

  /** @param code what TLS answered: `DEPTH_ZERO_SELF_SIGNED_CERT` */
  constructor(kubelet: string, code: string, options?: ErrorOptions) {
    super(`${kubelet}: its certificate is not one of the cluster's CA (${code}): ${UNTRUSTED_REMEDY}`, options);
    this.name = 'UntrustedKubelet';
    this.kubelet = kubelet;
    this.code = code;
  }
}
