/**
 * `npm run dev [-- <flags of gateway serve>]`: a gateway from the sources, restarted when they change, and
 * the console from Vite, reloaded when it changes. The site is kept in `data/dev`, the gateway listens on
 * `GATEWAY_PORT` (3000) and the console on `CONSOLE_PORT` (5173). Ends when either ends.
 */
import { spawn } from 'node:child_process';
import process, { env } from 'node:process';

const { GATEWAY_PORT = '3000', CONSOLE_PORT = '5173', GATEWAY_DATA = 'data/dev' } = env;
const serve = ['src/cli/main.ts', 'serve', '--no-web', ...process.argv.slice(2)];

const children = [
  start('tsx', ['watch', '--clear-screen=false', ...serve]),
  start('vite', ['web', '--host', '127.0.0.1', '--port', CONSOLE_PORT, '--strictPort']),
];

process.stderr.write(
  `console with reload: http://127.0.0.1:${CONSOLE_PORT} (also for the set-up link)\n`,
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(0));
for (const child of children) child.once('exit', (code) => end(code ?? 1));

function start(program, args) {
  return spawn(`node_modules/.bin/${program}`, args, {
    stdio: 'inherit',
    cwd: import.meta.dirname,
    env: { ...env, GATEWAY_PORT, GATEWAY_DATA },
  });
}

function end(code) {
  process.exitCode ??= code;
  for (const child of children) child.kill('SIGTERM');
}
