// The order in which `make e2e` starts its suites: the longest first, so that no lane ends with a long one while the other is idle.

/** By the seconds that each takes alone, longest first. Suites that are not listed follow. */
const LONGEST_FIRST = [
  'controlplane/faults',
  'controlplane/ha',
  'controlplane/permissions',
  'controlplane/admission',
  'controlplane/contract',
  'controlplane/bulk',
  'controlplane/journey',
  'controlplane/rightsizing',
  'controlplane/helm-lifecycle',
  'controlplane/dockerfile',
];

export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => placeOf(a) - placeOf(b) || a.path.localeCompare(b.path));
  }

  /** Jest calls it when all have run; nothing is remembered, so that each run has the same order. */
  cacheResults() {}
}

function placeOf({ path }) {
  const place = LONGEST_FIRST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return place === -1 ? LONGEST_FIRST.length : place;
}
