/** An answer has more bytes than it may, such as a kubelet's page for what its node runs. Nothing of it is used. */
export class PageTooLarge extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'PageTooLarge';
  }
}
