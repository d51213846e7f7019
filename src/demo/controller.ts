#!/usr/bin/env node
// evenkeel-controller beside an embedded cluster of another process, whose virtual clock it follows.

import { controllerBinary } from '../cmd/controller/binary.ts';
import { runAsProcess } from '../cmd/process/run-binary.ts';
import { followClock } from './follow-clock.ts';

await runAsProcess(controllerBinary(followClock));
