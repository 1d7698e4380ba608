/** Plans the channel deletions of `--prune`. */
import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import { allItems } from '../lookup/paged-lists.ts';
import type { SiteChannel } from './document.ts';
import type { Step } from './step.ts';

export interface Pruning {
  readonly steps: readonly Step[];
  /** The error for a mass deletion, which requires `--allow-mass-delete`. */
  readonly massDelete: AppError | undefined;
}

export const NO_PRUNING: Pruning = { steps: [], massDelete: undefined };

/** Up to this many deletions need no flag, whatever their share. */
const MAX_UNCONFIRMED = 5;
const MAX_SHARE = 0.5;
/** Maximum number of names in the error; the plan lists all. */
const NAMES_SHOWN = 10;

/** @param entries of the document; channels with the tag that are not among them are deleted. */
export async function planPruning(
  api: LocalApi,
  entries: readonly SiteChannel[],
  tag: string,
): Promise<Pruning> {
  const named = new Set<string | number>(entries.map(({ id, name }) => id ?? name));
  const found = await allItems(api.channel.list, { tag });
  const tagged = found.filter((channel) => channel.tag === tag);
  const obsolete = tagged.filter(({ id, name }) => !named.has(id) && !named.has(name));
  const steps = obsolete.map(
    ({ id, name }): Step => ({
      lines: [{ action: 'delete', noun: 'channel', name, changes: [] }],
      run: (api) => api.channel.remove({ id }),
    }),
  );
  const isMassDelete =
    obsolete.length > MAX_UNCONFIRMED && obsolete.length > tagged.length * MAX_SHARE;
  const isEmptyList = entries.length === 0 && obsolete.length > 0;
  if (!isMassDelete && !isEmptyList) return { steps, massDelete: undefined };
  const shown = obsolete.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const names = [...shown, ...(obsolete.length > shown.length ? ['…'] : [])];
  const params = { count: obsolete.length, total: tagged.length, tag, names };
  return { steps, massDelete: new AppError('mass_delete', params) };
}
