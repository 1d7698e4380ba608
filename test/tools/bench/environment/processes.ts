/** Child processes of the benchmark and their cost as reported by the operating system. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Child {
  readonly pid: number;
  readonly url: string;
  /** Set if Node was started with `--inspect`. */
  readonly inspectorUrl: string | undefined;
  stop(): Promise<void>;
}

/** Starts a child process and waits until it prints its listen address. */
export async function startChild(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Child> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const { url, output } = await listening(child);
  const inspectorUrl = /ws:\/\/\S+/.exec(output)?.[0];
  return { pid: child.pid ?? 0, url, inspectorUrl, stop: () => stop(child) };
}

function listening(child: ChildProcess): Promise<{ url: string; output: string }> {
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        output += `${line}\n`;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
        if (found !== null) resolve({ url: found[0], output });
      });
    }
    child.once('exit', (code) => reject(new Error(`child ended with ${code}: ${output}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** A process and its children. */
export function familyOf(pid: number): number[] {
  try {
    const printed = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
    return [pid, ...printed.trim().split('\n').map(Number)];
  } catch {
    return [pid]; // pgrep fails where there is none
  }
}

/**
 * User + system time of the threads of a process, in microseconds. From the scheduler, because the
 * clock ticks of /proc/<pid>/stat are 10 ms long (kernel.org, scheduler/sched-stats).
 */
function cpuUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, id) => sum + threadCpuUs(pid, id), 0);
}

function threadCpuUs(pid: number, thread: string): number {
  const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return Number(ns) / 1_000;
}

/** That of the main thread alone, whose event loop all calls share. */
export function mainThreadCpuUs(pid: number): number {
  return threadCpuUs(pid, String(pid));
}

/** The total for several processes (nginx has a master and workers). */
export function cpuUsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuUs(pid), 0);
}

/** Resident memory in bytes. */
export function rssBytes(pid: number, field = 'VmRSS'): number {
  const match = new RegExp(`${field}:\\s+(\\d+) kB`).exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  );
  return Number(match?.[1] ?? 0) * 1024;
}

/** The peak since `resetPeakRss`. */
export function peakRssBytes(pid: number): number {
  return rssBytes(pid, 'VmHWM');
}

/** Writing 5 resets the peak to the current resident size (proc(5), clear_refs). */
export function resetPeakRss(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
