/** Plans the channel deletions of `--prune`. */
import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import { everyPage } from '../lookup/paged-lists.ts';
import type { ChannelEntry } from './document.ts';
import type { Step } from './step.ts';

export interface Pruning {
  readonly steps: readonly Step[];
  /** The error for a mass deletion, which requires `--allow-mass-delete`. */
  readonly massDelete: AppError | undefined;
}

export const NO_PRUNING: Pruning = { steps: [], massDelete: undefined };

/** Up to this many deletions need no flag, whatever their share. */
const A_FEW = 5;
const LARGEST_SHARE = 0.5;
/** Maximum number of names in the error; the plan lists all. */
const NAMES_SHOWN = 10;

/** @param entries of the document; channels with the tag that are not among them are deleted. */
export async function pruningOf(
  api: LocalApi,
  entries: readonly ChannelEntry[],
  tag: string,
): Promise<Pruning> {
  const named = new Set<string | number>(entries.map(({ id, name }) => id ?? name));
  const { items } = await everyPage((page) => api.channel.list({ ...page, tag }));
  const tagged = items.filter((channel) => channel.tag === tag);
  const gone = tagged.filter(({ id, name }) => !named.has(id) && !named.has(name));
  const steps = gone.map(
    ({ id, name }): Step => ({
      lines: [{ action: 'delete', noun: 'channel', name, changes: [] }],
      run: (api) => api.channel.remove({ id }),
    }),
  );
  const isMass = gone.length > A_FEW && gone.length > tagged.length * LARGEST_SHARE;
  const isEmptyList = entries.length === 0 && gone.length > 0;
  if (!isMass && !isEmptyList) return { steps, massDelete: undefined };
  const shown = gone.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const names = [...shown, ...(gone.length > shown.length ? ['…'] : [])].join(', ');
  const params = { count: gone.length, total: tagged.length, tag, names };
  return { steps, massDelete: new AppError('mass_delete', params) };
}
