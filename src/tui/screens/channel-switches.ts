/** Enables, disables and prioritizes channels; in the tag view, all channels of a tag. */
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import type { ActionContext, Channel } from './screen.ts';
import { forEachInParallel, namesText, showDone } from './shared-actions.ts';

/** Maximum number of names for a dialog; the count is the server's. */
const NAMES_READ = 20;

type Status = typeof CHANNEL_STATUS.enabled | typeof CHANNEL_STATUS.disabled;
type Change =
  | { readonly status: Status }
  | { readonly priority: number }
  | { readonly weight: number };

/** The objects of a change. */
interface Target {
  /** The change applies to every channel with these tags, including those not loaded. */
  readonly tags: readonly string[];
  readonly ids: number[];
  readonly count: number;
  readonly names: readonly string[];
}

/** In the tag view, the tags of the rows and the untagged rows; otherwise the rows. */
async function targetOf(context: ActionContext, rows: readonly Channel[]): Promise<Target> {
  const isByTag = context.viewer.memory.isTagView;
  const tags = isByTag ? [...new Set(rows.map(({ tag }) => tag).filter((tag) => tag !== ''))] : [];
  const single = rows.filter(({ tag }) => !tags.includes(tag));
  const pages = await Promise.all(
    tags.map((tag) => context.api.channel.list({ tag, page_size: NAMES_READ })),
  );
  return {
    tags,
    ids: single.map(({ id }) => id),
    count: pages.reduce((sum, { total }) => sum + total, single.length),
    names: [...pages.flatMap(({ items }) => items), ...single].map(({ name }) => name),
  };
}

/** Returns the number of affected channels. */
async function change(
  context: ActionContext,
  { tags, ids }: Target,
  change: Change,
): Promise<number> {
  const { channelTag, channelBatch } = context.api;
  let count = 0;
  await forEachInParallel(tags, async (tag) => {
    if (!('status' in change)) count += (await channelTag.edit({ tag, ...change })).count;
    else if (change.status === CHANNEL_STATUS.enabled) count += await channelTag.enable({ tag });
    else count += await channelTag.disable({ tag });
  });
  return ids.length === 0 ? count : count + (await channelBatch.edit({ ids, ...change }));
}

export async function setStatus(
  context: ActionContext,
  rows: readonly Channel[],
  word: 'enabled' | 'disabled',
): Promise<void> {
  const target = await targetOf(context, rows);
  if (!(await isSure(context, target, word))) return;
  const count = await change(context, target, { status: CHANNEL_STATUS[word] });
  showDone(context, word, count);
}

/** Disabling needs a confirmation; with a tag enabling too, because its channels may not be visible. */
async function isSure(
  context: ActionContext,
  target: Target,
  word: 'enabled' | 'disabled',
): Promise<boolean> {
  const { t } = context;
  const { tags, names, count } = target;
  const verb = word === 'enabled' ? 'enable' : 'disable';
  if (tags.length === 0 && verb === 'enable') return true;
  return context.confirm({
    title:
      tags.length === 0
        ? t(`tui.dialog.${verb}`, { count, noun: t('tui.nouns.channels', { count }) })
        : t(`tui.dialog.${verb}_tags`, { count, tags: tagsText(context, target) }),
    body: [namesText(names, context, count), t(`tui.dialog.${verb}_channels`, { count })],
    verb: t(`tui.dialog.${verb}_verb`),
  });
}

/** `eu, us`, plus `-` if untagged channels are included. */
function tagsText(context: ActionContext, { tags, ids }: Target): string {
  const all = ids.length === 0 ? tags : [...tags, '-'];
  return namesText(all, context);
}

export async function setNumber(
  context: ActionContext,
  rows: readonly Channel[],
  name: 'priority' | 'weight',
): Promise<void> {
  const target = await targetOf(context, rows);
  const { tags, names, count } = target;
  const label = context.t(`tui.columns.${name}`);
  const title =
    tags.length === 0
      ? namesText(names, context, count)
      : context.t('tui.dialog.tags', { count, tags: tagsText(context, target) });
  const text = await context.ask({ title, label }, String(rows[0]?.[name] ?? 0));
  if (text === undefined) return;
  const value = context.values.wholeNumber(label, text);
  const edited = name === 'priority' ? { priority: value } : { weight: value };
  showDone(context, 'changed', await change(context, target, edited));
}
