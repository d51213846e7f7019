/** Nodes of one machine type, zone and capacity type. */
export interface TypeTotals {
  readonly machineType: string;
  /** Null: not stated. */
  readonly zone: string | null;
  readonly capacityType: string | null;
  /** Whether the nodes exist and stay; else they are bought. */
  readonly stays: boolean;
  readonly nodes: number;
  readonly usdPerHour: number;
  readonly pods: number;
  /** Shares of the nodes' allocatable that the pods request, 0 to 1; null where the type has none. */
  readonly cpuRequested: number | null;
  readonly memoryRequested: number | null;
}
