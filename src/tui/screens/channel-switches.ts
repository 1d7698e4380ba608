/** Turning channels on and off, and their order; in the tag view for all that carry a tag. */
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { each, namesText } from './acts.ts';
import type { Channel, Desk } from './screen.ts';

/** Names that a dialog may need; the count is the server's. */
const NAMES_READ = 20;

type Status = typeof CHANNEL_STATUS.enabled | typeof CHANNEL_STATUS.disabled;
type Change =
  | { readonly status: Status }
  | { readonly priority: number }
  | { readonly weight: number };

/** What a change is about. */
interface Target {
  /** Changed with every channel that carries them, also those that were not read. */
  readonly tags: readonly string[];
  readonly ids: number[];
  readonly count: number;
  readonly names: readonly string[];
}

/** In the tag view the tags of the rows, and the rows without one; else the rows. */
async function targetOf(desk: Desk, rows: readonly Channel[]): Promise<Target> {
  const isByTag = desk.reader.memory.isTagView;
  const tags = isByTag ? [...new Set(rows.map(({ tag }) => tag).filter((tag) => tag !== ''))] : [];
  const single = rows.filter(({ tag }) => !tags.includes(tag));
  const pages = await Promise.all(
    tags.map((tag) => desk.api.channel.list({ tag, page_size: NAMES_READ })),
  );
  return {
    tags,
    ids: single.map(({ id }) => id),
    count: pages.reduce((sum, { total }) => sum + total, single.length),
    names: [...pages.flatMap(({ items }) => items), ...single].map(({ name }) => name),
  };
}

/** Gives the number of channels that were met. */
async function change(desk: Desk, { tags, ids }: Target, change: Change): Promise<number> {
  const { channelTag, channelBatch } = desk.api;
  let count = 0;
  await each(tags, async (tag) => {
    if (!('status' in change)) count += await channelTag.edit({ tag, ...change });
    else if (change.status === CHANNEL_STATUS.enabled) count += await channelTag.enable({ tag });
    else count += await channelTag.disable({ tag });
  });
  return ids.length === 0 ? count : count + (await channelBatch.edit({ ids, ...change }));
}

export async function setStatus(
  desk: Desk,
  rows: readonly Channel[],
  word: 'enabled' | 'disabled',
): Promise<void> {
  const target = await targetOf(desk, rows);
  if (!(await isSure(desk, target, word))) return;
  const count = await change(desk, target, { status: CHANNEL_STATUS[word] });
  desk.say(desk.t(`tui.say.${word}`, { count }), 'good');
  desk.refresh();
}

/** A tag is asked about in either direction, as its channels need not be in sight. */
async function isSure(desk: Desk, target: Target, word: 'enabled' | 'disabled'): Promise<boolean> {
  const { t } = desk;
  const { tags, names, count } = target;
  const verb = word === 'enabled' ? 'enable' : 'disable';
  if (tags.length === 0 && (verb === 'enable' || count < 2)) return true;
  return desk.confirm({
    title:
      tags.length === 0
        ? t(`tui.dialog.${verb}`, { count, noun: t('tui.nouns.channels') })
        : t(`tui.dialog.${verb}_tags`, { count, tags: tagsText(desk, target) }),
    body: [namesText(names, desk, count), t(`tui.dialog.${verb}_channels`)],
    verb: t(`tui.dialog.${verb}_verb`),
  });
}

/** `eu, us`, and `-` where channels without a tag are among them. */
function tagsText(desk: Desk, { tags, ids }: Target): string {
  const all = ids.length === 0 ? tags : [...tags, '-'];
  return namesText(all, desk);
}

export async function setNumber(
  desk: Desk,
  rows: readonly Channel[],
  name: 'priority' | 'weight',
): Promise<void> {
  const target = await targetOf(desk, rows);
  const { tags, names, count } = target;
  const label = desk.t(`tui.columns.${name}`);
  const title =
    tags.length === 0
      ? namesText(names, desk, count)
      : desk.t('tui.dialog.tags', { count, tags: tagsText(desk, target) });
  const text = await desk.ask({ title, label }, String(rows[0]?.[name] ?? 0));
  if (text === undefined) return;
  const value = desk.values.wholeNumber(label, text);
  const changed = await change(
    desk,
    target,
    name === 'priority' ? { priority: value } : { weight: value },
  );
  desk.say(desk.t('tui.say.changed', { count: changed }), 'good');
  desk.refresh();
}
