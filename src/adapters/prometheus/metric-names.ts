// Names of all metrics that are read. The cluster check covers exactly these.

/** Metrics of cAdvisor. */
export const CPU = 'container_cpu_usage_seconds_total';
export const MEMORY = 'container_memory_working_set_bytes';
export const THROTTLED = 'container_cpu_cfs_throttled_periods_total';
export const PERIODS = 'container_cpu_cfs_periods_total';
export const OOM_EVENTS = 'container_oom_events_total';

/** Metrics of kube-state-metrics. */
export const LAST_TERMINATED_REASON = 'kube_pod_container_status_last_terminated_reason';
export const RESTARTS = 'kube_pod_container_status_restarts_total';
export const LIMITS = 'kube_pod_container_resource_limits';
export const POD_OWNER = 'kube_pod_owner';
export const REPLICA_SET_OWNER = 'kube_replicaset_owner';
export const JOB_OWNER = 'kube_job_owner';

const CONTAINER_METRICS = [CPU, MEMORY, THROTTLED, PERIODS, OOM_EVENTS];
const STATE_METRICS = [LAST_TERMINATED_REASON, RESTARTS, LIMITS, POD_OWNER, REPLICA_SET_OWNER, JOB_OWNER];

/** Matcher of the metrics of running containers. */
export const ANY_CONTAINER_METRICS = `__name__=~"${CONTAINER_METRICS.join('|')}"`;
/** Matcher of every metric that is read. */
export const ANY = `__name__=~"${[...CONTAINER_METRICS, ...STATE_METRICS].join('|')}"`;
