/** A kubelet's page has more bytes than what its node runs can account for. Nothing of it is used. */
export class PageTooLarge extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'PageTooLarge';
  }
}
