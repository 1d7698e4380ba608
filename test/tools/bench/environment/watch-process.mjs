// Loaded into the measured gateway (`--import`). On SIGUSR2 it writes its measurements since the last one to
// BENCH_WATCH_FILE, as a line of JSON: the longest pause of the event loop, the CPU time of the longest (Linux), and
// the largest heap.
import { appendFileSync, readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 10;
const { BENCH_WATCH_FILE: file } = process.env;

if (isMainThread && file !== undefined) {
  let lastMs = performance.now();
  let lastCpuMs = cpuMs();
  let pauseMs = 0;
  let pauseCpuMs = 0;
  let heapBytes = 0;
  const look = () => {
    const now = performance.now();
    pauseMs = Math.max(pauseMs, now - lastMs - EVERY_MS);
    lastMs = now;
    const cpu = cpuMs();
    pauseCpuMs = Math.max(pauseCpuMs, cpu - lastCpuMs);
    lastCpuMs = cpu;
    heapBytes = Math.max(heapBytes, getHeapStatistics().total_heap_size);
  };
  setInterval(look, EVERY_MS).unref();
  process.on('SIGUSR2', () => {
    look();
    appendFileSync(file, `${JSON.stringify({ pauseMs, pauseCpuMs, heapBytes })}\n`);
    pauseMs = 0;
    pauseCpuMs = 0;
    heapBytes = 0;
  });
}

/** CPU time of the main thread. */
function cpuMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN; // not Linux
  }
}
