/**
 * Machines as network namespaces on one bridge. The cable between two of them is cut by giving each
 * a wrong hardware address of the other: packets leave and are never received, as with a real cut,
 * without a firewall. Needs root and iproute2.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export interface Machine {
  readonly name: string;
  readonly address: string;
  /** Starts a command there; its output goes to a file named `log`. */
  start(command: readonly string[], options: StartOptions): ChildProcess;
  /** Sends a signal to every process there. */
  signal(signal: NodeJS.Signals): void;
  /** Kills every process there with SIGKILL; resolves when none is left. */
  kill(): Promise<void>;
}

export interface StartOptions {
  readonly log: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Network {
  machine(name: string): Machine;
  cut(one: Machine, other: Machine): void;
  reconnect(one: Machine, other: Machine): void;
  /** Kills remaining processes and removes all namespaces and links. */
  close(): Promise<void>;
}

const NOBODY = '02:00:00:00:00:01';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Why namespaces are unavailable here; undefined if they are available. */
export function whyNoNetwork(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may make network namespaces';
  const name = `gw${randomBytes(2).toString('hex')}try`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'delete', name);
    return undefined;
  } catch (error) {
    return `network namespaces cannot be made: ${error instanceof Error ? error.message : error}`;
  }
}

export function openNetwork(folder: string): Network {
  mkdirSync(folder, { recursive: true });
  const tag = randomBytes(2).toString('hex');
  const [high = 0, low = 0] = randomBytes(2);
  const subnet = `10.${64 + (high % 128)}.${low}`;
  const bridge = `g${tag}br`;
  const namespaces: string[] = [];
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('address', 'add', `${subnet}.1/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');

  const machine = (name: string): Machine => {
    const namespace = `g${tag}-${name}`;
    const near = `g${tag}v${namespaces.length}`;
    const address = `${subnet}.${10 + namespaces.length}`;
    namespaces.push(namespace);
    ip('netns', 'add', namespace);
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('link', 'set', near, 'master', bridge, 'up');
    ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    return {
      name,
      address,
      start: (command, options) => startIn(namespace, folder, command, options),
      signal: (signal) => signalAll(namespace, signal),
      kill: () => killAll(namespace),
    };
  };
  const namespaceOf = ({ name }: Machine) => `g${tag}-${name}`;
  const neighbour = (verb: 'replace' | 'delete', at: Machine, { address }: Machine) => {
    const how = verb === 'replace' ? ['lladdr', NOBODY, 'nud', 'permanent'] : [];
    ip('-n', namespaceOf(at), 'neighbour', verb, address, ...how, 'dev', 'eth0');
  };
  return {
    machine,
    cut(one, other) {
      neighbour('replace', one, other);
      neighbour('replace', other, one);
    },
    reconnect(one, other) {
      neighbour('delete', one, other);
      neighbour('delete', other, one);
    },
    async close() {
      for (const namespace of namespaces) {
        await killAll(namespace);
        ip('netns', 'delete', namespace);
      }
      ip('link', 'delete', bridge);
    },
  };
}

function startIn(
  namespace: string,
  folder: string,
  command: readonly string[],
  { log, env = {} }: StartOptions,
): ChildProcess {
  const child = spawn('nsenter', [`--net=/run/netns/${namespace}`, '--', ...command], {
    cwd: existsSync(folder) ? folder : '/',
    env: { PATH, HOME: folder, LC_ALL: 'C', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = createWriteStream(`${folder}/${log}`, { flags: 'a' });
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(file, { end: false });
  child.once('error', (error) => file.write(`${error.message}\n`));
  return child;
}

function pidsIn(namespace: string): number[] {
  return ip('netns', 'pids', namespace).split('\n').filter(Boolean).map(Number);
}

function signalAll(namespace: string, signal: NodeJS.Signals): void {
  for (const pid of pidsIn(namespace)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }
}

async function killAll(namespace: string): Promise<void> {
  while (pidsIn(namespace).length > 0) {
    signalAll(namespace, 'SIGKILL');
    await pause(20);
  }
}

function ip(...words: string[]): string {
  return execFileSync('ip', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
