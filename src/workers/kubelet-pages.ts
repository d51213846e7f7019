// Worker thread that fetches and parses pages of kubelets.

import { parentPort, workerData } from 'node:worker_threads';
import { PageService, type KubeletReach, type PageRequest } from '../adapters/kubelet/pages/page-service.ts';

const service = new PageService(workerData as KubeletReach, (reply) => parentPort?.postMessage(reply));
parentPort?.on('message', (request: PageRequest) => service.handle(request));
