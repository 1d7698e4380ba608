/** `gateway bench`: measures a running gateway under load. */

import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import { progress } from '../../output/progress.ts';
import type { View } from '../../output/render-reply.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import { liveAddress } from '../../servers/server-address.ts';
import type { BenchResult, Load } from './load-generator.ts';
import { withTemporaryToken } from './temporary-token.ts';

const MODEL = 'gpt-4o-mini';
const CONCURRENCY = 4;
const DURATION = '30s';
const BUDGET_USD = '1';
/** A running call may continue this long after the end of the test. */
const GRACE_MS = 10 * 60_000;

const VIEW: View = { columns: ['model', 'calls', 'errors', 'rpm', 'p50_ms', 'p95_ms', 'p99_ms'] };

export const bench: Noun = {
  name: 'bench',
  verbs: [
    command({
      usage: 'bench',
      flags: [
        '--model <model>',
        '--concurrency <n>',
        '--duration <time>',
        '--stream',
        '--max-error-rate <percent>',
        '--max-p95 <time>',
        '--key-env <variable>',
        '--usd <amount>',
        '--group <name>',
        '--user <user>',
      ],
      examples: [
        'bench --model gpt-4o-mini --duration 20s',
        'bench --model gpt-4o-mini --concurrency 16 --stream --json',
        'bench --duration 20s --max-error-rate 1 --max-p95 2s --quiet --json',
        'bench --url https://gateway.example --key-env GATEWAY_API_KEY',
      ],
      ownsSignal: true,
      async run(cli, flags) {
        const { values } = cli;
        const { model = MODEL, stream: isStream = false, keyEnv } = flags;
        const width = values.wholeNumber('--concurrency', flags.concurrency ?? String(CONCURRENCY));
        if (width < 1) throw values.refuse('--concurrency', 'whole_number');
        const durationMs = values.duration('--duration', flags.duration ?? DURATION);
        const limits = limitsOf(cli, flags);
        const load = { model, isStream, width, durationMs, signal: cli.io.signal };
        const result =
          keyEnv === undefined
            ? await withNewToken(cli, load, flags)
            : await withOwnKey(cli, load, keyEnv);
        if (result === undefined) return EXIT.ok;
        const facts = { model, concurrency: width, stream: isStream };
        await cli.print({ ...facts, ...result }, VIEW);
        if (cli.io.signal.aborted) return EXIT.interrupted;
        return exitCode(cli, result, limits);
      },
    }),
  ],
};

type Flags = Readonly<Partial<Record<'usd' | 'group' | 'user', string>>>;
type Wanted = Omit<Load, 'url' | 'key'>;

/** Uses a temporary token that is deleted afterwards; its cost is printed with the result. */
async function withNewToken(cli: Cli, wanted: Wanted, { usd = BUDGET_USD, group, user }: Flags) {
  const lastsMs = wanted.durationMs + GRACE_MS;
  const tokenRequest = { purpose: 'bench', budget: { usd }, lastsMs, group, user };
  const done = await withTemporaryToken(cli, tokenRequest, (target) =>
    measured(cli, { ...wanted, ...target }),
  );
  return done && { ...done.answer, quota: done.bill.quota };
}

async function withOwnKey(cli: Cli, wanted: Wanted, env: string) {
  const key = (await cli.secret(env, { env }, '--key-env', 'ask')) ?? '';
  if (cli.globals.dryRun) return undefined;
  return measured(cli, { ...wanted, url: await liveAddress(cli), key });
}

async function measured(cli: Cli, load: Load): Promise<BenchResult> {
  const { generateLoad, summarize } = await import('./load-generator.ts');
  const seconds = Math.ceil(load.durationMs / 1000);
  const shown = progress(cli, seconds, `bench ${load.model}`);
  let ticks = 0;
  const clock = setInterval(() => {
    ticks += 1;
    if (ticks <= seconds) shown.tick();
  }, 1000);
  try {
    const { calls, tookMs } = await generateLoad(load);
    return summarize(calls, tookMs);
  } finally {
    clearInterval(clock);
    shown.end();
  }
}

type LimitFlags = FlagsOf<'--max-error-rate <percent>' | '--max-p95 <time>'>;

/** The rate is in percent. */
function limitsOf({ values }: Cli, { maxErrorRate, maxP95 }: LimitFlags) {
  const errorRate = values.decimal('--max-error-rate', maxErrorRate?.replace(/%$/, ''));
  const p95Ms = values.duration('--max-p95', maxP95);
  const none = Number.POSITIVE_INFINITY;
  return { errorRate: errorRate ?? none, p95Ms: p95Ms ?? none };
}

/** Without any successful call the test has failed, regardless of the limits. */
function exitCode(cli: Cli, result: BenchResult, limits: ReturnType<typeof limitsOf>): ExitCode {
  const { calls, errors, error_rate, p95_ms } = result;
  if (calls === errors) {
    cli.note(cli.t('cli.notes.bench_no_answer', { count: calls }));
    return EXIT.checkFailed;
  }
  const isOver = error_rate > limits.errorRate || (p95_ms ?? 0) > limits.p95Ms;
  if (isOver) cli.note(cli.t('cli.notes.bench_over', { rate: error_rate, p95: p95_ms ?? 0 }));
  return isOver ? EXIT.checkFailed : EXIT.ok;
}
