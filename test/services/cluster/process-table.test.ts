import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { isNodeRunning } from '../../../src/services/cluster/process-table.ts';
import { eventually } from '../../support/site.ts';

let parent: ChildProcess | undefined;
afterEach(() => void parent?.kill('SIGKILL'));

describe('a process', () => {
  it('is running until it has ended', async () => {
    const child = spawn('sleep', ['60']);
    const pid = Number(child.pid);
    expect(isNodeRunning(pid)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isNodeRunning(pid)).toBe(false);
  });

  it.runIf(platform === 'linux')(
    'is not running if it has ended and its parent does not notice',
    async () => {
      // `sleep` replaces the shell and never waits for the shell's child.
      parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
      const program = `/proc/${parent.pid}/comm`;
      const [line] = await once(parent.stdout as NodeJS.ReadableStream, 'data');
      const pid = Number(String(line));
      await eventually('it is replaced', () => readFileSync(program, 'utf8') === 'sleep\n');
      process.kill(pid, 'SIGKILL');
      await eventually('it has ended', () => !isNodeRunning(pid));
      expect(() => process.kill(pid, 0)).not.toThrow();
    },
  );
});
