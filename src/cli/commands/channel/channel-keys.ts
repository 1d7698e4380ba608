/**
 * `gateway channel keys` and `wake`: shows which keys of a channel are active or in cooldown, and
 * ends cooldowns.
 */
import type { LocalApi } from '../../../session/session.ts';
import { command } from '../../command.ts';
import { findChannel } from '../../lookup/find-by-name.ts';
import { CHANNEL_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';

const VIEW: View = {
  columns: ['id', 'hint', 'status', 'resting_until', 'rest_model', 'rest_reason'],
  wide: ['position', 'disabled_at', 'reason'],
  words: CHANNEL_WORDS,
};

export const keys = command({
  usage: 'keys <channel>',
  examples: ['keys openai-main', 'keys 3 --json'],
  async run(cli, { channel }) {
    await cli.print((await findChannel(cli, channel)).keys, VIEW);
  },
});

const idText = ({ id }: { readonly id: number }) => String(id);

export const wake = command({
  usage: 'wake <channel>',
  flags: ['--key <id>'],
  examples: ['wake openai-main', 'wake openai-main --key 12'],
  async run(cli, { channel: text, key }) {
    const { id, name, keys: before } = await findChannel(cli, text);
    const key_id = cli.values.wholeNumber('--key', key);
    if (key_id !== undefined && !before.some((one) => one.id === key_id))
      throw cli.values.notAmong('--key', String(key), before.map(idText));
    const change = { action: 'update', noun: 'channel', name } as const;
    const wakeKeys = async (api: LocalApi) => (await api.channel.wake({ id, key_id })).keys;
    await cli.changeAndPrint(change, wakeKeys, VIEW);
  },
});
