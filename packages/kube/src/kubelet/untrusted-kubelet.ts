export interface UntrustedKubeletOptions extends ErrorOptions {
  /** What an operator can do about it; ends the message. */
  readonly remedy?: string;
}

/**
 * A kubelet's serving certificate is not one of the cluster's CA: self-signed, as kubeadm leaves it, or expired, or of another name.
 * The kubelet may be well, but nothing can be read of it.
 */
export class UntrustedKubelet extends Error {
  readonly kubelet: string;
  readonly code: string;

  /** @param code what TLS answered: `DEPTH_ZERO_SELF_SIGNED_CERT` */
  constructor(kubelet: string, code: string, { remedy, ...options }: UntrustedKubeletOptions = {}) {
    super(`${kubelet}: its certificate is not one of the cluster's CA (${code})${remedy === undefined ? '' : `: ${remedy}`}`, options);
    this.name = 'UntrustedKubelet';
    this.kubelet = kubelet;
    this.code = code;
  }
}
