/** `gateway serve` and `gateway demo`: what keeps running until a signal ends it. */
import type { Flags } from '../../config.ts';
import { command, type Noun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

const run = command({
  usage: 'serve',
  flags: ['--host <address>', '--port <port>', '--no-web', '--check-config'],
  examples: ['serve', 'serve --host 0.0.0.0 --port 8080', 'serve --check-config'],
  ownsSignal: true,
  async run(cli, { host, port, web, checkConfig }) {
    // Only `--no-web` was said; without it the environment decides.
    const flags: Flags = { host, port, ...(web === false && { web }) };
    const config = await cli.config(flags);
    if (checkConfig) return cli.say(cli.t('cli.say.config_fine'));
    const { serve } = await import('../../server/serve.ts');
    await serve(config, { say: (text) => cli.say(text), signal: cli.io.signal });
  },
});

const demoRun = command({
  usage: 'demo',
  flags: ['--exit', '--port <port>', '--base-url <url>', '--key-env <variable>', '--model <model>'],
  examples: [
    'demo',
    'demo --exit',
    'demo --base-url https://api.openai.com --key-env OPENAI_KEY --model gpt-4o-mini',
  ],
  ownsSignal: true,
  async run(cli, { exit = false, port, baseUrl = '', keyEnv: env, model = 'gpt-4o-mini' }) {
    const key =
      env === undefined ? '' : await cli.secret(cli.t('cli.ask.key'), { env }, '--key-env', 'ask');
    const { runDemo } = await import('../../demo/demo.ts');
    const options = {
      exit,
      port: port === undefined ? 0 : cli.values.wholeNumber('--port', port),
      baseUrl,
      key: key ?? '',
      model,
    };
    const code = await runDemo(options, { out: (text) => cli.io.out(text), signal: cli.io.signal });
    return code === 0 ? EXIT.ok : EXIT.failed;
  },
});

export const serve: Noun = { name: 'serve', verbs: [run] };
export const demo: Noun = { name: 'demo', verbs: [demoRun] };
