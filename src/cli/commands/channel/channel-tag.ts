/** `gateway channel tag` and `prune-disabled`: change many channels at once. */

import { TAG_ACTIONS, type TagAction } from '../../../domain/channels/tag-actions.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { CHANNEL_STATUS } from '../../../domain/statuses.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command } from '../../command.ts';
import { findChannels } from '../../lookup/find-by-name.ts';
import { allItems } from '../../lookup/paged-lists.ts';
import type { View } from '../../output/render-reply.ts';
import { deleteListed } from '../delete-listed.ts';

const DONE: View = { columns: ['tag', 'action', 'channels'], id: 'tag' };

interface Doing {
  /** The arguments that the action requires. */
  readonly needs: string;
  /** Lookups before anything is written. */
  readonly prepare?: (cli: Cli, tag: string, values: readonly string[]) => Promise<number[]>;
  /** Returns the number of affected channels. */
  readonly run: (api: LocalApi, given: Given) => Promise<number>;
}

interface Given {
  readonly tag: string;
  /** The argument after the tag. */
  readonly value: string;
  readonly ids: number[];
  readonly cli: Cli;
}

const ACTIONS: Readonly<Record<TagAction, Doing>> = {
  set: {
    needs: '<tag> <channels...>',
    prepare: async (cli, _tag, names) => (await findChannels(cli, names)).map(({ id }) => id),
    run: (api, { ids, tag }) => api.channelBatch.setTag({ ids, tag }),
  },
  unset: {
    needs: '<tag>',
    prepare: idsOfTag,
    run: (api, { ids }) => api.channelBatch.setTag({ ids, tag: null }),
  },
  rename: {
    needs: '<tag> <to>',
    run: (api, { tag, value }) => edited(api, { tag, new_tag: value }),
  },
  on: { needs: '<tag>', run: (api, { tag }) => api.channelTag.enable({ tag }) },
  off: { needs: '<tag>', run: (api, { tag }) => api.channelTag.disable({ tag }) },
  priority: {
    needs: '<tag> <n>',
    run: (api, { tag, value, cli }) =>
      edited(api, { tag, priority: cli.values.wholeNumber('priority', value) }),
  },
  weight: {
    needs: '<tag> <n>',
    run: (api, { tag, value, cli }) =>
      edited(api, { tag, weight: cli.values.wholeNumber('weight', value) }),
  },
};

/** Whether there are as many values as arguments after the tag. */
function fits(needs: string, { length }: readonly string[]): boolean {
  const [, ...further] = needs.split(' ');
  return needs.includes('...') ? length > 0 : length === further.length;
}

/** These edits have no warnings. */
async function edited(
  api: LocalApi,
  input: Parameters<LocalApi['channelTag']['edit']>[0],
): Promise<number> {
  return (await api.channelTag.edit(input)).count;
}

/** @throws AppError `channel_tag_missing`. */
async function idsOfTag(cli: Cli, tag: string): Promise<number[]> {
  const api = await cli.api();
  const items = await allItems(api.channel.list, { tag });
  const ids = items.filter((channel) => channel.tag === tag).map(({ id }) => id);
  if (ids.length === 0) throw new AppError('channel_tag_missing', { tag }, { param: 'tag' });
  return ids;
}

export const tag = command({
  usage: 'tag <action> <tag> [values...]',
  examples: [
    'tag set prod openai-main 3',
    'tag unset prod',
    'tag rename prod live',
    'tag off prod --dry-run',
    'tag on prod',
    'tag priority prod 10',
    'tag weight prod 5',
  ],
  async run(cli, { action: word, tag, values }) {
    const action = cli.values.choice('<action>', word, TAG_ACTIONS);
    const { needs, prepare, run } = ACTIONS[action];
    if (!fits(needs, values)) throw cli.values.refuse(`tag ${action}`, 'takes', { names: needs });
    const ids = (await prepare?.(cli, tag, values)) ?? [];
    const [value = ''] = values;
    const change = { action: 'update', noun: 'tag', name: tag } as const;
    const input = { tag, value, ids, cli };
    const runAction = async (api: LocalApi) => ({ tag, action, channels: await run(api, input) });
    await cli.changeAndPrint(change, runAction, DONE);
  },
});

export const pruneDisabled = command({
  usage: 'prune-disabled',
  examples: ['prune-disabled --dry-run', 'prune-disabled --yes'],
  async run(cli) {
    const { channel } = await cli.api();
    const statuses = [CHANNEL_STATUS.disabled, CHANNEL_STATUS.auto_disabled];
    const found = await Promise.all(statuses.map((status) => allItems(channel.list, { status })));
    const names = found.flat().map(({ name }) => name);
    await deleteListed(cli, {
      noun: 'channel',
      names,
      loses: cli.t('cli.loses.disabled_channels', { count: names.length }),
      remove: (api) => api.channelBatch.removeDisabled({}),
    });
  },
});
