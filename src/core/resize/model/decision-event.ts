/** A Kubernetes Event that a decision publishes on the workload. */
export interface DecisionEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'Idled'
    | 'Woken'
    | 'RolledBack'
    | 'ApprovalLapsed'
    | 'ResizeDeferred'
    | 'ResizeInfeasible'
    | 'ResizeReverted'
    | 'InvalidAnnotation'
    | 'UnknownAnnotation'
    | 'RecordNotSigned'
    | 'RecordOutdated'
    | 'RecordUnreadable'
    | 'LimitExceeded'
    | 'CeilingReached'
    | 'LimitExceptionRecurs'
    | 'NodeOutOfMemory'
    | 'HotReplicaRaised'
    | 'LimitExceptionApproved'
    | 'LimitExceptionRejected'
    | 'LimitExceptionResolved'
    | 'AutoscalerReverted';
  readonly message: string;
}
