/**
 * The URL fields of the pages that links open with a filter, a tab or a record. Pages read their
 * state with the same table that links are built from.
 */
import { BUDGET_SUBJECTS, type BudgetSubject } from '../../../../src/domain/budgets/budget.ts';
import { BUDGET_STATES, type BudgetState } from '../../../../src/domain/budgets/budget-state.ts';
import { LOG_TYPE } from '../../../../src/domain/logs/log-types.ts';
import {
  REDEMPTION_STATES,
  type RedemptionState,
} from '../../../../src/domain/redemption-state.ts';
import { field, type StateOf, writeState } from './url-state.ts';

export const PLAYGROUND_MODEL = 'gpt-4o-mini';
export const ACCOUNT_TABS = ['account', 'security', 'notice', 'price', 'other'] as const;
const SETTINGS_TABS = ['operation', 'ratelimit', 'models', 'system', 'other'] as const;

/** What the status filter of channels offers: stored statuses, and the health of enabled channels. */
export const CHANNEL_STATES = [
  'enabled',
  'failing',
  'unknown',
  'disabled',
  'auto_disabled',
] as const;
export type ChannelStateName = (typeof CHANNEL_STATES)[number];

/** Charges and refunds, which make up net spend; then the type numbers in menu order. */
export const LOG_TYPE_CHOICES: readonly string[] = [
  'spend',
  ...Object.values(LOG_TYPE).map(String),
];

export const PAGE_FIELDS = {
  '/': { notice: field.flag() },
  '/playground': {
    model: field.text(PLAYGROUND_MODEL),
    group: field.text(),
    /** A second model that gets the same messages. */
    with: field.text(),
  },
  '/app/tokens': {
    q: field.text(),
    status: field.number(),
    group: field.text(),
    page: field.page(),
    id: field.id(),
  },
  '/app/logs/api-usage': {
    /** '', a number, or `spend`. */
    type: field.choice(['', ...LOG_TYPE_CHOICES], ''),
    token: field.text(),
    /** Exactly this token, whatever others have its name. */
    token_id: field.number(),
    model: field.text(),
    group: field.text(),
    /** Administrators only, like the channel. */
    user: field.text(),
    channel: field.number(),
    /** The channels with this tag. */
    tag: field.text(),
    request: field.text(),
    ip: field.text(),
    /** `all` has no start; without it the page has the range of the site. */
    from: field.moment(),
    to: field.moment(),
    page: field.page(),
    id: field.id(),
  },
  '/admin/statement': { user: field.id(), month: field.text() },
  '/app/me': { tab: field.tab(ACCOUNT_TABS, 'account') },
  '/admin/channels': {
    q: field.text(),
    model: field.text(),
    group: field.text(),
    type: field.number(),
    status: field.choice<ChannelStateName | ''>([...CHANNEL_STATES, ''], ''),
    tag: field.text(),
    untagged: field.flag(),
    sort: field.choice<'failing_since' | ''>(['failing_since', ''], ''),
    page: field.page(),
    id: field.id(),
  },
  '/admin/budgets': {
    q: field.text(),
    subject: field.choice<BudgetSubject | ''>([...BUDGET_SUBJECTS, ''], ''),
    state: field.choice<BudgetState | ''>([...BUDGET_STATES, ''], ''),
    page: field.page(),
    id: field.id(),
  },
  '/admin/coupons': {
    q: field.text(),
    state: field.choice<RedemptionState | ''>([...REDEMPTION_STATES, ''], ''),
    type: field.choice(['gift', 'plain', ''], ''),
    page: field.page(),
    id: field.id(),
    edit: field.id(),
  },
  '/admin/messages': {
    q: field.text(),
    from: field.moment(),
    to: field.moment(),
    page: field.page(),
    id: field.id(),
  },
  '/admin/users': {
    q: field.text(),
    group: field.text(),
    role: field.number(),
    status: field.number(),
    page: field.page(),
    id: field.id(),
    tokens: field.id(),
  },
  '/admin/settings': { tab: field.tab(SETTINGS_TABS, 'operation') },
} as const;

type LinkedPage = keyof typeof PAGE_FIELDS;
export type UrlStateOf<P extends LinkedPage> = StateOf<(typeof PAGE_FIELDS)[P]>;

/** The address of a page with these fields; names and types are those that the page reads. */
export function linkTo<P extends LinkedPage>(path: P, state: Partial<UrlStateOf<P>> = {}): string {
  const query = writeState(PAGE_FIELDS[path], new URLSearchParams(), state).toString();
  return query === '' ? path : `${path}?${query}`;
}
