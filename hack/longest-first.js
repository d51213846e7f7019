// The order in which `make e2e` starts its suites: the longest first, so that no lane ends with a long one while the other is idle.

/** By the seconds that each takes alone, longest first. A suite that is not listed starts before all of them. */
const LONGEST_FIRST = [
  'controlplane/faults',
  'controlplane/permissions',
  'controlplane/ha',
  'controlplane/journey',
  'controlplane/rightsizing',
  'controlplane/admission',
  'controlplane/contract',
  'controlplane/helm-lifecycle',
];

export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => placeOf(a) - placeOf(b) || a.path.localeCompare(b.path));
  }

  /** Jest calls it when all have run; nothing is remembered, so that each run has the same order. */
  cacheResults() {}
}

function placeOf({ path }) {
  return LONGEST_FIRST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
}
