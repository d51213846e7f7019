#!/usr/bin/env node
import process from 'node:process';
import { COMMANDS } from './commands.ts';
import { runCli } from './run-cli.ts';

process.exitCode = await runCli(COMMANDS);
