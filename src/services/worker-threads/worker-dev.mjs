// Development only: Node 20 reads no TypeScript, and tsx's hooks do not reach into threads by
// themselves, so each thread registers them before it loads the real worker.
import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register();
await import(workerData);
