// Pages of a played kubelet in the format and, within a fifth, the size of real ones.

import { gzipSync } from 'node:zlib';
import { coresOf, cpuSecondsOf, type RunningPod, workingSetOf } from './kubelet-pods.ts';
import { nodeName, type PlannedContainer } from './cluster-plan.ts';

const CFS_PERIODS_PER_SECOND = 10;
/** A page of 30 pods has about 1.5 MB, of which the controller reads three families. */
const OTHER_FAMILIES = 45;
const CONTAINERS = 37;

export function resourcePage(pods: Iterable<RunningPod>, nowMs: number): string {
  let [cpu, memory, start, podCpu, podMemory] = ['', '', '', '', ''];
  let [nodeCpu, nodeMemory] = [0, 0];
  for (const pod of pods) {
    const { workload, name, startedAtMs } = pod;
    const ofPod = `namespace="${workload.namespace}",pod="${name}"`;
    let [seconds, bytes] = [0, 0];
    for (const container of workload.containers) {
      const labels = `{container="${container.name}",${ofPod}}`;
      const [used, workingSet] = [cpuSecondsOf(pod, container, nowMs), workingSetOf(workload, container, nowMs)];
      cpu += `container_cpu_usage_seconds_total${labels} ${used.toFixed(6)} ${nowMs}\n`;
      memory += `container_memory_working_set_bytes${labels} ${workingSet} ${nowMs}\n`;
      start += `container_start_time_seconds${labels} ${startedAtMs / 1000}\n`;
      seconds += used;
      bytes += workingSet;
    }
    podCpu += `pod_cpu_usage_seconds_total{${ofPod}} ${seconds.toFixed(6)} ${nowMs}\n`;
    podMemory += `pod_memory_working_set_bytes{${ofPod}} ${bytes} ${nowMs}\n`;
    nodeCpu += seconds;
    nodeMemory += bytes;
  }
  return [
    family('container_cpu_usage_seconds_total', 'counter', cpu),
    family('container_memory_working_set_bytes', 'gauge', memory),
    family('container_start_time_seconds', 'gauge', start),
    family('node_cpu_usage_seconds_total', 'counter', `node_cpu_usage_seconds_total ${nodeCpu.toFixed(6)} ${nowMs}\n`),
    family('node_memory_working_set_bytes', 'gauge', `node_memory_working_set_bytes ${nodeMemory} ${nowMs}\n`),
    family('pod_cpu_usage_seconds_total', 'counter', podCpu),
    family('pod_memory_working_set_bytes', 'gauge', podMemory),
    family('resource_scrape_error', 'gauge', 'resource_scrape_error 0\n'),
  ].join('');
}

function family(name: string, type: string, samples: string): string {
  return `# HELP ${name} [STABLE] As the kubelet describes it\n# TYPE ${name} ${type}\n${samples}`;
}

export function summaryPage(node: number, pods: Iterable<RunningPod>, nowMs: number): string {
  const time = new Date(nowMs).toISOString();
  const texts: string[] = [];
  for (const pod of pods) texts.push(podSummary(pod, nowMs, time));
  return `{"node":{"nodeName":"${nodeName(node)}","startTime":"${time}","cpu":${cpuStats(4, 1e6, time)},"memory":${memoryStats(2 ** 34, time)}},"pods":[${texts.join()}]}`;
}

function podSummary(pod: RunningPod, nowMs: number, time: string): string {
  const { workload, name, uid, startedAtMs } = pod;
  const startTime = new Date(startedAtMs).toISOString();
  const [cores, seconds, bytes] = [
    sum(pod, coresOf, nowMs),
    sum(pod, (_, each) => cpuSecondsOf(pod, each, nowMs), nowMs),
    sum(pod, workingSetOf, nowMs),
  ];
  const containers = workload.containers.map(
    (container) =>
      `{"name":"${container.name}","startTime":"${startTime}","cpu":${cpuStats(coresOf(workload, container, nowMs), cpuSecondsOf(pod, container, nowMs), time)},"memory":${memoryStats(workingSetOf(workload, container, nowMs), time)},"io":{"time":"${time}","psi":${psi(0)}},"rootfs":${fileSystem(time, 4096)},"logs":${fileSystem(time, 65536)},"swap":{"time":"${time}","swapUsageBytes":0}}`,
  );
  const counters = `"rxBytes":${Math.round(seconds * 1e4)},"rxErrors":0,"txBytes":${Math.round(seconds * 1.4e4)},"txErrors":0`;
  return `{"podRef":{"name":"${name}","namespace":"${workload.namespace}","uid":"${uid}"},"startTime":"${startTime}","containers":[${containers.join()}],"cpu":${cpuStats(cores, seconds, time)},"memory":${memoryStats(bytes, time)},"network":{"time":"${time}","name":"eth0",${counters},"interfaces":[{"name":"eth0",${counters}}]},"volume":[{${fileSystem(time, 4096).slice(1, -1)},"name":"config"},{${fileSystem(time, 12288).slice(1, -1)},"name":"kube-api-access"}],"ephemeral-storage":${fileSystem(time, 69632)},"process_stats":{"process_count":4}}`;
}

function sum(
  { workload }: RunningPod,
  of: (workload: RunningPod['workload'], container: PlannedContainer, nowMs: number) => number,
  nowMs: number,
): number {
  return workload.containers.reduce((total, container) => total + of(workload, container, nowMs), 0);
}

function cpuStats(cores: number, seconds: number, time: string): string {
  return `{"time":"${time}","usageNanoCores":${Math.round(cores * 1e9)},"usageCoreNanoSeconds":${Math.round(seconds * 1e9)},"psi":${psi(0.4)}}`;
}

function memoryStats(bytes: number, time: string): string {
  const [usage, rss] = [Math.round(bytes * 1.12), Math.round(bytes * 0.9)];
  return `{"time":"${time}","availableBytes":${Math.round(bytes)},"usageBytes":${usage},"workingSetBytes":${Math.round(bytes)},"rssBytes":${rss},"pageFaults":48213,"majorPageFaults":12,"psi":${psi(0)}}`;
}

function psi(percent: number): string {
  const data = `{"total":${1_000 + Math.round(percent * 1e9)},"avg10":${percent},"avg60":${percent},"avg300":${percent}}`;
  return `{"full":${data},"some":${data}}`;
}

function fileSystem(time: string, usedBytes: number): string {
  return `{"time":"${time}","availableBytes":70368744177,"capacityBytes":101203873792,"usedBytes":${usedBytes},"inodesFree":6093713,"inodes":6258720,"inodesUsed":9}`;
}

/** The families of `/metrics/cadvisor` that the controller reads. */
export function counterFamilies(pods: Iterable<RunningPod>, nowMs: number): string {
  let [periods, throttled, kills] = ['', '', ''];
  for (const { workload, name, uid, startedAtMs } of pods) {
    for (const container of workload.containers) {
      const id = `/kubepods/burstable/pod${uid}/${uid.replaceAll('-', '').repeat(2)}`;
      const image = `registry.example.com/${workload.namespace}/${workload.name}-${container.name}:1.42.0`;
      const labels = `{container="${container.name}",id="${id}",image="${image}",name="${container.name}",namespace="${workload.namespace}",pod="${name}"}`;
      kills += `container_oom_events_total${labels} 0 ${nowMs}\n`;
      if (container.limits.cpu === undefined) continue;
      const elapsed = Math.floor(((nowMs - startedAtMs) / 1000) * CFS_PERIODS_PER_SECOND);
      periods += `container_cpu_cfs_periods_total${labels} ${elapsed} ${nowMs}\n`;
      throttled += `container_cpu_cfs_throttled_periods_total${labels} ${Math.floor(elapsed / 200)} ${nowMs}\n`;
    }
  }
  return [
    family('container_cpu_cfs_periods_total', 'counter', periods),
    family('container_cpu_cfs_throttled_periods_total', 'counter', throttled),
    family('container_oom_events_total', 'counter', kills),
  ].join('');
}

/** The families that the controller skips: the same for every node, compressed once. */
export const OTHER_COUNTERS: { readonly text: string; readonly gzip: Buffer } = otherCounters();

function otherCounters(): { readonly text: string; readonly gzip: Buffer } {
  const families = Array.from({ length: OTHER_FAMILIES }, (_, index) => {
    const name = `container_other_${index}_total`;
    const samples = Array.from({ length: CONTAINERS }, (_each, container) => {
      const id = `/kubepods/burstable/pod6e8f0a5e-1c1e-4c63-9d3a-${container}/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef`;
      const image = 'registry.example.com/team/service:1.42.0';
      const labels = `container="service-${container}",device="/dev/sda",id="${id}",image="${image}",name="service",namespace="team",pod="pod-${container}"`;
      const samplesOfContainer = ['Read', 'Write'].map(
        (operation) => `${name}{${labels},operation="${operation}"} ${index * container} 1767225600000\n`,
      );
      return samplesOfContainer.join('');
    });
    return family(name, 'counter', samples.join(''));
  });
  const text = families.join('');
  return { text, gzip: gzipSync(text) };
}
