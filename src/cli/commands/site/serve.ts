/** `gateway serve` and `gateway demo`: run until a signal ends them. */
import type { Config, ConfigFlags } from '../../../config.ts';
import type { ServeHooks } from '../../../server/serve-hooks.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import { requireLocal } from '../../servers/select-server.ts';

const run = command({
  usage: 'serve',
  flags: [
    '--host <address>',
    '--port <port>',
    '--workers <count>',
    '--log-dir <folder>',
    '--no-web',
    '--check-config',
  ],
  examples: [
    'serve',
    'serve --host 0.0.0.0 --port 8080',
    'serve --workers auto',
    'serve --check-config',
  ],
  ownsSignal: true,
  ownsTimeout: true,
  async run(cli, { host, port, workers, logDir, web, checkConfig }) {
    await requireLocal(cli, 'serve');
    // There is only `--no-web`; without it the environment decides.
    const flags: ConfigFlags = { host, port, workers, logDir, ...(web === false && { web }) };
    const config = await cli.config(flags);
    if (checkConfig) {
      cli.note(cli.t('cli.notes.config_fine'));
      return EXIT.ok;
    }
    const { default: cluster } = await import('node:cluster');
    if (cluster.worker !== undefined) {
      const { serveAsWorker } = await import('../../../server/workers/worker.ts');
      await serveAsWorker(config, cluster.worker, cli.io);
      return EXIT.ok;
    }
    const { announceServer } = await import('../../servers/running-servers.ts');
    let withdraw = (): void => undefined;
    const hooks = hooksOf(cli, (url) => {
      withdraw = announceServer(config, url);
    });
    try {
      return await served(config, hooks);
    } finally {
      withdraw();
    }
  },
});

async function served(config: Config, hooks: ServeHooks): Promise<ExitCode> {
  if (config.workers > 1) {
    const { serveWithWorkers } = await import('../../../server/workers/worker-pool.ts');
    const code = await serveWithWorkers(config, hooks);
    // A worker's failed start determines the exit status; the worker has already printed the error.
    return Object.values(EXIT).find((known) => known === code) ?? EXIT.failed;
  }
  const { serveUntilStopped } = await import('../../../server/serve.ts');
  await serveUntilStopped(config, hooks);
  return EXIT.ok;
}

function hooksOf(cli: Cli, onListening: (url: string) => void): ServeHooks {
  return {
    signal: cli.io.signal,
    listening({ url, setupUrl, mismatchedAddress, workers }) {
      onListening(url);
      cli.note(`listening on ${url}${workers > 1 ? ` with ${workers} workers` : ''}`);
      if (setupUrl !== undefined) cli.note(`not set up yet: open ${setupUrl}`);
      if (mismatchedAddress !== undefined)
        cli.note(cli.t('cli.doctor.unfit_address', { address: mismatchedAddress }));
    },
    draining: () => cli.note('draining: no new calls, running ones may finish'),
  };
}

const OPENAI = 'https://api.openai.com';

const demoRun = command({
  usage: 'demo',
  flags: [
    '--exit',
    '--port <port>',
    '--base-url <url>',
    '--key <key>',
    '--key-env <variable>',
    '--model <model>',
  ],
  examples: [
    'demo',
    'demo --exit',
    'demo --base-url http://127.0.0.1:11434 --key-env OLLAMA_KEY --model llama4',
  ],
  ownsSignal: true,
  ownsTimeout: true,
  async run(cli, { exit = false, port, model = 'gpt-4o-mini', ...upstream }) {
    const { runDemo } = await import('../../../demo/demo.ts');
    const options = {
      exit,
      port: cli.values.wholeNumber('--port', port) ?? 0,
      model,
      ...(await demoUpstream(cli, upstream)),
    };
    const code = await runDemo(options, { out: (text) => cli.io.out(text), signal: cli.io.signal });
    return code === 0 ? EXIT.ok : EXIT.failed;
  },
});

/** A real upstream if one is given or `OPENAI_API_KEY` is set; otherwise the bundled one (''). */
async function demoUpstream(
  cli: Cli,
  given: FlagsOf<'--base-url <url>' | '--key <key>' | '--key-env <variable>'>,
): Promise<{ baseUrl: string; key: string }> {
  const { OPENAI_API_KEY, OPENAI_BASE_URL } = cli.io.env;
  const isNamed = Object.values(given).some((value) => value !== undefined);
  if (!isNamed && !OPENAI_API_KEY) return { baseUrl: '', key: '' };
  const baseUrl = given.baseUrl ?? (OPENAI_BASE_URL || OPENAI);
  if (given.key !== undefined) return { baseUrl, key: given.key };
  const env = given.keyEnv ?? 'OPENAI_API_KEY';
  const key = await cli.secret(cli.t('cli.ask.key'), { env }, '--key-env', 'ask');
  return { baseUrl, key: key ?? '' };
}

export const serve: Noun = { name: 'serve', verbs: [run] };
export const demo: Noun = { name: 'demo', verbs: [demoRun] };
