/** The built command in a pseudo-terminal made by `script`, which is part of Linux. */
import path from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test, vi } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const ENTRY = path.resolve('bin/gateway.js');
const ENTERED = '\u001B[?1049h';
const LEFT = '\u001B[?25h\u001B[?1049l';
const folder = tempFolder();

beforeAll(async () => {
  await execa('node', ['build.mjs', '--server', '--if-needed']);
  const words = ['setup', '--username', 'root', '--password-stdin'];
  await execa('node', [ENTRY, ...words], { ...settings(), input: 'password-1\n' });
});

function settings() {
  const env = { PATH: process.env.PATH, TERM: 'xterm-256color', GATEWAY_DATA: folder };
  return { env, extendEnv: false, reject: false, cwd: folder } as const;
}

/** Starts the dashboard in a terminal of 100 x 30 and returns its process id. */
async function started(more: Readonly<Record<string, string>> = {}) {
  const command = `stty cols 100 rows 30; echo "pid $$;"; exec node ${ENTRY} tui --screen users`;
  const { env, ...others } = settings();
  const child = execa('script', ['-qfec', command, '/dev/null'], {
    ...others,
    env: { ...env, ...more },
    stdin: 'pipe',
    buffer: false,
  });
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  const sees = (text: string) =>
    vi.waitFor(() => expect(shown).toContain(text), { timeout: 30_000, interval: 20 });
  await sees('super');
  const pid = Number(/pid (\d+);/.exec(shown)?.[1]);
  return { child, pid, sees, shown: () => shown };
}

test('draws on the alternate screen and restores the terminal', async () => {
  const { child, sees, shown } = await started();
  child.stdin?.write('?');
  await sees('Everywhere');
  child.stdin?.write('q');
  child.stdin?.write('q');
  const { exitCode } = await child;
  expect(exitCode).toBe(0);
  const text = shown();
  expect(text.indexOf(ENTERED)).toBeLessThan(text.indexOf('super'));
  expect(text.trimEnd().endsWith(LEFT)).toBe(true);
});

test('SIGTERM and Ctrl+Z restore the terminal, and resuming redraws it', async () => {
  const { child, pid, sees, shown } = await started();
  child.stdin?.write('\u001A');
  await sees(LEFT);
  const stoppedAt = shown().length;
  process.kill(pid, 'SIGCONT');
  await vi.waitFor(() => expect(shown().slice(stoppedAt)).toContain(ENTERED), { timeout: 30_000 });
  process.kill(pid, 'SIGTERM');
  await child;
  expect(shown().trimEnd().endsWith(LEFT)).toBe(true);
});

test('writes lines of text for a screen reader, outside the alternate screen', async () => {
  const { child, sees, shown } = await started({ INK_SCREEN_READER: 'true', NO_COLOR: '1' });
  await sees('1/1, id: 1, name: root');
  child.stdin?.write('/root');
  await sees('filter: root');
  child.stdin?.write('\r');
  await sees('filter: root  1 shown');
  child.stdin?.write('q');
  expect((await child).exitCode).toBe(0);
  expect(shown()).not.toContain(ENTERED);
  expect(shown()).not.toMatch(/[─-┿▁-█]/u);
});

test('suggests an alternative in a pipe, and --once prints one plain frame', async () => {
  const refused = await execa('node', [ENTRY, 'tui'], settings());
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    'tui needs a terminal; use `gateway status` or `gateway log list --json`',
  );
  const once = await execa('node', [ENTRY, 'tui', '--once', '--screen', 'users'], settings());
  expect(once.exitCode).toBe(0);
  expect(once.stdout).toMatch(/root .*super/);
  expect(once.stdout).not.toContain('\u001B');
});
