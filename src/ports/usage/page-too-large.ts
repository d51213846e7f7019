/** A response exceeds its maximum size, such as a kubelet's page for the pods of its node. It is discarded. */
export class PageTooLarge extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'PageTooLarge';
  }
}
