// The order in which `make e2e` starts its suites: the longest first, so that no lane ends with a long one while the other is idle.

/** By the seconds that each took, longest first. Suites that are not listed follow. */
export const LONGEST_FIRST = [
  'controlplane/faults', // 346
  'controlplane/evidence', // at most 300: usage is taken in by five minutes of the machine's time
  'controlplane/ha', // 210
  'e2e/memory', // 164
  'e2e/determinism', // 153
  'controlplane/journey', // 144
  'controlplane/dockerfile', // 136
  'controlplane/bulk', // 121
  'e2e/crash', // 117
  'e2e/uninstall', // 99
  'controlplane/contract', // 98
  'controlplane/rightsizing', // 92
  'controlplane/permissions', // 84
  'controlplane/helm-lifecycle', // 83
  'controlplane/harm', // 75
  'e2e/faults', // 80
  'controlplane/admission', // 79
  'e2e/vpa-loops/sizes', // 72
  'e2e/vpa-loops/oom-kills', // 68
  'controlplane/chart', // 67
  'controlplane/history-postgres', // 60
];

export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => rankOf(a) - rankOf(b) || a.path.localeCompare(b.path));
  }

  /** Jest calls it when all have run. Nothing is stored, so that each run has the same order. */
  cacheResults() {}
}

function rankOf({ path }) {
  const rank = LONGEST_FIRST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? LONGEST_FIRST.length : rank;
}
