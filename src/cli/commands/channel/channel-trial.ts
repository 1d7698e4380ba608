/** `--test` of `channel create` and `channel edit`: one small request through the new channel. */
import { AppError } from '../../../domain/errors/errors.ts';
import { errorText } from '../../../locales/text.ts';
import type { Cli } from '../../cli.ts';
import { findChannel } from '../../lookup/find-by-name.ts';
import { EarlyExit } from '../../process/early-exit.ts';
import { EXIT } from '../../process/exit-codes.ts';

/**
 * Reports on stderr, because the channel is the output. The channel stays as it is if the test
 * fails. @throws EarlyExit with the status of a failed check.
 */
export async function testChannel(cli: Cli, channel: string): Promise<void> {
  const { id, name } = await findChannel(cli, channel);
  const { success, message, model, time_ms } = await (await cli.api()).probe.test({ id });
  if (success) return cli.note(cli.t('cli.notes.channel_answers', { name, model, ms: time_ms }));
  const failure = new AppError('channel_test_failed', { problem: message });
  cli.io.err(`${errorText(failure, cli.language)}\n`);
  throw new EarlyExit(EXIT.checkFailed);
}
