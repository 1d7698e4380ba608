/** Saves the changes of a channel that another administrator may have changed meanwhile. */
import type { TFunction } from 'i18next';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { CHANNEL } from '../../../../../src/domain/nouns/channel.ts';
import { asObject, parseJson } from '../../../../../src/json/read-json.ts';
import type { Conflict, ConflictingChange } from '../../../components/forms/ConflictModal.tsx';
import { resolveConflict } from '../../../components/forms/conflict.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { type Edits, isConflict, mergedList, mergedMap } from '../../../lib/text/merge.ts';
import { type Channel, channelHistory, channels } from '../calls.ts';
import { asRead, type changesOf } from './channel-form.ts';

type Changes = ReturnType<typeof changesOf>;

/**
 * Asks whose values to keep as long as others change the same fields.
 * @throws ApiError; DOMException AbortError if the user goes back to the form.
 */
export async function saveResolved(
  read: Channel,
  changes: Changes,
  t: TFunction,
): Promise<Channel> {
  try {
    return await channels.edit({ id: read.id, ...changes, before: asRead(read, changes) });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error;
    const now = await channels.get({ id: read.id, reveal: false });
    const conflicts = conflictsOf(read, now, changes, t);
    // The other edit has been undone, or is the same as this one.
    if (conflicts.length === 0)
      return channels.edit({ id: now.id, ...changes, before: asRead(now, changes) });
    const change = await latestChange(read.id).catch(() => undefined);
    const resolution = await resolveConflict(conflicts.map((one) => ({ ...one, change })));
    if (resolution === undefined) throw new DOMException('', 'AbortError');
    return saveResolved(now, withResolution(changes, now, resolution), t);
  }
}

/** Of the newest management entries of the log, the first about the channel. */
async function latestChange(id: number): Promise<ConflictingChange | undefined> {
  const page = { p: 1, page_size: 100, type: LOG_TYPE.admin } as const;
  const { items } = await channelHistory.list(page);
  const entry = items.find(({ other }) => {
    const facts = asObject(parseJson(other));
    const many = facts?.channel_ids;
    return facts?.channel_id === id || (Array.isArray(many) && many.includes(id));
  });
  return entry && { username: entry.username, at: entry.created_at };
}

function conflictsOf(
  read: Channel,
  now: Channel,
  changes: Changes,
  t: TFunction,
): readonly Conflict[] {
  const fields = Object.keys(asRead(read, changes)) as (keyof typeof CHANNEL)[]; // the columns that are sent
  return fields
    .map((field) => {
      const texts = {
        base: String(read[field]),
        mine: String(changes[field]),
        theirs: String(now[field]),
      };
      const label = t(`channel.field.${field}`);
      return { field, label, ...texts, both: bothOf(field, texts) };
    })
    .filter(isConflict);
}

function bothOf(field: keyof typeof CHANNEL, { base, mine, theirs }: Edits): string | undefined {
  const { kind } = CHANNEL[field];
  if (kind === 'list') return mergedList(base, mine, theirs);
  return kind === 'json' ? mergedMap(base, mine, theirs) : undefined;
}

/** Numbers stay numbers: a resolution is text. */
function withResolution(
  changes: Changes,
  now: Channel,
  resolution: Readonly<Record<string, string>>,
): Changes {
  const values = Object.entries(resolution).map(([field, text]) => [
    field,
    typeof now[field as keyof Channel] === 'number' ? Number(text) : text, // a field of the same object
  ]);
  return { ...changes, ...Object.fromEntries(values) };
}
