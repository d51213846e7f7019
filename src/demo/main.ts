#!/usr/bin/env node
// `evenkeel` of a checkout: the commands of the image, and the demo.

import process from 'node:process';
import { COMMANDS } from '../cli/commands.ts';
import { runCli } from '../cli/run-cli.ts';

process.exitCode = await runCli({ ...COMMANDS, demo: async () => (await import('./command.ts')).demoCommand });
