/** `gateway channel balance`: the remaining balances of the upstream accounts. */
import { AppError } from '../../../domain/errors/errors.ts';
import { CHANNEL_STATUS } from '../../../domain/statuses.ts';
import { errorText } from '../../../locales/text.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { channelsOf, findChannel } from '../../lookup/find-by-name.ts';
import type { View } from '../../output/render-reply.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';

const RESULTS: View = {
  columns: ['channel_name', 'balance', 'currency', 'success', 'message'],
  wide: ['channel_id', 'disabled'],
  id: 'channel_id',
};

type Result = Awaited<ReturnType<LocalApi['channelBalance']['update']>>;

export const balance = command({
  usage: 'balance [channels...]',
  flags: ['--all'],
  examples: ['balance openai-main', 'balance --all --json'],
  async run(cli, { channels: names, all = false }) {
    if (all === names.length > 0)
      throw cli.values.refuse('balance', 'one_of', { names: ['<channels>', '--all'] });
    if (cli.globals.dryRun) return printChannels(cli, names);
    const { channelBalance } = await cli.api();
    const results = all
      ? (await channelBalance.updateAll({})).results
      : await resultsOf(cli, names);
    await cli.print(results, RESULTS);
    return results.every(({ success }) => success) ? EXIT.ok : EXIT.checkFailed;
  },
});

/** A real query stores the balance and may disable the channel, so this only lists the channels. */
async function printChannels(cli: Cli, names: readonly string[]): Promise<ExitCode> {
  const channels = await channelsOf(cli, names, { status: CHANNEL_STATUS.enabled });
  const rows = channels.map(({ id, name }) => ({ channel_id: id, channel_name: name }));
  await cli.print(rows, { columns: ['channel_id', 'channel_name'], id: 'channel_id' });
  cli.note(cli.t('cli.notes.dry_run'));
  return EXIT.ok;
}

async function resultsOf(cli: Cli, names: readonly string[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const name of names) results.push(await resultOf(cli, name));
  return results;
}

/** A failure of one upstream must not hide the results of the others. */
async function resultOf(cli: Cli, text: string): Promise<Result> {
  const { id, name } = await findChannel(cli, text);
  try {
    return await (await cli.api()).channelBalance.update({ id });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      channel_id: id,
      channel_name: name,
      success: false,
      message: errorText(error, cli.language),
      balance: 0,
      currency: '',
      disabled: false,
    };
  }
}
