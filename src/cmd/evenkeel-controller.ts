#!/usr/bin/env node
// evenkeel-controller: right-sizes workloads, and serves the dashboard and its API.

import { controllerBinary } from './controller/binary.ts';
import { runAsProcess } from './process/run-binary.ts';

await runAsProcess(controllerBinary());
