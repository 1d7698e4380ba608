/** `gateway channel test` and `models`: query the upstreams. */

import { CHANNEL_STATUS } from '../../../domain/statuses.ts';
import { parsedObject } from '../../../json/parse-json-object.ts';
import { inParallel } from '../../../services/cluster/in-parallel.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { type Channel, channelsOf, findChannel } from '../../lookup/find-by-name.ts';
import { progress } from '../../output/progress.ts';
import type { View } from '../../output/render-reply.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';

const RESULTS: View = {
  columns: ['channel_name', 'model', 'success', 'time_ms', 'status_code', 'message'],
  wide: ['channel_id', 'first_token_ms', 'prompt_tokens', 'completion_tokens'],
  id: 'channel_id',
};

const CONCURRENCY = 4;

interface Trial {
  readonly id: number;
  readonly name: string;
  readonly model: string | undefined;
}

type Result = Omit<Awaited<ReturnType<LocalApi['probe']['test']>>, 'success'> & {
  success: boolean;
};

export const test = command({
  usage: 'test [channels...]',
  flags: [
    '--all',
    '--tag <tag>',
    '--model <model>',
    '--all-models',
    '--stream',
    '--concurrency <n>',
    '--max-time <time>',
  ],
  examples: [
    'test openai-main',
    'test --all --max-time 5s',
    'test 3 4 --all-models --stream --json',
  ],
  ownsSignal: true,
  async run(cli, { channels: names, ...flags }) {
    const { values } = cli;
    const channels = await selectedChannels(cli, names, flags);
    const trials = channels.flatMap((channel) => trialsOf(channel, flags.model, flags.allModels));
    const maxMs = values.duration('--max-time', flags.maxTime);
    const width = values.wholeNumber('--concurrency', flags.concurrency) ?? CONCURRENCY;
    if (cli.globals.dryRun) return printTrials(cli, trials);
    const { probe } = await cli.api();
    const shown = progress(cli, trials.length, 'channel test');
    const answers = await inParallel(
      trials,
      { width: Math.max(1, width), signal: cli.io.signal },
      async ({ id, model }): Promise<Result | undefined> => {
        const answer = probe.test({ id, model, stream: flags.stream });
        const result = await unlessInterrupted(cli, answer);
        shown.tick();
        const isLate = result?.success && maxMs !== undefined && result.time_ms > maxMs;
        return isLate
          ? { ...result, success: false, message: cli.t('cli.notes.too_slow') }
          : result;
      },
    );
    const results = answers.filter((result) => result !== undefined);
    shown.end();
    await cli.print(results, RESULTS);
    if (cli.io.signal.aborted) {
      cli.note(cli.t('cli.notes.done_of', { done: results.length, total: trials.length }));
      return EXIT.interrupted;
    }
    return results.every(({ success }) => success) ? EXIT.ok : EXIT.checkFailed;
  },
});

async function selectedChannels(
  cli: Cli,
  names: readonly string[],
  { all, tag }: { readonly all?: boolean; readonly tag?: string },
): Promise<readonly Channel[]> {
  const ways = [names.length > 0, all === true, tag !== undefined].filter(Boolean);
  if (ways.length !== 1)
    throw cli.values.refuse('test', 'one_of', { names: ['<channels>', '--all', '--tag'] });
  return channelsOf(cli, names, { tag, status: all ? CHANNEL_STATUS.enabled : undefined });
}

function trialsOf(channel: Channel, model: string | undefined, allModels = false): Trial[] {
  const { id, name } = channel;
  return allModels
    ? channel.models.split(',').map((model) => ({ id, name, model }))
    : [{ id, name, model }];
}

/** A test costs money at the upstream, so a dry run is offered. */
async function printTrials(cli: Cli, trials: readonly Trial[]): Promise<ExitCode> {
  await cli.print(trials, { columns: ['id', 'name', 'model'] });
  cli.note(cli.t('cli.notes.dry_run'));
  return EXIT.ok;
}

/** Resolves to undefined on an interruption, without waiting for what cannot be aborted. */
async function unlessInterrupted<T>(
  { io: { signal } }: Cli,
  request: Promise<T>,
): Promise<T | undefined> {
  const left = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    return await Promise.race([request, left]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

export const models = command({
  usage: 'models <channel>',
  flags: ['--diff', '--apply'],
  examples: [
    'models openai-main',
    'models openai-main --diff',
    'models openai-main --apply --dry-run',
  ],
  async run(cli, { channel: text, diff, apply }) {
    const before = await findChannel(cli, text);
    const { id, name } = before;
    const found = await (await cli.api()).channelModel.compare({ id });
    if (found.retired.length > 0)
      cli.note(cli.t('cli.notes.models_retired', { models: found.retired }));
    if (apply) return applyModels(cli, before, found.models);
    if (!diff) return cli.print(found.models, { columns: ['model'], id: 'model' });
    const { missing_upstream, not_listed } = found;
    const rows = [
      ...not_listed.map((model) => ({ sign: '+', model })),
      ...missing_upstream.map((model) => ({ sign: '-', model })),
    ];
    await cli.print(rows, { columns: ['sign', 'model'], id: 'model' });
    cli.note(cli.t('cli.notes.models_differ', { name, count: rows.length }));
  },
});

/** Replaces the channel's models with the upstream's list, but keeps mapped names. */
async function applyModels(cli: Cli, before: Channel, offered: readonly string[]): Promise<void> {
  const { id, name } = before;
  const mapped = Object.keys(parsedObject(before.model_mapping));
  const kept = before.models.split(',').filter((model) => mapped.includes(model));
  const models = [...new Set([...kept, ...offered])].join(',');
  const change = { action: 'update', noun: 'channel', name, before } as const;
  const input = { id, models, before: { models: before.models } };
  const view = { columns: ['id', 'name', 'models'], brief: true } as const;
  await cli.changeAndPrint(change, (api) => api.channel.edit(input), view);
}
