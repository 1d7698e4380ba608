/** Bulk edits by tag: the fields are written to all channels with the tag, all or nothing. */
import type { Actor, Service, Visit } from '../../api/call.ts';
import type { channelTagCalls } from '../../api/channels/channel-tag.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { channelsOfTags, lockChannelsOfTag } from '../../store/tables/channel-sets.ts';
import type { ChannelFields, ChannelRow } from '../../store/tables/channels-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { changeLockedChannels } from './channel-batch.ts';
import { requireGroups, requireMapping } from './channel-fields.ts';
import { channelWarnings } from './channel-warnings.ts';
import type { ChannelEvent } from './channel-writes.ts';
import { reportingModels } from './model-impact.ts';

type Calls = Service<typeof channelTagCalls, Context>;

/**
 * @throws AppError `nothing_changed` when all fields are kept, `channel_tag_missing`,
 * `group_missing`.
 */
export const edit: Calls['edit'] = async (ctx, actor, input, visit) => {
  const fields = changedTagFields({
    tag: input.new_tag,
    models: input.models,
    group: input.groups,
    model_mapping: input.model_mapping,
    priority: input.priority,
    weight: input.weight,
  });
  if (Object.keys(fields).length === 0) throw new AppError('nothing_changed');
  requireGroups(ctx, fields.group ?? '');
  requireMapping(fields.model_mapping ?? '');
  const channels = await changeTag(ctx, actor, { ...input, visit }, fields, {
    event: 'channel_tag_changed',
    tag: input.tag,
    fields: Object.keys(fields),
  });
  const written = channels.map((channel) => ({ ...channel, ...fields }));
  return { count: channels.length, ...channelWarnings(written, fields, visit) };
};

export const enable: Calls['enable'] = setsStatus('enabled');
export const disable: Calls['disable'] = setsStatus('disabled');

/** @throws AppError `channel_tag_missing`. */
function setsStatus(word: 'enabled' | 'disabled'): Calls['enable'] & Calls['disable'] {
  return async (ctx, actor, { tag }, visit) => {
    const fields = { status: CHANNEL_STATUS[word] };
    const event = { event: `channel_tag_${word}`, tag } as const;
    return (await changeTag(ctx, actor, { tag, visit }, fields, event)).length;
  };
}

/** Returns the channels as they were. */
function changeTag(
  ctx: Context,
  actor: Actor,
  { tag, visit }: { readonly tag: string; readonly visit: Visit },
  fields: Partial<ChannelFields>,
  event: ChannelEvent,
): Promise<readonly ChannelRow[]> {
  return writing(ctx, async (ctx) => {
    const channels = await lockChannelsOfTag(ctx.db, tag);
    if (channels.length === 0) throw new AppError('channel_tag_missing', { tag }, { param: 'tag' });
    const { tag: newTag = tag } = fields;
    if (newTag !== tag) await reportUsedTag(ctx, visit, newTag);
    const ids = channels.map(({ id }) => id);
    await reportingModels(ctx, visit, ids, () =>
      changeLockedChannels(ctx, actor, channels, fields, event),
    );
    return channels;
  });
}

/** Tags that were merged cannot be told apart any more. */
async function reportUsedTag({ db }: TxContext, visit: Visit, tag: string): Promise<void> {
  if (visit.reportImpact === undefined) return;
  const count = (await channelsOfTags(db, [tag], 'id')).length;
  if (count > 0)
    visit.reportImpact(new AppError('tag_in_use', { tag, count }, { param: 'new_tag' }));
}

type Given = { readonly [F in keyof ChannelFields]?: ChannelFields[F] | '' | null | undefined };

function changedTagFields(given: Given): Partial<ChannelFields> {
  const entries = Object.entries(given).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return Object.fromEntries(entries) as Partial<ChannelFields>; // remaining fields keep their types
}
