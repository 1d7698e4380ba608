/** The log entries that a window of a budget counts, as the fields of a link to them. */
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import type { UrlStateOf } from '../../lib/browser/page-links.ts';
import type { Budget } from './calls.ts';

export type Entries = Partial<UrlStateOf<'/app/logs/api-usage'>>;

type Window = Pick<Budget, 'starts_at' | 'resets_at'>;

/** The current window by default; undefined if no filter of the log selects exactly these entries. */
export function entriesOf(budget: Budget, window: Window = budget): Entries | undefined {
  const { subject, measure, models, on_full, downgrade_model, created_at } = budget;
  const [model, ...others] = subject === 'model' ? [budget.subject_id, ...models] : models;
  // A budget counts no calls of the model that answers when it is full.
  const isPartial = on_full === 'downgrade' && (model ?? downgrade_model) === downgrade_model;
  if (window.starts_at === 0 || others.length > 0 || isPartial) return undefined;
  return {
    ...SUBJECTS[subject](budget),
    ...(model !== undefined && { model }),
    ...(measure === 'calls' && { type: String(LOG_TYPE.consume) }),
    // Calls before the budget was made do not count.
    from: String(Math.max(window.starts_at, created_at)),
    ...(window.resets_at > 0 && { to: String(window.resets_at - 1) }),
  };
}

const SUBJECTS: Readonly<Record<Budget['subject'], (budget: Budget) => Entries>> = {
  token: ({ subject_id }) => ({ token_id: Number(subject_id) }),
  user: ({ subject_name }) => ({ user: subject_name }),
  group: ({ subject_id }) => ({ group: subject_id }),
  channel: ({ subject_id }) => ({ channel: Number(subject_id) }),
  model: () => ({}),
  site: () => ({}),
};
